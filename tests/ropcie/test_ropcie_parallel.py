# SPDX-License-Identifier: MIT
"""Two hosts that are joined twice."""

import pytest
from ropcie import ropcie_cluster, wait_for


@pytest.fixture(scope="module")
def twice():
    with ropcie_cluster("tests/ropcie/parallel.yaml") as cluster:
        cluster.load("a", "b")
        cluster.wait_ping("a", "b")
        yield cluster


def test_second_link_takes_over(twice):
    """One of both links is used; when its endpoint is removed the other is, under a new epoch."""
    links = [name for name, value in twice.statistics("b").items() if name.endswith("_ups") and value]
    assert len(links) == 1
    used = links[0].removesuffix("_ups")[-1]
    device = twice.run("b", "ls /sys/bus/ntb/devices").split()[int(used)]
    twice.run("b", f"echo 1 > /sys/bus/pci/devices/{device}/remove")
    wait_for("network device of b", lambda: "ropcie0" in twice.run("b", "ls /sys/class/net"))
    if "10.80" not in twice.run("b", "ip -br -4 addr show dev ropcie0"):
        twice.run("b", twice.addresses("b"))
    twice.wait_ping("a", "b")
    twice.run("b", "echo 1 > /sys/bus/pci/rescan")
    wait_for("both NTB devices", lambda: len(twice.run("b", "ls /sys/bus/ntb/devices").split()) == 2)
    twice.wait_ping("a", "b")


def test_both_are_used_by_a_device_each(twice):
    twice.unload("a", "b")
    for node in twice.nodes:
        twice.run(node, "modprobe ropcie node_per_link=1")
    for node in twice.nodes:
        number = twice.nodes.index(node) + 1
        # In the order of their endpoints, which a has in the same order as b.
        devices = twice.run(node, "for d in /sys/bus/ntb/devices/*; do ls /sys/bus/pci/devices/$(basename $d)/net; done").split()
        assert sorted(devices) == ["ropcie0", "ropcie1"]
        for network, device in enumerate(devices):
            twice.run(node, f"ip link set {device} up; ip addr add 10.98.{network}.{number}/24 dev {device}")
            twice.wait_carrier(node, True, device)
    for network in (0, 1):
        assert twice.command("a", f"ping -q -c 3 -i 0.1 10.98.{network}.2", check=False).returncode == 0


def test_hosts_of_the_same_identity_get_no_link(twice):
    twice.unload("a", "b")
    for node in twice.nodes:
        twice.run(node, "modprobe ropcie mac=02:00:00:00:00:07")
    wait_for("message", lambda: "this host's MAC 02:00:00:00:00:07" in twice.dmesg("a"))
    assert not twice.run("a", "ip link set ropcie0 up; cat /sys/class/net/ropcie0/carrier") == "1"
    twice.unload("a", "b")
    twice.load("a", "b")
    twice.wait_ping("a", "b")
