# SPDX-License-Identifier: MIT
"""Three hosts, each joined to both others: one network device over all links."""

import signal

import pytest
from ropcie import ropcie_cluster, wait_for

PAIRS = [("a", "b"), ("b", "a"), ("a", "c"), ("c", "a"), ("b", "c"), ("c", "b")]


@pytest.fixture(scope="module")
def mesh():
    with ropcie_cluster("tests/ropcie/triangle.yaml") as cluster:
        cluster.load("a", "b", "c")
        for source, target in PAIRS:
            cluster.wait_ping(source, target)
        yield cluster


def devices(cluster, node):
    return cluster.run(node, "ls /sys/class/net").split()


def test_one_device_over_all_links(mesh):
    for node in mesh.nodes:
        assert [name for name in devices(mesh, node) if name.startswith("ropcie")] == ["ropcie0"]
        assert "link1_tx_frames" in mesh.statistics(node)
        others = {mesh.mac(other) for other in mesh.nodes if other != node}
        neighbours = mesh.run(node, "ip -4 neigh show dev ropcie0 nud permanent")
        assert all(mac in neighbours for mac in others)


def test_largest_size_between_all(mesh):
    for source, target in PAIRS:
        assert mesh.pings(source, target, "-c 5 -i 0.05 -s 65492 -M do")


def test_multicast_reaches_all(mesh):
    answers = mesh.run("a", "ping -c 2 -i 0.5 ff02::1%ropcie0 | grep 'bytes from' | sed 's/.*from \\([^%]*\\)%.*/\\1/' | sort -u").splitlines()
    assert len(answers) == 3


def test_packets_between_all(mesh, repeat):
    for node, peers in mesh.port_test(repeat(20_000), *mesh.nodes).items():
        assert len(peers) == 3
        assert all((state["received"], state["errors"]) == (repeat(20_000), 0) for state in peers), node


def test_death_of_one_leaves_the_others(mesh):
    mesh.kill("c", signal.SIGKILL)
    wait_for("c gone at a", lambda: not mesh.pings("a", "c", "-c 1 -W 1"))
    assert mesh.carrier("a") and mesh.carrier("b")
    assert mesh.pings("a", "b", "-c 5 -i 0.05")
    mesh.ntblab("start", f"{mesh.name}/c")
    wait_for("NTB devices of c", lambda: len(mesh.run("c", "ls /sys/bus/ntb/devices").split()) == 2)
    mesh.load("c")
    for source, target in PAIRS:
        mesh.wait_ping(source, target)


def test_unplugging_the_first_endpoint_leaves_the_second(mesh):
    first = mesh.run("a", "basename $(realpath /sys/class/net/ropcie0/device)")
    mesh.run("a", f"echo 1 > /sys/bus/pci/devices/{first}/remove")
    second = mesh.run("a", "basename $(realpath /sys/class/net/ropcie0/device)")
    assert second != first
    mesh.run("a", mesh.addresses("a"))
    wait_for("one peer of a", lambda: mesh.pings("a", "b") or mesh.pings("a", "c"))
    mesh.run("a", "echo 1 > /sys/bus/pci/rescan")
    for source, target in PAIRS:
        mesh.wait_ping(source, target)


def test_one_device_for_each_link(mesh):
    mesh.unload(*mesh.nodes)
    for node in mesh.nodes:
        mesh.run(node, "modprobe ropcie node_per_link=1; ip link set ropcie0 up; ip link set ropcie1 up")
        assert len({mesh.mac(node, device) for device in ("ropcie0", "ropcie1")}) == 2
    for node in mesh.nodes:
        for device in ("ropcie0", "ropcie1"):
            mesh.wait_carrier(node, True, device)
    mesh.unload(*mesh.nodes)
    mesh.load(*mesh.nodes)
    mesh.wait_ping("a", "b")
