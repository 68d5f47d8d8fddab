# SPDX-License-Identifier: MIT
"""Failures that users of the hardware reported, with the unmodified drivers: the same set-up has the same symptom here.

Numbers are those of issues and pull requests of github.com/Microsemi/switchtec-kernel; tests/README.md has the whole table."""

import re

import pytest
from support.nt_endpoint import CONFIGURE, LOCK, LOCKED, NTB_CTRL, NTB_CTRL_STRIDE
from support.ntblab_cli import IOMMU, Cluster, kernel_complaints, wait_for
from support.switchtec_device import SwitchtecDevice

MIB = 1 << 20
WAITS = 0x40030004  # in the switch's log: somebody waits for the lock of a control block
HARDWARE = "modules: [ntb_hw_switchtec]"


@pytest.fixture
def cluster_of(run_dir, tmp_path):
    """Brings the pair of a and b up with fields of both, of b, of the switch and of the pair; their kernels must not complain."""
    clusters = []

    def up(both="", b="", switch="", pair="[a, b]"):
        topology = tmp_path / "topology.yaml"
        topology.write_text(f"name: regression\ndefaults: {{{both}}}\nnodes: {{a: {{}}, b: {{{b}}}}}\n"
                            f"switches: {{sw0: {{{switch}nt-pairs: [{pair}]}}}}\n")
        clusters.append(Cluster.up(topology, run_dir=run_dir))
        return clusters[-1]
    yield up
    for cluster in clusters:
        for node in cluster.nodes:
            assert kernel_complaints(cluster.dmesg(node)) == []


def complaints_of_driver(cluster, node):
    """What the drivers logged as errors, without time stamps and devices."""
    lines = cluster.run(node, "dmesg --level err,warn | grep switchtec; true").splitlines()
    return [re.sub(r"^\[[^]]*\] \S+ \S+: ", "", line) for line in lines]


def failed_probe(cluster, node, error):
    """Loads the driver on one node, whose probe must fail with `error`; returns its complaints.

    Not on the other: a control block whose set-up was refused stays locked, and its own host's driver waits for it a minute."""
    cluster.run(node, "modprobe ntb_hw_switchtec")
    wait_for(f"error {error} at {node}", lambda: f"failed to register ntb device: {error}" in complaints_of_driver(cluster, node))
    assert cluster.run(node, "ls /sys/bus/ntb/devices; test -c /dev/switchtec0") == ""
    return complaints_of_driver(cluster, node)


def link_up_by_tool(cluster):
    """Loads ntb_tool everywhere, waits for the link, returns each node's directory of it for its peer."""
    cluster.use_client("ntb_tool")
    peers = {node: f"/sys/kernel/debug/ntb_tool/{cluster.ntb_device(node)}/peer0" for node in cluster.nodes}
    for node, peer in peers.items():
        cluster.run(node, f"echo Y > {peer}/../link")
    for node, peer in peers.items():
        cluster.run(node, f"echo Y > {peer}/link_event")
    return peers


def told(cluster, node, file, what):
    """A number of several in a file of ntb_tool."""
    return int(re.search(rf"^{what}\s+(0x[0-9a-f]+)", cluster.run(node, f"cat {file}"), re.MULTILINE)[1], 16)


def open_window(cluster, peers, index, size):
    """Shows `size` bytes of b's to a."""
    cluster.run("b", f"echo {size} > {peers['b']}/mw_trans{index}")
    address = told(cluster, "b", f"{peers['b']}/mw_trans{index}", "DMA Address")
    cluster.run("a", f"echo {address}:{size} > {peers['a']}/peer_mw_trans{index}")


def check_crossing(cluster, peers, index, at):
    """What a writes to the page at `at` of its window is what b reads there."""
    write = f"open('/tmp/page', 'wb').write(p := os.urandom(4096)); os.pwrite(os.open('{peers['a']}/peer_mw{index}', os.O_WRONLY), p, {at})"
    cluster.run("a", f'python3 -c "import os; {write}"')
    read = f"sys.stdout.buffer.write(os.pread(os.open('{peers['b']}/mw{index}', os.O_RDONLY), 4096, {at}))"
    assert cluster.run("b", f'python3 -c "import os, sys; {read}" | sha256sum') == cluster.run("a", "sha256sum < /tmp/page")


def test_lut_windows_larger_than_the_bar_end_the_probe_with_00030002(cluster_of):  # issue 109
    cluster = cluster_of(both="modules: [], windows: {bar2: 2M}")
    assert "Error setting up reserved lut window: 00030002 / 00000000" in failed_probe(cluster, "a", -5)


def test_a_host_that_counts_more_lut_windows_than_its_peer_has_fails_at_its_peers_block(cluster_of):
    cluster = cluster_of(both="modules: []", b="windows: {lut-entries: 32}")
    assert "Error setting up reserved lut window: 00000000 / 00010020" in failed_probe(cluster, "a", -5)


def test_direct_window_of_the_shared_bar_is_no_larger_than_its_lut_region(cluster_of):  # issue 94
    cluster = cluster_of(both=f"{HARDWARE}, windows: {{lut-entries: 16, bar4: 4G}}")
    cluster.reload_driver(f"max_mw_size={1 << 40}")
    peers = link_up_by_tool(cluster)
    for node, peer in peers.items():
        assert told(cluster, node, f"{peer}/peer_mw_trans0", "Mapping Size") == 16 * 64 << 10
        assert told(cluster, node, f"{peer}/peer_mw_trans1", "Mapping Size") == 4096 * MIB  # issue 8
        assert complaints_of_driver(cluster, node) == []


