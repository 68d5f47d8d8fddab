# SPDX-License-Identifier: MIT
"""A host that dies or reboots in the middle of a transfer: the other sees the link go down, and all of it returns."""

import signal

import pytest
from support.ntblab_cli import Cluster, kernel_complaints, wait_for

HARDWARE_FIRST = "modprobe ntb_hw_switchtec && modprobe ntb_netdev"
CLIENT_FIRST = "modprobe ntb_transport && modprobe ntb_hw_switchtec && modprobe ntb_netdev"


def load(pair, order):
    pair.use_client()
    for node in pair.nodes:
        pair.run(node, f"modprobe -r ntb_hw_switchtec switchtec && {order}")
    pair.wait_ping()


def start_endless_perf(pair):
    run_file = pair.connect_perf()
    pair.run("a", f"setsid sh -c 'echo $$ > /tmp/perf.pid; while :; do echo 0 > {run_file} || sleep 0.2; done' >/dev/null 2>&1 &")


def kill_and_start(pair, node):
    pair.kill(node, signal.SIGKILL)
    yield
    pair.ntblab("start", f"{pair.name}/{node}")


def reboot(pair, node):
    boots = pair.status(node).count("ssh")
    pair.command(node, "reboot -f", check=False)
    yield
    wait_for(f"{node} booted again", lambda: pair.status(node).count("ssh") > boots)


@pytest.mark.parametrize("end", [kill_and_start, reboot])
@pytest.mark.parametrize("order", [HARDWARE_FIRST, CLIENT_FIRST], ids=["hardware-first", "client-first"])
def test_a_peer_that_ends_during_ntb_perf(repeat, run_dir, end, order):
    with Cluster.up("tests/system/pair-without-clients.yaml", run_dir=run_dir) as pair:
        for _ in range(repeat(10)):
            load(pair, order)
            start_endless_perf(pair)
            seen = len(pair.status("a"))
            ending = end(pair, "b")
            next(ending)
            wait_for("link down at a", lambda: any("link-down" in line for line in pair.status("a")[seen:]))
            pair.run("a", "kill -- -$(cat /tmp/perf.pid)")
            next(ending, None)
            pair.use_client("ntb_netdev")
            pair.wait_ping()
            for node in pair.nodes:
                assert kernel_complaints(pair.dmesg(node)) == []
