# SPDX-License-Identifier: MIT
"""Data crosses, through each of the kernel's own NTB clients."""

import re

from support.ntblab_cli import wait_for


def test_ntb_netdev_ping_and_tcp(pair):
    pair.use_client("ntb_netdev")
    pair.wait_ping()
    assert ", 0% packet loss" in pair.run("b", "ping -q -c 20 -i 0.05 a")
    pair.serve_iperf("b")
    report = pair.run("a", "iperf3 -J -n 64M -c b")
    pair.run("b", "pkill iperf3")
    assert int(re.search(r'"sum_received":\s*{[^}]*"bytes":\s*(\d+)', report)[1]) >= 64 << 20


def test_scp_of_64_mib_arrives_whole(pair):
    pair.use_client("ntb_netdev")
    pair.wait_ping()
    sent = pair.run("a", "dd if=/dev/urandom of=/tmp/file bs=1M count=64 2>/dev/null; sha256sum < /tmp/file")
    pair.scp("/tmp/file")
    assert pair.run("b", "sha256sum < /tmp/file; rm /tmp/file") == sent


def test_ntb_pingpong_counts_on_both_sides(pair):
    pair.use_client("ntb_pingpong delay_ms=0 unsafe=1")
    for node in pair.nodes:
        count = f"cat /sys/kernel/debug/ntb_pingpong/{pair.ntb_device(node)}/count"
        first = int(pair.run(node, count))
        wait_for(f"1000 more doorbells at {node}", lambda: int(pair.run(node, count)) >= first + 1000)


def test_a_peer_is_unreachable_without_an_interface_to_it(pair):
    """Not by way of QEMU's user network, which answers pings to anybody."""
    pair.use_client("ntb_pingpong")
    for name in ("b", "b.rdma"):
        said = pair.command("a", f"ping -c 1 -W 1 {name}", check=False)
        assert said.returncode != 0 and "No route to host" in said.stderr
    pair.use_client("ntb_netdev")
    pair.wait_ping()
