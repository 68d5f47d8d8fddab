# SPDX-License-Identifier: MIT
"""Peers' accesses go through a host's IOMMU: what its kernel has mapped for the NTB works, all else faults and changes nothing."""

import re

import pytest
from support.host_memory import guest_memory, window_target
from support.ntblab_cli import Cluster, kernel_complaints, wait_for

LUT_WINDOWS = 64 * 65536  # before the direct window in BAR2
# In node b: opens the direct window in its BAR4 onto any address of a, whatever a's drivers have set up, and uses it.
INTRUDER = """
import mmap, os, sys, time
address, stored = int(sys.argv[1], 0), int(sys.argv[2], 0)
def bar(index, offset):
    file = os.open(f'/sys/bus/pci/devices/{device}/resource{{index}}', os.O_RDWR)
    return memoryview(mmap.mmap(file, 4096, offset=offset))
control = bar(0, 0x14000 + 0x2000)                 # the NTB control block of partition 1
word, long = control.cast('I'), control.cast('Q')
def operate(operation, wanted):
    word[1] = operation
    while word[0] & 0xFFFF in (3, 4, 5):
        time.sleep(0.01)
    assert word[0] & 0xFFFF == wanted, hex(word[0])
operate(1, 2)
word[0x80 // 4] |= 1 << 4                          # BAR4: direct window
word[0x84 // 4], word[0xE0 // 4] = 12 | 4096, 0
long[0x88 // 8] = address                          # at partition 0
operate(2, 1)
window = bar(4, 0).cast('Q')
window[0] = stored
print(hex(window[0]))
"""


@pytest.fixture(scope="module")
def guarded():
    with Cluster.up("tests/system/pair-with-iommu.yaml") as cluster:
        cluster.put("b", "/tmp/intruder", INTRUDER.format(device=cluster.ntb_device("b")).encode())
        yield cluster
        for node in cluster.nodes:
            assert kernel_complaints(cluster.dmesg(node)) == []


def faults(cluster, node):
    """(kind, requester, address) of the IOMMU faults in a node's kernel log."""
    found = re.findall(r"DMAR: \[DMA (Read|Write) NO_PASID\] Request device \[(\S+)\] fault addr (0x[0-9a-f]+)", cluster.dmesg(node))
    return [(kind, requester, int(address, 16)) for kind, requester, address in found]


def intrude(cluster, address, stored):
    """What node b reads at `address` of node a after it has stored there."""
    return int(cluster.run("b", f"python3 /tmp/intruder 0x{address:x} 0x{stored:x}"), 16)


def test_the_kernel_uses_the_iommu(guarded):
    for node in guarded.nodes:
        assert guarded.run(node, f"ls /sys/bus/pci/devices/{guarded.ntb_device(node)}/iommu_group/devices") != ""
        assert "DMAR: IOMMU enabled" in guarded.dmesg(node)


def test_netdev_traffic_crosses_without_a_fault(guarded):
    guarded.use_client("ntb_netdev")
    guarded.wait_ping()
    guarded.serve_iperf("b")
    report = guarded.run("a", "iperf3 -J -n 64M -c b")
    guarded.run("b", "pkill iperf3")
    assert int(re.search(r'"sum_received":\s*{[^}]*"bytes":\s*(\d+)', report)[1]) >= 64 << 20
    for node in guarded.nodes:
        assert faults(guarded, node) == []


def test_access_to_what_is_not_mapped_faults_and_changes_nothing(guarded):
    guarded.use_client()
    address, stored = 0x20000000, 0x4B435454412D4E41
    before = len(faults(guarded, "a"))
    assert intrude(guarded, address, stored) == 2**64 - 1
    assert stored.to_bytes(8, "little") not in guest_memory(guarded, "a").read(address, 4096)
    seen = wait_for("faults in a's log", lambda: faults(guarded, "a")[before:])
    assert all(fault[1:] == ("01:01.0", address) for fault in seen), "not the proxy ID of b's root complex, or another address"
    assert ("Write", "01:01.0", address) in seen
    assert faults(guarded, "b") == []


def test_message_signalled_interrupt_from_a_peer_is_no_memory(guarded):
    """A peer's write to the interrupt addresses is not translated; one that means nothing is dropped."""
    guarded.use_client()
    before = len(faults(guarded, "a"))
    intrude(guarded, 0xFEE00000, 0)
    assert faults(guarded, "a")[before:] == []
    assert guarded.run("a", "echo alive") == "alive"


def test_mapped_memory_is_reached_until_the_kernel_unmaps_it(guarded):
    run_file = guarded.connect_perf("max_mw_size=65536")
    guarded.run("a", f"echo 0 > {run_file}")
    address, _ = wait_for("a window to a", lambda: window_target(guarded.inspect(), "b", bar=2, offset=LUT_WINDOWS))
    before = len(faults(guarded, "a"))
    for stored in (0x1111222233334444, 0x5555666677778888):
        assert intrude(guarded, address, stored) == stored
    assert faults(guarded, "a")[before:] == []
    guarded.use_client()
    assert intrude(guarded, address, 0x9999AAAABBBBCCCC) == 2**64 - 1
    assert ("Write", "01:01.0", address) in wait_for("faults in a's log", lambda: faults(guarded, "a")[before:])
