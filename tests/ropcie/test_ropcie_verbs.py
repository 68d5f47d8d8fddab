# SPDX-License-Identifier: MIT
"""The RDMA device between two hosts: what tools say of it, every byte of random requests, and users whose device goes away."""

import contextlib
import json
import random
import re

import pytest
from ropcie import wait_for
from support.ntblab_cli import IOMMU, LIMIT
from support.repeat import BEFORE_RELEASE

# Starts a process that has the device open, a queue pair and memory of it, and waits.
WAITING_USER = "ibv_rc_pingpong -d ropcie0 -g 1 >/dev/null 2>&1 & echo $! > /tmp/user.pid"


def resources(pair, node):
    """How many of each kind of object there are; 1 QP and the like are the kernel's own."""
    return json.loads(pair.run(node, "rdma -j resource show"))[0]


def stress(pair, seconds, seed):
    """Both ends of ropcie-stress; returns what they said at their end."""
    said = pair.meet(f"ropcie-stress -t {seconds} -s {seed}", f"ropcie-stress -t {seconds} -s {seed} {{server}}", "tcp", limit=seconds + LIMIT)
    said += pair.run("b", "cat /tmp/server.log")
    print(said)     # the seed, too
    return said


def test_tools_describe_the_device(pair):
    assert "link ropcie0/1 state ACTIVE physical_state LINK_UP netdev ropcie0" in pair.run("a", "rdma link")
    said = pair.run("a", "ibv_devinfo -v -d ropcie0")
    for line in (r"state:\s+PORT_ACTIVE", r"link_layer:\s+Ethernet", r"active_mtu:\s+4096", r"GID\[\s*1\]:\s+::ffff:10.80.0.1, RoCE v2"):
        assert re.search(line, said), said
    assert pair.run("a", "ls /sys/class/infiniband/ropcie0/device/net") == "ropcie0"
    assert not re.search(r"node_guid:\s+(0000:){3}0000", said)
    assert pair.run("a", "cat /sys/class/infiniband/ropcie0/ropcie_abi") == "1"
    assert "Warning" not in pair.command("a", "IBV_SHOW_WARNINGS=1 ibv_devices").stderr


def test_objects_are_listed_with_their_users(pair):
    before = resources(pair, "a")
    pair.run("a", WAITING_USER)
    wait_for("the queue pair", lambda: "ibv_rc_pingpong" in pair.run("a", "rdma resource show qp"))
    assert "type RC state INIT" in pair.run("a", "rdma resource show qp link ropcie0/1 | grep ibv_rc")
    assert "comm ibv_rc_pingpong" in pair.run("a", "rdma resource show mr") and "comm ibv_rc_pingpong" in pair.run("a", "rdma resource show cq")
    pair.run("a", "kill $(cat /tmp/user.pid)")
    wait_for("its end", lambda: resources(pair, "a") == before)


def test_counters_count(pair):
    def counters():
        return {name: int(value) for name, value in re.findall(r"(\w+) (\d+)", pair.run("a", "rdma statistic show link ropcie0/1"))}
    before = counters()
    pair.meet("ibv_rc_pingpong -d ropcie0 -g 1 -n 100", "ibv_rc_pingpong -d ropcie0 -g 1 -n 100 {server}", "tcp")
    after = counters()
    assert after["sent_packets"] >= before["sent_packets"] + 100 and after["rcvd_packets"] >= before["rcvd_packets"] + 100
    assert {name: after[name] - before[name] for name in ("bad_packets", "bad_rings", "timeouts", "retry_exceeded")} == {
        "bad_packets": 0, "bad_rings": 0, "timeouts": 0, "retry_exceeded": 0}


def test_the_port_tells_its_state(pair):
    pair.run("a", "stdbuf -oL ibv_asyncwatch -d ropcie0 > /tmp/events.log 2>&1 & echo $! > /tmp/watch.pid")
    wait_for("the watcher", lambda: "FD" in pair.run("a", "cat /tmp/events.log"))
    pair.run("a", "ip link set ropcie0 down")
    assert "state DOWN" in pair.run("a", "rdma link")
    pair.run("a", f"{pair.addresses('a')}")
    assert "state ACTIVE" in pair.run("a", "rdma link")
    pair.run("b", "rmmod ropcie")
    wait_for("its peer's end", lambda: "state DOWN" in pair.run("a", "rdma link"))
    pair.load("b")
    wait_for("its peer", lambda: "state ACTIVE" in pair.run("a", "rdma link"))
    def events():
        return re.findall(r"IBV_EVENT_PORT_(ACTIVE|ERR)", pair.run("a", "cat /tmp/events.log"))
    wait_for("four events", lambda: len(events()) >= 4)
    pair.run("a", "kill $(cat /tmp/watch.pid)")
    assert events() == ["ERR", "ACTIVE"] * 2
    assert_usable(pair)


