# SPDX-License-Identifier: MIT
"""What happens to an endpoint in its life: unplugged and plugged in, errors, link flaps, modules reloaded, a reboot at any moment."""

import pathlib
import re

import pytest
from support.monitor import Monitor
from support.ntblab_cli import IOMMU, LIMIT, Cluster, kernel_complaints, wait_for


@pytest.fixture
def joined(run_dir):
    with Cluster.up("topologies/pair.yaml", run_dir=run_dir) as pair:
        yield pair
        for node in pair.nodes:
            assert kernel_complaints(pair.dmesg(node)) == []


def monitor_of(pair, node):
    return Monitor(pair.run_dir / pair.name / node / "qmp.sock", LIMIT)


def start_traffic(pair):
    """TCP from a to b, for as long as b is there."""
    pair.wait_ping()
    pair.serve_iperf("b")
    pair.run("a", "setsid iperf3 -t 1000 -c b >/dev/null 2>&1 &")
    counter = "cat /sys/class/net/eth0/statistics/tx_bytes"
    before = int(pair.run("a", counter))
    wait_for("traffic", lambda: int(pair.run("a", counter)) > before + (1 << 20))


def stop_traffic(pair):
    for node in pair.nodes:
        pair.run(node, "pkill iperf3; true")


def endpoint_options(pair, node):
    """The options of ntb0 on the command line of the node's QEMU."""
    words = pathlib.Path(f"/proc/{pair.qemu_pid(node)}/cmdline").read_bytes().decode().split("\0")
    text = next(word for word in words if word.startswith("switchtec-ntb,"))
    driver, *options = text.split(",")
    return {"driver": driver, **dict(option.split("=", 1) for option in options)}


def attach_iommu_domain(pair, node):
    """Attaches the endpoint's IOMMU domain anew. When a device is plugged in, Linux 6.12 does so (pci_device_add) before the quirk has
    named the proxy requester IDs (pci_bus_add_device), so that these have no context and every access by a peer faults."""
    pair.run(node, f"""set -e
rmmod ntb_netdev ntb_transport ntb_hw_switchtec
cd /sys/bus/pci/drivers/switchtec
echo {pair.ntb_device(node)} > unbind
for type in identity DMA; do echo $type > /sys/bus/pci/devices/{pair.ntb_device(node)}/iommu_group/type; done
echo {pair.ntb_device(node)} > bind
modprobe ntb_hw_switchtec""")


def test_hot_unplug_and_replug_under_traffic(joined, repeat):
    options = endpoint_options(joined, "b")
    options["partition"] = int(options["partition"])
    for _ in range(repeat(10)):
        start_traffic(joined)
        links = len(joined.status("a"))
        monitor = monitor_of(joined, "b")
        assert monitor.command("device_del", id="ntb0") == {}
        monitor.wait_event("DEVICE_DELETED")
        wait_for("link down at a", lambda: any("link-down" in line for line in joined.status("a")[links:]))
        stop_traffic(joined)
        assert joined.run("b", "lspci -d 11f8:") == ""
        assert monitor.command("device_add", **options) == {}
        monitor.close()
        wait_for("b's driver", lambda: joined.run("b", "ls /sys/bus/ntb/devices") != "")
        if IOMMU:
            attach_iommu_domain(joined, "b")
        # ntb_netdev makes interfaces of the NTB devices that are there when it is loaded.
        joined.use_client("ntb_netdev")
        joined.wait_ping()


@pytest.mark.parametrize("error, reported", [
    ("BAD_TLP", r"PCIe Bus Error: severity=Correctable, type=Data Link Layer"),
    ("COMP_TIME", r"PCIe Bus Error: severity=Uncorrectable \(Non-Fatal\), type=Transaction Layer"),
])
def test_injected_errors_are_reported_and_traffic_goes_on(joined, error, reported):
    joined.wait_ping()
    monitor = monitor_of(joined, "b")
    said = monitor.command("human-monitor-command", **{"command-line": f"pcie_aer_inject_error ntb0 {error}"})
    assert said.startswith("OK"), said
    monitor.close()
    wait_for("the error in b's log", lambda: re.search(reported, joined.dmesg("b")))
    joined.wait_ping()


def test_link_flaps(joined, repeat):
    joined.use_client("ntb_tool")
    tool = {node: f"/sys/kernel/debug/ntb_tool/{joined.ntb_device(node)}" for node in joined.nodes}
    for node in joined.nodes:
        joined.run(node, f"echo Y > {tool[node]}/link")
    for _ in range(repeat(100)):
        for state in "NY":
            joined.run("a", f"echo {state} > {tool['a']}/link")
            for node in joined.nodes:
                joined.run(node, f"timeout 60 sh -c 'echo {state} > {tool[node]}/peer0/link_event'")
    joined.use_client("ntb_netdev")
    joined.wait_ping()


def test_modules_reloaded(joined, repeat):
    order = "modprobe ntb_transport && modprobe ntb_hw_switchtec && modprobe ntb_netdev"
    for _ in range(repeat(100)):
        joined.run("b", f"modprobe -r ntb_netdev ntb_hw_switchtec ntb_transport switchtec && {order}")
        joined.wait_link("b")
        joined.wait_link("a")
    joined.wait_ping()


def test_reboot_in_every_phase_of_the_probe(joined):
    for delay in (0, 0.02, 0.05, 0.08, 0.12, 0.16, 0.2, 0.25, 0.3, 0.4, 0.5):
        boots = joined.status("b").count("ssh")
        joined.run("b", "modprobe -r ntb_netdev ntb_hw_switchtec switchtec")
        joined.command("b", f"modprobe ntb_hw_switchtec & sleep {delay}; reboot -f", check=False)
        wait_for("b starts again", lambda: joined.status("b").count("ssh") > boots)
        joined.use_client("ntb_netdev")
        joined.wait_ping()
