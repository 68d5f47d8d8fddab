# SPDX-License-Identifier: MIT
"""Data crosses, through each of the kernel's own NTB clients."""

import hashlib
import re
import zlib

import pytest
from support.host_memory import guest_memory, window_target
from support.ntblab_cli import Cluster, wait_for

WINDOW = 1 << 20
LUT_WINDOWS = 64 * 65536  # before the direct window in BAR2


def test_ntb_netdev_ping_and_tcp(pair):
    pair.use_client("ntb_netdev")
    pair.wait_ping()
    assert "0% packet loss" in pair.run("b", "ping -q -c 20 -i 0.05 a")
    pair.run("b", "iperf3 -s -1 -D >/dev/null")
    report = pair.run("a", "iperf3 -J -n 64M -c b")
    assert int(re.search(r'"sum_received":\s*{[^}]*"bytes":\s*(\d+)', report)[1]) >= 64 << 20


def test_scp_of_64_mib_arrives_whole(pair):
    pair.use_client("ntb_netdev")
    pair.wait_ping()
    # Guests trust no key of each other's; this test gives b's root a key of a's.
    key = pair.run("a", "rm -f /root/.ssh/id_ed25519; mkdir -p /root/.ssh; ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519; cat /root/.ssh/id_ed25519.pub")
    pair.run("b", f"mkdir -p /root/.ssh; echo '{key}' >> /root/.ssh/authorized_keys")
    sent = pair.run("a", "dd if=/dev/urandom of=/tmp/file bs=1M count=64 2>/dev/null; sha256sum < /tmp/file")
    pair.run("a", "scp -q -o StrictHostKeyChecking=no /tmp/file b:/tmp/file", timeout=600)
    assert pair.run("b", "sha256sum < /tmp/file; rm /tmp/file") == sent


@pytest.fixture
def perf_pair(run_dir):
    with Cluster.up("tests/system/pair-without-clients.yaml", run_dir=run_dir) as cluster:
        yield cluster


def test_ntb_perf_writes_the_far_side_memory(perf_pair):
    pair = perf_pair
    run_file = pair.connect_perf(f"total_order=24 chunk_order=16 max_mw_size={WINDOW}")
    address, size = window_target(pair.inspect(), "a", bar=2, offset=LUT_WINDOWS)
    assert size == WINDOW
    # A pattern of ours first, so that every byte that ntb_perf did not write would be seen.
    pattern = b"\xa5ntblab\x5a" * (WINDOW // 8)
    guest_memory(pair, "b").write(address, pattern)
    pair.run("a", f"echo 0 > {run_file}")
    assert re.search(r"copied 16777216 bytes", pair.run("a", f"cat {run_file}"))
    after = guest_memory(pair, "b").read(address, WINDOW)
    page = 4096
    assert not any(pattern[:page] == after[at:at + page] for at in range(0, WINDOW, page)), "a page was not written"
    assert len(zlib.compress(after)) > 0.99 * WINDOW, "ntb_perf sends random bytes; these are not"
    through_window = pair.run("a", f"""python3 - <<'PROGRAM'
import hashlib, mmap, os
fd = os.open('/sys/bus/pci/devices/{pair.ntb_device("a")}/resource2', os.O_RDWR)
window = mmap.mmap(fd, {WINDOW}, offset={LUT_WINDOWS})
print(hashlib.sha256(window[:]).hexdigest())
PROGRAM""")
    assert through_window == hashlib.sha256(after).hexdigest()


def test_ntb_pingpong_counts_on_both_sides(pair):
    pair.use_client("ntb_pingpong delay_ms=0 unsafe=1")
    for node in pair.nodes:
        count = f"cat /sys/kernel/debug/ntb_pingpong/{pair.ntb_device(node)}/count"
        first = int(pair.run(node, count))
        wait_for(f"1000 more doorbells at {node}", lambda: int(pair.run(node, count)) >= first + 1000)