def test_the_provider_knows_a_device_that_udev_has_renamed(pair):
    pair.run("a", "/usr/lib/systemd/systemd-udevd --daemon && udevadm trigger -s infiniband -c add -w && udevadm control --exit")
    name = pair.run("a", "ls /sys/class/infiniband")
    try:
        assert name == "rocep1s0"
        assert "E: ID_RDMA_ROCE=1" in pair.run("a", f"udevadm info /sys/class/infiniband/{name}")
        pair.meet("ibv_rc_pingpong -d ropcie0 -g 1", f"ibv_rc_pingpong -d {name} -g 1 {{server}}", "tcp")
    finally:
        pair.run("a", f"rdma dev set {name} name ropcie0")


def test_every_byte_of_random_requests(pair):
    """A minute; ten with NTBLAB_REPEAT_PERCENT=100."""
    before = {node: resources(pair, node) for node in pair.nodes}
    said = stress(pair, 600 if BEFORE_RELEASE else 60, random.randrange(1 << 30))
    assert len(re.findall(r"^ok: [1-9]\d* requests, [1-9]\d* messages received", said, re.M)) == 2, said
    for node in pair.nodes:
        wait_for("the end of all objects", lambda: resources(pair, node) == before[node])


def test_a_process_that_scribbles_in_its_rings_harms_nobody_else(pair, repeat):
    pair.run("a", f"ropcie-ring-fuzz -t {repeat(60)} > /tmp/fuzz.log 2>&1 & echo $! > /tmp/fuzz.pid")
    said = stress(pair, repeat(60), 3)
    assert len(re.findall(r"^ok: ", said, re.M)) == 2, said
    wait_for("the scribbler's end", lambda: pair.command("a", "kill -0 $(cat /tmp/fuzz.pid)", check=False).returncode != 0)
    assert int(re.search(r"bad_rings (\d+)", pair.run("a", "rdma statistic show link ropcie0/1"))[1]) > 0


def test_what_has_once_gone_wrong(pair):
    assert pair.run("a", "ropcie-regress") == "ok"


@contextlib.contextmanager
def transfer(pair):
    """A running transfer, whose two ends (processes of a and of b) have ended with an error when the `with` block is over."""
    serving = pair.start("b", "ropcie-stress -t 600 > /tmp/server.log 2>&1")
    wait_for("the server", lambda: pair.command("b", "ss -Hltnp | grep -q ropcie-stress", check=False).returncode == 0)
    asking = pair.start("a", f"ropcie-stress -t 600 {pair.address('b')} > /tmp/client.log 2>&1")
    wait_for("the transfer", lambda: "state RTS" in pair.run("a", "rdma resource show qp | grep stress; true"))
    yield
    assert asking.wait(timeout=LIMIT) != 0 and serving.wait(timeout=LIMIT) != 0


def assert_usable(pair):
    pair.wait_ping("a", "b")
    pair.meet("ibv_rc_pingpong -d ropcie0 -g 1", "ibv_rc_pingpong -d ropcie0 -g 1 {server}", "tcp")


def test_users_of_a_module_that_is_removed_end_with_an_error(pair):
    """A driver that can take its users' device away from them may be removed while there are some (uverbs_main.c, ib_uverbs_open)."""
    with transfer(pair):
        pair.run("b", "rmmod ropcie")
    assert pair.run("b", "ls /sys/class/infiniband") == ""
    pair.run("b", "modprobe ropcie")
    assert_usable(pair)


@pytest.mark.skipif(IOMMU, reason="Linux 6.12 learns the peer's requester IDs of a device that is plugged in after its IOMMU domain is set up")
def test_users_of_a_device_that_is_unplugged_end_with_an_error(pair):
    device = pair.ntb_device("b")
    with transfer(pair):
        pair.run("b", f"echo 1 > /sys/bus/pci/devices/{device}/remove")
    assert pair.run("b", "ls /sys/class/infiniband") == "" and pair.run("a", "ls /sys/class/infiniband") == "ropcie0"
    pair.run("b", "echo 1 > /sys/bus/pci/rescan; until [ -d /sys/class/net/ropcie0 ]; do sleep 0.1; done")
    assert_usable(pair)


def test_users_of_a_peer_that_dies_end_with_an_error(pair):
    with transfer(pair):
        pair.kill("b")
    assert resources(pair, "a")["qp"] == 1      # the kernel's own
    pair.ntblab("start", f"{pair.name}/b")
    assert_usable(pair)
