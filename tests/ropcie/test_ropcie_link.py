# SPDX-License-Identifier: MIT
"""Two hosts find each other over the bridge, IP and packets cross it whole, and the link comes back whatever happens to it."""

import re
import signal
import time

import pytest
from ropcie import ropcie_cluster, wait_for
from support.ntblab_cli import IOMMU

# Offset of the register in BAR0 that says which doorbells interrupt (idb_mask), of the first of a pair's two partitions.
DOORBELL_MASK = {"a": 0x75018, "b": 0x79018}
# Takes the doorbells' interrupts away, all but those of messages (bits 60 to 63), or gives them back.
MASK = """
import mmap, os
page, offset = divmod({register}, 4096)
gas = os.open('/sys/bus/pci/devices/{device}/resource0', os.O_RDWR)
words = memoryview(mmap.mmap(gas, 4096, offset=page * 4096)).cast('Q')
old = words[offset // 8]
words[offset // 8] = {value} if {value} else old & (0xf << 60)
print(old)
"""
# Writes into the window to the peer, which lies behind the LUT's 64 windows of 64 KiB in BAR2: random bytes, and slots of the right epoch,
# as `ready` has it, whose fields are random.
SCRIBBLE = """
import mmap, os, random, struct
random.seed({seed})
bar = os.open('/sys/bus/pci/devices/{device}/resource2', os.O_RDWR)
window = mmap.mmap(bar, 2 << 20, offset=64 << 16)
epoch = struct.unpack_from('<I', window, 4)[0]
area = ((2 << 20) - 4096) // 2 // 4096 * 4096
for _ in range(2000):
    number = random.randrange(256)
    slot = 4096 + random.randrange(2) * area + number * 256
    lap = random.randrange(3) * 256
    window[slot:slot + 24] = struct.pack('<IIIIBBHI', lap + number + 1, epoch, random.getrandbits(random.randrange(33)),
        random.getrandbits(random.randrange(33)), random.randrange(6), random.randrange(4), random.getrandbits(random.randrange(17)),
        random.getrandbits(32))
    word = 128 + random.randrange(2) * 128 + random.choice([0, 8, 64])
    window[word:word + 8] = struct.pack('<II', random.getrandbits(random.randrange(33)), epoch)
for _ in range(200):
    at = random.randrange(2 << 20)
    window[at:at + 64] = random.randbytes(min(64, (2 << 20) - at))
"""


@pytest.fixture(scope="module")
def pair():
    """Two nodes with two CPUs, on which the module has been loaded by hand."""
    with ropcie_cluster("tests/ropcie/pair.yaml") as cluster:
        cluster.load("a", "b")
        cluster.wait_ping("a", "b")
        yield cluster


def test_peers_are_permanent_neighbours_without_arp(pair):
    for node, peer in (("a", "b"), ("b", "a")):
        neighbours = wait_for("neighbours", lambda: pair.run(node, "ip neigh show dev ropcie0 nud permanent").splitlines())
        assert f"{pair.address(peer)} lladdr {pair.mac(peer)} PERMANENT" in [line.strip() for line in neighbours]
        assert pair.address6(peer) in pair.run(node, "ip -6 neigh show dev ropcie0 nud permanent")


def test_an_address_that_is_removed_is_no_neighbour_any_more(pair):
    pair.run("b", "ip addr add 10.80.0.77/24 dev ropcie0")
    wait_for("10.80.0.77", lambda: "10.80.0.77" in pair.run("a", "ip neigh show dev ropcie0 nud permanent"))
    pair.run("b", "ip addr del 10.80.0.77/24 dev ropcie0")
    wait_for("no 10.80.0.77", lambda: "10.80.0.77" not in pair.run("a", "ip neigh show dev ropcie0 nud permanent"))


