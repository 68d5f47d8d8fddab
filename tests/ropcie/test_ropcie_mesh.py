# SPDX-License-Identifier: MIT
"""Three hosts, each joined to both others: one network device over all links."""

import re
import signal
import tempfile

import pytest
from programs import CASES, run_program
from ropcie import ropcie_cluster, wait_for
from support.ntblab_cli import LIMIT, ntblab, topology_file
from support.repeat import BEFORE_RELEASE

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


@pytest.mark.parametrize("case", CASES if BEFORE_RELEASE else ["ib_send_bw", "ib_write_lat", "ib_read_bw -R", "ib_atomic_bw", "rping"])
def test_programs_between_all(mesh, case):
    for source, target in PAIRS:
        run_program(mesh, case, nodes=(target, source))


def test_every_byte_of_random_requests_between_all_at_once(mesh, repeat):
    command = f"ropcie-stress -t {repeat(60)}"
    ports = {pair: 18600 + number for number, pair in enumerate(PAIRS[::2])}
    ends = []
    for (source, target), port in ports.items():
        ends.append(mesh.start(target, f"{command} -p {port} > /tmp/server.{port} 2>&1"))
        wait_for("a server", lambda: mesh.command(target, f"ss -Hltn sport = :{port} | grep -q .", check=False).returncode == 0)
        ends.append(mesh.start(source, f"{command} -p {port} {mesh.address(target)} > /tmp/client.{port} 2>&1"))
    codes = [end.wait(timeout=LIMIT + repeat(60)) for end in ends]
    said = {node: mesh.run(node, "tail -n 3 /tmp/server.* /tmp/client.*; true") for node in mesh.nodes}
    assert codes == [0] * 6, said


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


@pytest.mark.parametrize("topology", ["rdma", "mesh3"])
def test_the_shipped_topologies_pass_their_own_steps(topology):
    with topology_file(f"topologies/{topology}.yaml") as file, tempfile.TemporaryDirectory(prefix="ntb-") as run_dir:
        said = ntblab("test", file, run_dir=run_dir, timeout=5 * LIMIT).stdout
    assert re.search(r"^[1-9]\d* passed, 0 failed$", said, re.M), said
