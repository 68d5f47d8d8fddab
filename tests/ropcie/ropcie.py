# SPDX-License-Identifier: MIT
"""Drives ropcie, which is in the guests' image, in a cluster.

    with ropcie_cluster("tests/ropcie/pair.yaml") as pair:
        pair.load("a", "b")
        pair.wait_ping("a", "b")
"""

import contextlib
import os
import subprocess

from support.ntblab_cli import BIN, LIMIT, Cluster, CommandFailed, healthy_cluster, wait_for

PORT_TEST = "/sys/kernel/debug/ropcie_port_test"


class RopcieCluster(Cluster):
    def load(self, *nodes, parameters=""):
        """Loads the module; its device has the node's addresses then (the n-th node's are 10.80.0.n, fd99::n), and is up."""
        for node in nodes:
            self.run(node, f"modprobe ropcie {parameters} && {self.addresses(node)}")

    def addresses(self, node, device="ropcie0"):
        """What gives a device the node's addresses. ropcie0 gets the first and is taken up by the guest itself, a bit later."""
        return (f"ip addr replace {self.address(node)}/24 dev {device} && ip addr replace {self.address6(node)}/64 dev {device} nodad"
                f" && ip link set {device} up")

    def unload(self, *nodes):
        for node in nodes:
            self.run(node, "rmmod ropcie")

    def address(self, node):
        return f"10.80.0.{self.nodes.index(node) + 1}"

    def address6(self, node):
        return f"fd99::{self.nodes.index(node) + 1}"

    def mac(self, node, device="ropcie0"):
        return self.run(node, f"cat /sys/class/net/{device}/address")

    def carrier(self, node, device="ropcie0"):
        return self.run(node, f"cat /sys/class/net/{device}/carrier") == "1"

    def wait_carrier(self, node, state, device="ropcie0"):
        wait_for(f"carrier {state} at {node}", lambda: self.carrier(node, device) == state)

    def pings(self, source, target, options="-c 1 -W 2"):
        return self.command(source, f"ping -q {options} {self.address(target)}", check=False).returncode == 0

    def wait_ping(self, source, target):
        try:
            wait_for(f"ping from {source} to {target}", lambda: self.pings(source, target))
        except AssertionError as failure:
            logs = "\n".join(f"--- kernel of {node}\n{self.run(node, 'dmesg | tail -n 40')}" for node in (source, target))
            raise AssertionError(f"{failure}\n{logs}\n--- switch\n{self.ntblab('inspect', self.name).stdout}") from None

    def statistics(self, node, device="ropcie0"):
        lines = self.run(node, f"ethtool -S {device}").splitlines()[1:]
        return {name.strip(): int(value) for name, value in (line.split(":") for line in lines)}

    def port_test(self, count, *nodes):
        """Sends `count` packets from each of the nodes to all peers at once; none may be lost, changed or out of order."""
        with self.port_test_loaded(*nodes):
            sending = [self.port_test_send(node, count) for node in nodes]
            codes = [process.wait(timeout=LIMIT * 5) for process in sending]
            wait_for("arrival of the last packet", lambda: all(
                state["received"] == count for node in nodes for state in self.port_test_state(node)), limit=10)
            states = {node: self.port_test_state(node) for node in nodes}
            assert codes == [0] * len(nodes), states
        return states

    @contextlib.contextmanager
    def port_test_loaded(self, *nodes):
        for node in nodes:
            self.run(node, "modprobe ropcie_port_test")
        try:
            yield
        finally:
            for node in nodes:
                self.run(node, "rmmod ropcie_port_test")

    def port_test_send(self, node, count):
        """Starts to send `count` packets from the node to all peers; returns the process, whose exit code tells of success."""
        return self.start(node, f"echo {count} > {PORT_TEST}/send")

    def port_test_state(self, node):
        found = []
        for line in self.run(node, f"cat {PORT_TEST}/state").splitlines():
            mac, kind, *fields = line.split()
            found.append({"mac": mac, "kind": kind} | {name: int(value) for name, value in zip(fields[::2], fields[1::2])})
        return found

    def meet(self, server, client, listening, ends=True, nodes="ba", limit=LIMIT):
        """Runs a server on b and, once it listens, its client on a (or on two other nodes). Both have to succeed; if the server does not
        end by itself (ends=False) it is killed. In the commands, {server} and {client} stand for the addresses of the two nodes.

        listening: "tcp" or "cm" (the RDMA connection manager) is what the server listens by; None: nothing to wait for."""
        there, here = nodes
        address = {"server": self.address(there), "client": self.address(here)}
        program = server.split()[0][:15]
        sign = {"tcp": f"ss -Hltnp | grep -qF '(\"{program}\"'", "cm": f"rdma resource show cm_id | grep LISTEN | grep -qF 'comm {program} '",
                None: "true"}[listening]
        serving = self.start(there, f"exec timeout {limit} {server.format(**address)} > /tmp/server.log 2>&1")
        try:
            wait_for(f"{program} to listen", lambda: self.command(there, sign, check=False).returncode == 0 or serving.poll() is not None)
            code = self.command(here, f"timeout {limit} sh -c '{client.format(**address)}' > /tmp/client.log 2>&1", check=False,
                                timeout=limit + LIMIT).returncode
            codes = [code, serving.wait(timeout=LIMIT) if ends and code == 0 else 0]
            assert codes == [0, 0], f"client, server ended with {codes}\n--- client\n{self.run(here, 'tail -n 20 /tmp/client.log')}" \
                f"\n--- server\n{self.run(there, 'tail -n 20 /tmp/server.log')}"
            return self.run(here, "cat /tmp/client.log")
        finally:
            if serving.poll() is None:
                self.run(there, f"pkill -x '{program}'; true")
                serving.wait(timeout=LIMIT)

    def start(self, node, script):
        """Starts a shell script in a guest; returns the process of its `ntblab exec`."""
        command = [str(BIN / "ntblab"), "exec", f"{self.name}/{node}", "--", "sh", "-c", script]
        return subprocess.Popen(command, env=dict(os.environ, NTBLAB_RUN_DIR=str(self.run_dir)), stderr=subprocess.DEVNULL)


def ropcie_cluster(topology, *arguments):
    """As healthy_cluster."""
    return healthy_cluster(topology, RopcieCluster, arguments)


__all__ = ["CommandFailed", "RopcieCluster", "ropcie_cluster", "wait_for"]