def test_what_an_administrator_has_made_permanent_stays(pair):
    pair.run("a", "ip neigh add 10.80.0.78 lladdr 02:00:00:00:00:78 nud permanent dev ropcie0")
    pair.run("b", "ip addr add 10.80.0.78/24 dev ropcie0; ip addr add 10.80.0.79/24 dev ropcie0")
    wait_for("10.80.0.79", lambda: "10.80.0.79" in pair.run("a", "ip neigh show dev ropcie0 nud permanent"))
    assert "02:00:00:00:00:78" in pair.run("a", "ip neigh show 10.80.0.78 dev ropcie0")
    pair.run("b", "ip addr del 10.80.0.78/24 dev ropcie0; ip addr del 10.80.0.79/24 dev ropcie0")
    pair.run("a", "ip neigh del 10.80.0.78 dev ropcie0")


def test_arp_works_too(pair):
    pair.run("a", f"ip neigh flush dev ropcie0 nud permanent; ip neigh del {pair.address('b')} dev ropcie0 2>/dev/null; true")
    assert pair.pings("a", "b")


def test_ping_of_the_largest_size(pair):
    assert ", 0% packet loss" in pair.run("a", f"ping -q -c 20 -i 0.05 -s 65492 -M do {pair.address('b')}")
    assert ", 0% packet loss" in pair.run("b", f"ping -q -c 20 -i 0.05 {pair.address('a')}")
    assert ", 0% packet loss" in pair.run("b", f"ping -q -c 3 -i 0.05 -s 65000 {pair.address6('a')}")


def test_tcp_both_ways_at_once(pair):
    pair.serve_iperf("b")
    report = pair.run("a", f"iperf3 -J -t 5 --bidir -c {pair.address('b')}", timeout=600)
    pair.run("b", "pkill iperf3")
    received = [int(bytes) for bytes in re.findall(r'"sum_received[a-z_]*":\s*{[^}]*"bytes":\s*(\d+)', report)]
    assert len(received) == 2 and min(received) > 1 << 20


def copy_arrives_whole(pair, mebibytes):
    """A file copied from a to b by scp. (iperf3 does not count what has not been read when its time is over.)"""
    sent = pair.run("a", f"dd if=/dev/urandom of=/tmp/file bs=1M count={mebibytes} 2>/dev/null; sha256sum < /tmp/file")
    pair.run("a", f"scp -q -o StrictHostKeyChecking=no /tmp/file {pair.address('b')}:/tmp/file", timeout=600)
    return pair.run("b", "sha256sum < /tmp/file; rm /tmp/file") == sent


def test_tcp_with_a_small_mtu(pair):
    for node in pair.nodes:
        pair.run(node, "ip link set ropcie0 mtu 1500")
    whole = copy_arrives_whole(pair, 16)
    for node in pair.nodes:
        pair.run(node, "ip link set ropcie0 mtu 65520")
    assert whole


def test_64_mib_arrive_whole(pair):
    assert copy_arrives_whole(pair, 64)


def test_link_settings_are_those_of_the_pcie_link(pair):
    report = pair.run("a", "ethtool ropcie0")
    assert "Speed: 252064Mb/s" in report          # Gen4 x16: 16 lanes of 16 GT/s, 128b/130b
    assert "Duplex: Full" in report
    assert "Link detected: yes" in report
    assert "driver: ropcie" in pair.run("a", "ethtool -i ropcie0")


def test_statistics_count_frames(pair):
    before = pair.statistics("a")
    pair.run("a", f"ping -q -c 10 -i 0.02 -s 1000 {pair.address('b')}")
    after = pair.statistics("a")
    assert after["link0_tx_frames"] >= before["link0_tx_frames"] + 10
    assert after["link0_rx_frames_bytes"] >= before["link0_rx_frames_bytes"] + 10_000
    assert after["link0_protocol_errors"] == 0


def test_packets_are_neither_lost_nor_changed_nor_out_of_order(pair, repeat):
    states = pair.port_test(repeat(100_000), "a", "b")
    for node, peers in states.items():
        assert sorted(state["kind"] for state in peers) == ["loopback", "peer"]
        for state in peers:
            assert (state["sent"], state["received"], state["errors"]) == (repeat(100_000), repeat(100_000), 0), node
        assert any(state["full"] for state in peers if state["kind"] == "peer")     # the ring has been full: room was told of


