# SPDX-License-Identifier: MIT
"""The unmodified drivers find the endpoint as they would find the chip."""

import re

import pytest
from support.ntblab_cli import Cluster, kernel_complaints


@pytest.mark.parametrize("node", ["a", "b"])
def test_lspci_shows_what_hardware_shows(pair, node):
    text = pair.run(node, "lspci -vvv -nn -d 11f8::0680")
    for expected in (
        r"Bridge \[0680\]: .*\[11f8:4052\]",
        r"Region 0: Memory at \w+ \(64-bit, prefetchable\) \[size=4M\]",
        r"Region 2: Memory at \w+ \(64-bit, prefetchable\) \[size=64M\]",
        r"Region 4: Memory at \w+ \(64-bit, prefetchable\) \[size=64M\]",
        r"Capabilities: \[40\] MSI: Enable- Count=1/4 Maskable- 64bit\+",
        r"Capabilities: \[50\] MSI-X: Enable\+ Count=4 Masked-",
        r"Vector table: BAR=0 offset=000(76|7a)000",
        r"PBA: BAR=0 offset=000(77|7b)000",
        r"Capabilities: \[5c\] Power Management version 3",
        r"Capabilities: \[64\] Express \(v2\) Endpoint",
        r"MaxPayload 512 bytes",
        r"ExtTag\+",
        r"FLReset\+",
        r"LnkCap:.*Speed 16GT/s, Width x16",
        r"LnkSta:\s+Speed 16GT/s.*, Width x16",
        r"Kernel driver in use: switchtec",
    ):
        assert re.search(expected, text), f"{expected} not in:\n{text}"


@pytest.mark.parametrize("node", ["a", "b"])
def test_both_drivers_bind_and_the_link_comes_up(pair, node):
    assert pair.run(node, "test -c /dev/switchtec0 && ls /sys/bus/ntb/devices") == pair.ntb_device(node)
    log = pair.dmesg(node)
    assert re.search(r"switchtec .*: NTB device registered", log)
    assert "ntb link up" in log
    assert "Setting Switchtec proxy ID aliases" in log


@pytest.mark.parametrize("node", ["a", "b"])
def test_the_modules_are_built_for_the_running_kernel(pair, node):
    for module in ("switchtec", "ntb_hw_switchtec", "ntb", "ntb_transport", "ntb_netdev"):
        assert pair.run(node, f"modinfo -F vermagic {module}").split()[0] == pair.run(node, "uname -r")


def test_no_probe_fails_when_both_hosts_start_at_once(repeat, run_dir):
    for round_number in range(repeat(50)):
        with Cluster.up("topologies/pair.yaml", run_dir=run_dir) as pair:
            for node in pair.nodes:
                log = pair.dmesg(node)
                failed = re.findall(r".*(?:failed to register ntb|probe with driver switchtec failed|error -\d+).*", log)
                assert not failed and "ntb link up" in log, f"round {round_number}, node {node}: {failed}\n{log}"
                assert kernel_complaints(log) == []
            pair.wait_ping()
