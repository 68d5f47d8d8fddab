# SPDX-License-Identifier: MIT
"""Drives `ntblab` as a user would, for the system tests and the benchmarks.

    with Cluster.up("topologies/pair.yaml") as pair:
        assert pair.run("a", "uname -r").startswith("6.")
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import yaml

REPO = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("NTBLAB_BIN_DIR", REPO / "build" / "bin"))
NTBLAB = str(BIN / "ntblab")
DEBUG_KERNEL = os.environ.get("NTBLAB_KERNEL") == "debug"  # in all guests; several times as slow
# Longer than anything takes on a loaded two-core machine; a wait that reaches it is a failure.
LIMIT = 900 if DEBUG_KERNEL else 180
IOMMU = os.environ.get("NTBLAB_TEST_IOMMU") == "1"
# In the GAS (include/linux/switchtec.h), of the two partitions of a pair: the outbound doorbell that rings the first one of the peer
# (ntb_hw_switchtec uses the lower half of partition 0, and the upper half of partition 1).
FIRST_DOORBELL = {"a": 0x75000 + 4, "b": 0x79000}
# Rings a doorbell of a mapped GAS ten times a second, until it is killed.
RING = """
import mmap, os, time
page, offset = divmod({register}, 4096)
gas = os.open('/sys/bus/pci/devices/{device}/resource0', os.O_RDWR)
doorbell = memoryview(mmap.mmap(gas, 4096, offset=page * 4096)).cast('I')
while True:
    doorbell[offset // 4] = 1
    time.sleep(0.1)
"""


class CommandFailed(AssertionError):
    """A command ended with another exit code than the one expected; the message carries its output."""


def ntblab(*arguments, check=True, run_dir=None, **options):
    """Runs `ntblab ARGUMENTS`, returns the CompletedProcess with text output."""
    environment = dict(os.environ, **({"NTBLAB_RUN_DIR": str(run_dir)} if run_dir else {}))
    options.setdefault("timeout", LIMIT)
    result = subprocess.run([NTBLAB, *map(str, arguments)], capture_output=True, text=True, env=environment, **options)
    if check and result.returncode != 0:
        raise CommandFailed(f"ntblab {' '.join(map(str, arguments))}: exit {result.returncode}\n{result.stdout}{result.stderr}")
    return result


def wait_for(what, condition, limit=LIMIT, interval=0.1):
    """Returns the first true value of `condition()`; fails, naming `what`, if none came within `limit` seconds."""
    end = time.monotonic() + limit
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {limit} s: {what}")
        time.sleep(interval)


def strays(run_dir):
    """What a cluster under `run_dir` left behind: processes marked with it, files in it, mounts below it."""
    found = []
    marker = f"NTBLAB_CLUSTER_DIR={run_dir}".encode()
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if marker in (process / "environ").read_bytes():
                found.append(f"process {process.name}: {(process / 'cmdline').read_bytes().replace(bytes(1), b' ').decode()}")
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    run_dir = pathlib.Path(run_dir)
    if run_dir.exists():
        found += [f"file {path}" for path in run_dir.rglob("*")]
    mounts = pathlib.Path("/proc/self/mountinfo").read_text()
    found += [f"mount {line}" for line in mounts.splitlines() if str(run_dir) in line]
    return found


@contextlib.contextmanager
def topology_file(topology):
    """Path of a topology of the repository; with NTBLAB_TEST_IOMMU=1, of a copy in which every node has an IOMMU."""
    if not IOMMU:
        yield REPO / topology
        return
    cluster = yaml.safe_load((REPO / topology).read_text())
    cluster.setdefault("defaults", {}).setdefault("iommu", True)
    with tempfile.NamedTemporaryFile("w", prefix="ntb-iommu-", suffix=".yaml") as copy:
        yaml.safe_dump(cluster, copy, sort_keys=False)
        copy.flush()
        yield copy.name


class Cluster:
    """A running cluster. Leaving the `with` block takes it down."""

    def __init__(self, name, run_dir, nodes, up_report, own_dir=None):
        self.name, self.run_dir, self.nodes, self.up_report = name, run_dir, nodes, up_report
        self.is_up = True
        self._own_dir = own_dir

    @classmethod
    def up(cls, topology, name=None, run_dir=None, arguments=(), **options):
        own_dir = None if run_dir else tempfile.mkdtemp(prefix="ntb-")
        run_dir = pathlib.Path(run_dir or own_dir)
        named = ["--name", name] if name else []
        with topology_file(topology) as file:
            report = json.loads(ntblab("up", file, "--json", *named, *arguments, run_dir=run_dir, **options).stdout)
        return cls(report["cluster"], run_dir, [node["name"] for node in report["nodes"]], report, own_dir)

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        try:
            if failure is not None:
                print(self.standing())
            elif DEBUG_KERNEL:
                self.check_kernels()
        finally:
            self.down()

    def standing(self):
        """How the cluster stands and what its kernels said last, for whoever reads of a failure."""
        ask = "dmesg | tail -n 40; cat /sys/kernel/debug/ntb_transport/*/*/stats"
        commands = {"switches": ["inspect", self.name],
                    **{node: ["exec", f"{self.name}/{node}", "--", "sh", "-c", ask] for node in self.nodes}}
        said = ""
        for what, command in commands.items() if self.is_up else ():
            try:
                answer = self.ntblab(*command, check=False, timeout=60)
                said += f"--- {what}\n{answer.stdout}{answer.stderr}"
            except subprocess.TimeoutExpired:
                said += f"--- {what} did not answer\n"
        return said

    def check_kernels(self):
        """The guests that can be asked have nothing to complain of, and have lost no memory (debug kernel)."""
        for node in self.nodes if self.is_up else []:
            # kmemleak tells of what is older than 5 s and found unreferenced by two scans.
            leaks = "for i in 1 2; do sleep 6; echo scan > /sys/kernel/debug/kmemleak; done; cat /sys/kernel/debug/kmemleak"
            said = self.command(node, f"dmesg; {leaks}", check=False)
            assert kernel_complaints(said.stdout) == [], f"kernel of {node}:\n{said.stdout}"

    def down(self):
        """Takes the cluster down; the second time does nothing."""
        if self.is_up:
            self.is_up = False
            ntblab("down", self.name, run_dir=self.run_dir)
            if self._own_dir:
                shutil.rmtree(self._own_dir, ignore_errors=True)

    def ntblab(self, *arguments, **options):
        return ntblab(*arguments, run_dir=self.run_dir, **options)

    def command(self, node, script, check=True, **options):
        """Runs a shell script in a guest; returns the CompletedProcess."""
        return self.ntblab("exec", f"{self.name}/{node}", "--", "sh", "-c", script, check=check, **options)

    def run(self, node, script, **options):
        """As `command`, but returns its standard output without the last newline."""
        return self.command(node, script, **options).stdout.rstrip("\n")

    def put(self, node, path, content, mode="755"):
        """Writes `content` (bytes) to `path` in a guest."""
        environment = dict(os.environ, NTBLAB_RUN_DIR=str(self.run_dir))
        subprocess.run([NTBLAB, "exec", f"{self.name}/{node}", "--", "sh", "-c", f"cat > {path} && chmod {mode} {path}"],
                       input=content, env=environment, check=True, timeout=LIMIT, capture_output=True)

    def inspect(self):
        return json.loads(self.ntblab("inspect", self.name, "--json").stdout)

    def dmesg(self, node):
        return self.run(node, "dmesg")

    def qemu_pid(self, node):
        """Pid of the node's QEMU."""
        for entry in json.loads(self.ntblab("ls", "--json").stdout):
            if entry["cluster"] == self.name:
                return next(item["pid"] for item in entry["nodes"] if item["name"] == node)
        raise AssertionError(f"cluster {self.name} is not listed")

    def kill(self, node, with_signal=signal.SIGKILL):
        os.kill(self.qemu_pid(node), with_signal)

    def status(self, node):
        """Lines of the node's status log: what its guest reported, in order."""
        log = self.run_dir / self.name / node / "status.log"
        return log.read_text().splitlines() if log.exists() else []

    def ntb_device(self, node):
        """PCI address of the node's NT endpoint."""
        return self.run(node, "lspci -D -d 11f8::0680 | cut -d' ' -f1").split("\n")[0]

    def use_client(self, *modules):
        """Replaces the NTB clients of all nodes by `modules` (each with its parameters).

        First none is left anywhere, then the new ones load: ntb_transport of Linux 6.12 loses its windows when the peer goes and
        returns within the 0.3 s that its cleanup work takes, since that work and its set-up work run at the same time."""
        for node in self.nodes:
            self.run(node, "for m in ntb_netdev ntb_transport ntb_perf ntb_pingpong ntb_tool; do"
                           " if [ -d /sys/module/$m ]; then modprobe -r $m; fi; done")
        for node in self.nodes:
            self.run(node, " && ".join(f"modprobe {module}" for module in modules) or "true")

    def reload_driver(self, parameters=""):
        """Loads ntb_hw_switchtec anew on all nodes, beside switchtec, whose own probe would have it loaded a second time: then
        modprobe does not wait for its probe. At boot that is so, hence its probe there must be over first."""
        for node in self.nodes:
            wait_for(f"NTB device of {node}", lambda: self.run(node, "ls /sys/bus/ntb/devices"))
            self.run(node, f"rmmod ntb_hw_switchtec && modprobe ntb_hw_switchtec {parameters}")

    @contextlib.contextmanager
    def first_doorbells_rung(self):
        """Within the `with` block, the first doorbell of either side of a pair is rung again and again, past its driver.

        ntb_perf of Linux 6.12 takes no command before its own link is up, but clears the command's doorbell
        (drivers/ntb/test/ntb_perf.c, perf_spad_cmd_recv). So the first command of either side is lost when its peer sees the link
        later than it does, and the sender gives up its next one when the first has not been taken within about a second."""
        for node in self.nodes:
            ring = RING.format(register=FIRST_DOORBELL[node], device=self.ntb_device(node))
            self.run(node, f'python3 -c "{ring}" >/dev/null 2>&1 & echo $! > /tmp/ring.pid')
        yield
        for node in self.nodes:
            self.run(node, "kill $(cat /tmp/ring.pid)")

    def connect_perf(self, parameters=""):
        """Loads ntb_perf on both nodes of a pair, returns node a's `run` file when it can be used."""
        run_file = f"/sys/kernel/debug/ntb_perf/{self.ntb_device('a')}/run"
        self.use_client()
        with self.first_doorbells_rung():
            for node in self.nodes:
                self.run(node, f"modprobe ntb_perf {parameters}")
            self.run("a", f"timeout 60 sh -c 'until echo 0 > {run_file}; do sleep 0.1; done' 2>/dev/null")
        return run_file

    def scp(self, path):
        """Copies a file of node a to the same place at b, over ntb_netdev.

        Guests trust no key of each other's: b's root is given a key of a's."""
        key = self.run("a", "rm -f /root/.ssh/id_ed25519; mkdir -p /root/.ssh; ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519;"
                            " cat /root/.ssh/id_ed25519.pub")
        self.run("b", f"mkdir -p /root/.ssh; echo '{key}' >> /root/.ssh/authorized_keys")
        self.run("a", f"scp -q -o StrictHostKeyChecking=no {path} b:{path}", timeout=900)

    def side(self, node):
        """What `inspect` says of the node's partition of the first switch."""
        return next(each for each in self.inspect()["switches"][0]["partitions"] if each["node"] == node)

    def posted_bytes(self, node):
        """Payload of the writes from a node that its switch has seen; not the CPU's through mapped windows."""
        return self.side(node)["traffic"]["from_host"]["posted"]["bytes"]

    def serve_iperf(self, node):
        """Starts an iperf3 server; it listens a moment after its command has returned, which is waited for."""
        self.run(node, "iperf3 -s -D >/dev/null; until ss -Hltn sport = :5201 | grep -q .; do sleep 0.05; done")

    def wait_ping(self):
        """Waits until node a reaches node b over ntb_netdev."""
        wait_for("ping over ntb_netdev", lambda: self.command("a", "ping -c 1 -W 2 b", check=False).returncode == 0)

    def wait_link(self, node, state="up"):
        """Waits until the last link change that the guest's driver reported is `state`."""
        def last():
            events = [line for line in self.status(node) if re.search(r"\blink-(up|down)\b", line)]
            return bool(events) and f"link-{state}" in events[-1]
        wait_for(f"link {state} at {node}", last)


@contextlib.contextmanager
def healthy_cluster(topology, kind=Cluster, arguments=()):
    """A cluster (`ntblab up ARGUMENTS`) whose kernels have nothing to complain of at its end."""
    with kind.up(topology, arguments=arguments) as cluster:
        yield cluster
        for node in cluster.nodes:
            log = cluster.dmesg(node)
            assert kernel_complaints(log) == [], log


OOPS = re.compile(r"BUG:|Oops|WARNING: |general protection fault,|Call Trace|hung task|rcu.*stall|soft lockup|KASAN|unreferenced object|"
                  r"DMA-API: (?!preallocated|debugging enabled)|ODEBUG|inconsistent lock state|possible (?:circular|recursive) locking|"
                  r"suspicious RCU|sleeping function")


def kernel_complaints(log):
    """Lines of a kernel log that no healthy run has."""
    return [line for line in log.splitlines() if OOPS.search(line)]