def test_no_packet_of_one_epoch_is_received_in_another(pair, repeat):
    """Packets that a side still sends when the other has begun anew are neither delivered nor in the way."""
    device = pair.ntb_device("b")
    with pair.port_test_loaded("a", "b"):
        for _ in range(repeat(10)):
            sending = [pair.port_test_send(node, 200_000) for node in pair.nodes]
            time.sleep(0.5)
            # The NTB device loses its driver while packets are underway, and gets it back.
            pair.run("b", f"echo {device} > /sys/bus/ntb/drivers/ropcie/unbind; echo {device} > /sys/bus/ntb/drivers/ropcie/bind")
            assert [process.wait(timeout=60) for process in sending] != [0, 0]
            pair.run("b", f"until [ -d /sys/class/net/ropcie0 ]; do sleep 0.1; done; {pair.addresses('b')}")
            pair.wait_ping("a", "b")
        states = [pair.port_test_state(node) for node in pair.nodes]
        assert all(state["errors"] == 0 for node in states for state in node), states
        assert all(process.wait(timeout=120) == 0 for process in [pair.port_test_send(node, 1000) for node in pair.nodes])


def test_names_of_the_hosts(pair):
    assert ", 0% packet loss" in pair.run("a", "ping -q -c 3 -i 0.1 b.rdma")
    assert ", 0% packet loss" in pair.run("b", "ping -q -c 3 -i 0.1 a.rdma")


def test_device_in_a_network_namespace(pair):
    pair.run("a", f"ip netns add apart; ip link set ropcie0 netns apart; ip netns exec apart sh -c '{pair.addresses('a')}'")
    wait_for("ping from the namespace", lambda: pair.command(
        "a", f"ip netns exec apart ping -q -c 3 -i 0.1 -W 2 {pair.address('b')}", check=False).returncode == 0)
    assert pair.mac("b") in pair.run("a", f"ip netns exec apart ip neigh show {pair.address('b')} nud permanent")
    # The device comes back when its namespace ends.
    pair.run("a", f"ip netns del apart; until [ -d /sys/class/net/ropcie0 ]; do sleep 0.1; done; {pair.addresses('a')}")
    pair.wait_ping("a", "b")


def test_lost_doorbells_delay_but_do_not_stop(pair):
    device = pair.ntb_device("b")
    old = pair.run("b", f'python3 -c "{MASK.format(register=DOORBELL_MASK["b"], device=device, value=0)}"')
    before = pair.statistics("b")["link0_found_early"] + pair.statistics("b")["link0_found_late"]
    report = pair.run("a", f"ping -q -c 10 -i 0.3 -W 5 {pair.address('b')}")
    after = pair.statistics("b")["link0_found_early"] + pair.statistics("b")["link0_found_late"]
    pair.run("b", f'python3 -c "{MASK.format(register=DOORBELL_MASK["b"], device=device, value=old)}"')
    assert ", 0% packet loss" in report
    assert after > before
    pair.wait_ping("a", "b")


def test_device_down_and_up(pair, repeat):
    for _ in range(repeat(10)):
        for node in pair.nodes:
            pair.run(node, "ip link set ropcie0 down && ip link set ropcie0 up")
            pair.wait_ping("a", "b")
            wait_for("neighbours again", lambda: pair.run(node, "ip -4 neigh show dev ropcie0 nud permanent"))