def test_all_windows_are_in_bar4_where_there_is_no_bar2(cluster_of):
    cluster = cluster_of(both=f"{HARDWARE}, windows: {{bar2: 0, bar4: 16M, lut-entries: 32}}")
    peers = link_up_by_tool(cluster)
    open_window(cluster, peers, 0, MIB)
    for at in (0, MIB - 4096):
        check_crossing(cluster, peers, 0, at)
    assert [(window["bar"], window["offset"]) for switch in cluster.inspect()["switches"] for partition in switch["partitions"]
            for window in partition["windows"] if partition["node"] == "a"] == [(4, 0), (4, 32 * 64 << 10)]


def test_a_window_of_64_mib_reaches_its_last_byte(cluster_of):  # issues 13, 26, 93: larger than 16 MiB
    # Debian's kernel has no CMA: only an IOMMU makes one range for devices of so many pages.
    cluster = cluster_of(both=f"{HARDWARE}, iommu: true")
    cluster.reload_driver(f"max_mw_size={64 * MIB}")
    peers = link_up_by_tool(cluster)
    open_window(cluster, peers, 1, 64 * MIB)
    for at in (0, 16 * MIB, 64 * MIB - 4096):
        check_crossing(cluster, peers, 1, at)
    for node in cluster.nodes:
        assert complaints_of_driver(cluster, node) == []


def test_a_driver_waits_for_the_lock_that_the_other_host_has(cluster_of, repeat):  # pulls 48, 49; issues 107, 112
    cluster = cluster_of(both=f"{HARDWARE}, cmdline: iomem=relaxed")
    cluster.reload_driver()
    cluster.run("a", "rmmod ntb_hw_switchtec")  # a sets windows of b's up, in b's control block, by this test
    status, operation = NTB_CTRL + NTB_CTRL_STRIDE, NTB_CTRL + NTB_CTRL_STRIDE + 4
    waits_of_b = (WAITS, 1, 1)
    with SwitchtecDevice(cluster, "a") as device:
        for _ in range(repeat(20)):
            cluster.run("b", "rmmod ntb_hw_switchtec; rm -f /tmp/code")
            device.store(operation, LOCK)
            wait_for("the lock", lambda: device.load(status) & 0xFFFFFF == LOCKED)  # by partition 0
            waited = [entry[1:4] for entry in device.log(13)].count(waits_of_b)
            cluster.run("b", "(modprobe ntb_hw_switchtec; echo $? >/tmp/code) >/tmp/log 2>&1 &")
            wait_for("b at the lock", lambda: [entry[1:4] for entry in device.log(13)].count(waits_of_b) > waited)
            assert cluster.command("b", "test -s /tmp/code", check=False).returncode != 0, "b's probe ended while a had the lock"
            device.store(operation, CONFIGURE)
            assert cluster.run("b", "until test -s /tmp/code; do sleep 0.1; done; cat /tmp/code /tmp/log") == "0"
            assert cluster.run("b", "ls /sys/bus/ntb/devices") == cluster.ntb_device("b")
    assert complaints_of_driver(cluster, "b") == []


@pytest.mark.skipif(IOMMU, reason="quirk_switchtec_ntb_dma_alias of Linux 6.12 reads bits 32 to 47 of ep_map 32 bytes too far: no proxy IDs")
@pytest.mark.parametrize("partitions", [[3, 40], [40, 3]])
def test_partition_40_of_48(cluster_of, partitions):  # commit fab53ce
    cluster = cluster_of(switch="partitions: 48, ", pair=f"{{nodes: [a, b], partitions: {partitions}}}")
    cluster.wait_ping()
    for node in cluster.nodes:
        assert complaints_of_driver(cluster, node) == []


def test_partition_40_takes_its_peer_8_for_itself_as_linux_does(cluster_of):  # commit fab53ce
    # ntb_hw_switchtec of Linux 6.12 clears its own bit, `1 << 40`, which is bit 8 on x86.
    cluster = cluster_of(both="modules: []", switch="partitions: 48, ", pair="{nodes: [a, b], partitions: [8, 40]}")
    assert "ntb target partition is not NT partition" in failed_probe(cluster, "b", -19)
    cluster.run("a", "modprobe ntb_hw_switchtec")
    wait_for("a's probe", lambda: cluster.run("a", "ls /sys/bus/ntb/devices") == cluster.ntb_device("a"))


def test_without_message_signalled_interrupts_the_driver_finds_too_few_vectors(cluster_of):  # issues 4, 47
    cluster = cluster_of(both=HARDWARE, b="cmdline: pci=nomsi")
    assert re.search(r"switchtec 0000:01:00.0: probe with driver switchtec failed with error -22", cluster.dmesg("b"))
    assert cluster.run("b", "ls /sys/bus/ntb/devices; ls /dev | grep switchtec; true") == ""
    wait_for("a's probe", lambda: cluster.run("a", "ls /sys/bus/ntb/devices") == cluster.ntb_device("a"))
