# SPDX-License-Identifier: MIT
"""A host that dies or reboots in the middle of a transfer: the other sees the link go down, and all of it returns."""

import signal

import pytest
from support.ntblab_cli import Cluster, kernel_complaints, wait_for

HARDWARE_FIRST = "modprobe ntb_hw_switchtec && modprobe ntb_perf"
CLIENT_FIRST = "modprobe ntb_perf && modprobe ntb_hw_switchtec"


def load(pair, script):
    pair.use_client()
    for node in pair.nodes:
        pair.run(node, f"modprobe -r ntb_hw_switchtec switchtec && {script}")


def start_endless_perf(pair, order):
    run_file = pair.connect_perf(lambda: load(pair, order))
    pair.run("a", f"(while :; do echo 0 > {run_file} || sleep 0.2; done) >/dev/null 2>&1 & echo $! > /tmp/perf.pid")


def kill_and_start(pair, node):
    pair.kill(node, signal.SIGKILL)
    yield
    pair.ntblab("start", f"{pair.name}/{node}")


def reboot(pair, node):
    boots = sum("userspace" in line for line in pair.status(node))
    pair.command(node, "reboot -f", check=False)
    yield
    wait_for(f"{node} booted again",
             lambda: sum("userspace" in line for line in pair.status(node)) > boots and "ssh" in pair.status(node)[-1])


@pytest.mark.parametrize("end", [kill_and_start, reboot])
@pytest.mark.parametrize("order", [HARDWARE_FIRST, CLIENT_FIRST], ids=["hardware-first", "client-first"])
def test_a_peer_that_ends_during_ntb_perf(repeat, run_dir, end, order):
    with Cluster.up("topologies/pair.yaml", run_dir=run_dir) as pair:
        for _ in range(repeat(10)):
            start_endless_perf(pair, order)
            seen = len(pair.status("a"))
            ending = end(pair, "b")
            next(ending)
            wait_for("link down at a", lambda: any("link-down" in line for line in pair.status("a")[seen:]))
            pair.run("a", "kill $(cat /tmp/perf.pid)")
            next(ending, None)
            pair.use_client("ntb_netdev")
            wait_for("ping after the return", lambda: pair.command("a", "ping -c 1 -W 2 b", check=False).returncode == 0)
            for node in pair.nodes:
                assert kernel_complaints(pair.dmesg(node)) == []