def test_module_reloaded_on_either_side_in_any_order(pair, repeat):
    orders = [("a", "b"), ("b", "a"), ("a",), ("b",)]
    macs = [pair.mac(node) for node in pair.nodes]
    for turn in range(repeat(20)):
        order = orders[turn % len(orders)]
        pair.unload(*order)
        pair.load(*(order if turn // len(orders) % 2 else reversed(order)))
        pair.wait_ping("a", "b")
        pair.wait_ping("b", "a")
    assert [pair.mac(node) for node in pair.nodes] == macs


def test_module_reloaded_under_load(pair, repeat):
    pair.serve_iperf("b")
    for _ in range(repeat(10)):
        pair.run("a", f"timeout 20 iperf3 -t 20 -c {pair.address('b')} >/dev/null 2>&1 & sleep 0.5")
        pair.unload("b")
        pair.wait_carrier("a", False)
        pair.load("b")
        pair.wait_ping("a", "b")
        pair.run("a", "pkill iperf3; true")
    pair.run("b", "pkill iperf3; true")


def test_silent_peer_is_lost_and_comes_back(pair):
    pair.run("a", "echo 2 > /sys/module/ropcie/parameters/heartbeat_timeout")
    pair.kill("b", signal.SIGSTOP)
    try:
        pair.wait_carrier("a", False)
    finally:
        pair.kill("b", signal.SIGCONT)
    pair.run("a", "echo 10 > /sys/module/ropcie/parameters/heartbeat_timeout")
    pair.wait_ping("a", "b")
    assert "no sign of life" in pair.dmesg("a")


def test_scribbles_of_a_peer_end_the_link_at_most(pair, repeat):
    """What a has in its window to b is overwritten past the driver, by bytes that look like slots and by any others."""
    device = pair.ntb_device("a")
    for seed in range(repeat(10)):
        pair.run("a", f'python3 -c "{SCRIBBLE.format(device=device, seed=seed)}"')
        pair.run("a", f"ping -q -c 5 -i 0.01 -W 1 {pair.address('b')}; true")
        pair.wait_ping("a", "b")
        pair.wait_ping("b", "a")
    assert pair.statistics("b")["link0_protocol_errors"] > 0


def test_ntb_driver_reloaded_on_one_side(pair, repeat):
    for turn in range(repeat(10)):
        node = pair.nodes[turn % 2]
        pair.run(node, f"rmmod ntb_hw_switchtec && modprobe ntb_hw_switchtec && {pair.addresses(node)}")
        pair.wait_ping("a", "b")


def test_ntb_drivers_reloaded_on_both_sides_at_once(pair, repeat):
    """ntb_hw_switchtec may force the link down just after it came up, and say nothing more of it (README, Limits)."""
    for _ in range(repeat(10)):
        script = "rmmod ntb_hw_switchtec && modprobe ntb_hw_switchtec"
        reloads = [pair.start(node, script) for node in pair.nodes]
        assert all(process.wait(timeout=120) == 0 for process in reloads)
        for node in pair.nodes:
            pair.run(node, pair.addresses(node))
        pair.wait_ping("a", "b")


@pytest.mark.skipif(IOMMU, reason="Linux 6.12 learns the peer's requester IDs of a device that is plugged in after its IOMMU domain is set up")
def test_hot_unplug_and_plug(pair):
    device = pair.ntb_device("b")
    pair.run("b", f"echo 1 > /sys/bus/pci/devices/{device}/remove")
    pair.wait_carrier("a", False)
    assert "ropcie0" not in pair.run("b", "ip -br link")
    pair.run("b", f"echo 1 > /sys/bus/pci/rescan; until [ -d /sys/class/net/ropcie0 ]; do sleep 0.1; done; {pair.addresses('b')}")
    pair.wait_ping("a", "b")


def test_peer_reboots(pair, repeat):
    mac = pair.mac("b")
    for _ in range(repeat(5)):
        boots = sum("ssh" in line for line in pair.status("b"))
        pair.command("b", "reboot -f", check=False)
        pair.wait_carrier("a", False)
        wait_for("b again", lambda: sum("ssh" in line for line in pair.status("b")) > boots)
        wait_for("NTB device of b", lambda: pair.run("b", "ls /sys/bus/ntb/devices"))
        pair.load("b")
        pair.wait_ping("a", "b")
        assert pair.carrier("a")
        assert pair.mac("b") == mac


def test_peer_is_killed_under_load(pair, repeat):
    pair.serve_iperf("b")
    for _ in range(repeat(5)):
        pair.run("a", f"timeout 20 iperf3 -t 20 -c {pair.address('b')} >/dev/null 2>&1 & sleep 0.5")
        pair.kill("b", signal.SIGKILL)
        pair.wait_carrier("a", False)
        pair.run("a", "pkill iperf3; true")
        pair.ntblab("start", f"{pair.name}/b")
        wait_for("NTB device of b", lambda: pair.run("b", "ls /sys/bus/ntb/devices"))
        pair.load("b")
        pair.wait_ping("a", "b")
        pair.serve_iperf("b")
