# SPDX-License-Identifier: MIT
"""Endpoints as a board has them: function 1 beside the switch's upstream port, one of them a management endpoint."""

import re

import pytest
from support.monitor import Monitor
from support.ntblab_cli import LIMIT, healthy_cluster, wait_for


@pytest.fixture(scope="module")
def board():
    with healthy_cluster("topologies/board.yaml") as board:
        yield board


def functions(board, node):
    """{function number: class} of the switch's device."""
    text = board.run(node, "lspci -n -d 11f8:")
    return {int(number): kind for number, kind in re.findall(r"\.(\d) (\w{4}): 11f8:4052", text)}


@pytest.mark.parametrize("node, endpoint", [("a", "0680"), ("b", "0680"), ("m", "0580")])
def test_the_device_is_upstream_port_and_endpoint(board, node, endpoint):
    assert functions(board, node) == {0: "0604", 1: endpoint}
    text = board.run(node, "lspci -vv -d 11f8::0604")
    for expected in (r"Express \(v2\) Upstream Port", r"LnkSta:\s+Speed 16GT/s.*, Width x16", "Advanced Error Reporting",
                     "Access Control Services", "Kernel driver in use: pcieport"):
        assert re.search(expected, text), f"{expected} not in:\n{text}"


@pytest.mark.parametrize("node", ["a", "b", "m"])
def test_the_management_driver_binds(board, node):
    assert board.run(node, "test -c /dev/switchtec0 && cat /sys/class/switchtec/switchtec0/device_version") == "1"


def test_the_pair_is_joined(board):
    board.wait_ping()
    assert board.run("m", "ls /sys/bus/ntb/devices 2>/dev/null || true") == "", "a management endpoint is no NTB device"


def test_the_management_host_sees_the_others_links(board):
    def link_events():
        """Count of those of partition 0's upstream port, as the firmware command GAS_READ gives them."""
        return board.run("m", """python3 - <<'END'
import os, struct
GAS_READ, LINK_STATE_OF_PFF_0 = 0x29, 0x134D30
switch = os.open('/dev/switchtec0', os.O_RDWR)
os.write(switch, struct.pack('<III', GAS_READ, LINK_STATE_OF_PFF_0, 4))
error, header = struct.unpack('<II', os.read(switch, 8))
assert error == 0, hex(error)
print(header >> 5 & 0xFF)
END""")
    before = link_events()
    board.ntblab("stop", f"{board.name}/a")
    wait_for("an event of the link to a", lambda: link_events() != before)
    board.ntblab("start", f"{board.name}/a")
    board.wait_ping()


def test_an_error_is_reported_from_the_upstream_port(board):
    monitor = Monitor(board.run_dir / board.name / "a" / "qmp.sock", LIMIT)
    monitor.command("human-monitor-command", **{"command-line": "pcie_aer_inject_error usp0 BAD_TLP"})
    monitor.close()
    wait_for("the report", lambda: re.search(r"01:00\.0: PCIe Bus Error: severity=Correctable", board.dmesg("a")))
