# SPDX-License-Identifier: MIT
"""Clusters of other shapes than a pair: every NT pair of the file is there, up, and a network of its own."""

import dataclasses
import re

import pytest
from support.ntblab_cli import Cluster, kernel_complaints, wait_for

MIB = 1 << 20
SPEED = {3: "8GT/s", 4: "16GT/s"}


@dataclasses.dataclass
class Pair:
    """An NT pair as the topology file has it."""
    nodes: str  # one letter each
    generation: int = 4
    width: int = 16
    bar4: int = 64 * MIB


@dataclasses.dataclass
class Shape:
    """A topology: its pairs in the order of its partitions, which is that of their networks (10.77.0.0, 10.77.1.0, ...)."""
    file: str
    pairs: list
    lan: bool = False

    def of(self, node):
        """(number, pair) of every pair of a node, in the order of its endpoints."""
        return [(number, pair) for number, pair in enumerate(self.pairs) if node in pair.nodes]

    def address(self, number, node):
        return f"10.77.{number}.{'abcd'.index(node) + 1}"


SHAPES = [
    Shape("topologies/triangle.yaml", [Pair("ab"), Pair("ac"), Pair("bc")]),
    Shape("topologies/chain.yaml", [Pair("ab", 3, 8), Pair("bc", 3, 8), Pair("cd")]),
    Shape("topologies/bigwindow.yaml", [Pair("ab", bar4=4096 * MIB)]),
    Shape("topologies/lan.yaml", [Pair("ab")], lan=True),
    Shape("tests/system/lan-of-four.yaml", [Pair("ab"), Pair("cd")], lan=True),
]


def size_text(size):
    return f"{size // MIB}M" if size < 1024 * MIB else f"{size // 1024 // MIB}G"


def check_inspection(cluster, shape):
    partitions = [partition for switch in cluster.inspect()["switches"] for partition in switch["partitions"]]
    expected = [(node, True, pair.generation, pair.width, pair.bar4) for pair in shape.pairs for node in pair.nodes]
    assert [(partition["node"], *(partition["link"][field] for field in ("up", "generation", "width")), partition["bar4_size"])
            for partition in partitions] == expected
    assert all(partition["windows"] for partition in partitions)


def check_devices(cluster, shape, node):
    """What the guest sees of its endpoints; returns their PCI addresses."""
    devices = cluster.run(node, "lspci -D -vv -d 11f8::0680").split("\n\n")
    assert len(devices) == len(shape.of(node))
    for text, (_, pair) in zip(devices, shape.of(node)):
        assert re.search(rf"LnkSta:\s+Speed {SPEED[pair.generation]}.*, Width x{pair.width}\b", text), text
        assert re.search(rf"Region 4: Memory at .*\[size={size_text(pair.bar4)}\]", text), text
        assert "Kernel driver in use: switchtec" in text
    return [text.split()[0] for text in devices]


def interfaces(cluster, node):
    """{PCI address: interface} of the network devices of ntb_netdev."""
    paths = cluster.run(node, "cd /sys/class/net && for i in eth*; do echo $i $(readlink -f $i/device); done").splitlines()
    return {path.split("/")[-3]: name for name, path in map(str.split, paths)}


def check_networks(cluster, shape, node, endpoints):
    """Every endpoint's interface has the address of its pair, and the pair's other node answers there by its name."""
    names = interfaces(cluster, node)
    for endpoint, (number, pair) in zip(endpoints, shape.of(node)):
        other = pair.nodes.replace(node, "")
        interface, there = names[endpoint], shape.address(number, other)
        assert f" {shape.address(number, node)}/24 " in cluster.run(node, f"ip -4 addr show dev {interface}")
        # Links are up; their interfaces, which have the routes, may still be on their way.
        wait_for(f"{node}'s route to {other}", lambda: f"dev {interface} " in cluster.run(node, f"ip route get {there}", check=False))
        wait_for(f"{node} reaches {other}", lambda: f"from {other} ({there})" in cluster.run(node, f"ping -c 1 -W 2 {other}", check=False))


def check_lan(cluster, node):
    for index, other in enumerate(cluster.nodes):
        answer = cluster.run(node, f"ping -c 1 -W 10 {other}.lan")
        assert f"(10.78.0.{index + 1})" in answer
        assert other == node or "dev lan0 " in cluster.run(node, f"ip route get 10.78.0.{index + 1}")


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: re.sub(r".*/|\.yaml", "", shape.file))
def test_every_pair_of_the_file_is_a_link_and_a_network(run_dir, shape):
    with Cluster.up(shape.file, run_dir=run_dir) as cluster:
        check_inspection(cluster, shape)
        for node in cluster.nodes:
            check_networks(cluster, shape, node, check_devices(cluster, shape, node))
            if shape.lan:
                check_lan(cluster, node)
        for node in cluster.nodes:
            assert kernel_complaints(cluster.dmesg(node)) == []
