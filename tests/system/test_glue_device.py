# SPDX-License-Identifier: MIT
"""The NT endpoint as a PCI function: what configuration space says, and what it says when it cannot start."""

import json
import subprocess
import tempfile

import pytest
from support.nt_endpoint import CAP_EXP, CAP_MSI, CAP_MSIX, CAP_PM, Pair
from support.ntblab_cli import LIMIT, wait_for
from support.qtest import ENVIRONMENT, QEMU, command_line

PORT = ["-device", "pcie-root-port,id=rp0,chassis=1,slot=1"]


@pytest.fixture(scope="module")
def pair():
    pair = Pair(tempfile.mkdtemp(prefix="ntb-"))
    yield pair
    pair.close()


def test_identity_is_a_pfx_nt_endpoint(pair):
    config = pair.a.config_read
    assert (config(0, 2), config(2, 2), config(9, 1) | config(10, 2) << 8) == (0x11F8, 0x4052, 0x068000)
    assert pair.a.gas_read(0x2000) == 0x4052


def test_capabilities_are_where_the_firmware_puts_them(pair):
    at, found = pair.a.config_read(0x34, 1), {}
    while at:
        found[at] = pair.a.config_read(at, 1)
        at = pair.a.config_read(at + 1, 1)
    assert list(found.items()) == [(CAP_MSI, 5), (CAP_MSIX, 0x11), (CAP_PM, 1), (CAP_EXP, 0x10)]


def test_express_capability_has_the_topologys_link(pair):
    config = pair.a.config_read
    assert config(CAP_EXP + 2, 2) & 0xFF == 0x02  # version 2, endpoint
    assert config(CAP_EXP + 4, 4) & (7 | 1 << 5 | 1 << 28) == 2 | 1 << 5 | 1 << 28  # 512 bytes, extended tags, FLR
    for register in (CAP_EXP + 0x0C, CAP_EXP + 0x12):
        assert (config(register, 2) & 0xF, config(register, 2) >> 4 & 0x3F) == (4, 16)


def test_msi_and_msix_are_as_the_chips(pair):
    config = pair.a.config_read
    assert config(CAP_MSI + 2, 2) & 0x18E == 2 << 1 | 1 << 7  # 1..4 messages, 64 bits, no mask
    assert config(CAP_MSIX + 2, 2) & 0x7FF == 3
    assert (config(CAP_MSIX + 4, 4), config(CAP_MSIX + 8, 4)) == (0x76000, 0x77000)
    assert (pair.b.config_read(CAP_MSIX + 4, 4), pair.b.config_read(CAP_MSIX + 8, 4)) == (0x7A000, 0x7B000)


@pytest.mark.parametrize("bar, size", [(0, 4 << 20), (2, 64 << 20), (4, 64 << 20)])
def test_bars_are_64_bit_prefetchable_and_of_the_topologys_size(pair, bar, size):
    offset = 0x10 + 4 * bar
    low, high = pair.b.config_read(offset, 4), pair.b.config_read(offset + 4, 4)
    pair.b.config_write(offset, 4, 0xFFFFFFFF)
    pair.b.config_write(offset + 4, 4, 0xFFFFFFFF)
    mask = pair.b.config_read(offset + 4, 4) << 32 | pair.b.config_read(offset, 4)
    pair.b.config_write(offset, 4, low)
    pair.b.config_write(offset + 4, 4, high)
    assert mask & 0xF == 0xC
    assert -(mask & ~0xF) & (1 << 64) - 1 == size


def test_gas_answers_every_size_at_every_offset(pair):
    partitions = pair.a.gas_read(0x10000, 1)
    assert partitions == 2 and pair.a.gas_read(0x10001, 1) == 0
    assert pair.a.gas_read(0x10004, 8) == 3  # 8 bytes at a 4-byte boundary, as Linux reads it
    for size in (1, 2, 4, 8):
        for offset in (0x2000, 0x2001, 0x2003, 0x232FFC, 0x3FFFF8):
            pair.a.gas_read(offset, size)


def test_requester_id_follows_the_bus_number(pair):
    assert pair.b.gas_read(0x1000C, 2) == 1 << 8
    pair.b.enumerate(bus=7)
    assert pair.b.gas_read(0x1000C, 2) == 7 << 8
    pair.b.enumerate(bus=1)


def test_properties_override_the_topology():
    pair = Pair(tempfile.mkdtemp(prefix="ntb-"), properties=",bar2-size=128M,bar4-size=32G,vectors=8")
    try:
        assert pair.a.config_read(CAP_MSIX + 2, 2) & 0x7FF == 7
        pair.a.config_write(0x24, 4, 0xFFFFFFFF)
        assert pair.a.config_read(0x24, 4) == 0xFFFFFFF8
    finally:
        pair.close()


def test_unplugged_with_a_window_open(pair):
    pair.b.open_direct(pair.a, 4, 0x1000000, 0x10000)
    wait_for("the window", lambda: pair.a.load(pair.a.bar[4], 8) != (1 << 64) - 1)
    pair.a.unplug()
    wait_for("no device there", lambda: pair.a.config_read(0, 2) == 0xFFFF)
    wait_for("partition 0 free", lambda: "ntb0" not in json.dumps(pair.a.qmp("qom-list", path="/machine/peripheral")))
    assert pair.a.process.poll() is None and pair.b.gas_read(0x10000, 1) == 2
    pair.a.close()
    pair.a = pair.boot(0)


def refusal(arguments, shared=True):
    result = subprocess.run(command_line("256M", arguments, shared), capture_output=True, text=True, env=ENVIRONMENT,
                            timeout=LIMIT, stdin=subprocess.DEVNULL)
    assert result.returncode == 1, result.stderr
    return result.stderr


def device(pair, bus="rp0", partition=0, fabric=None):
    return ["-device", f"switchtec-ntb,bus={bus},fabric={fabric or pair.run_dir / 'fabric.sock'},switch=sw0,partition={partition}"]


def test_partition_in_use_is_refused(pair):
    assert str(pair.a.process.pid) in refusal(PORT + device(pair))


def test_missing_fabric_is_refused(pair):
    assert "/nonexistent.sock" in refusal(PORT + device(pair, fabric="/nonexistent.sock"))


def test_unknown_partition_is_refused(pair):
    assert "9" in refusal(PORT + device(pair, partition=9))


def test_private_ram_is_refused_with_the_way_out(pair):
    pair.b.close()
    message = refusal(PORT + device(pair, partition=1), shared=False)
    assert "guest RAM is not shared" in message and "memory-backend-memfd" in message and "share=on" in message
    pair.b = pair.boot(1)


def test_root_bus_is_refused(pair):
    assert "pcie-root-port" in refusal(device(pair, bus="pcie.0"))


def test_socket_property_is_required(pair):
    assert "'fabric'" in refusal([*PORT, "-device", "switchtec-ntb,bus=rp0"])


def test_device_is_listed_with_its_properties():
    result = subprocess.run([QEMU, "-device", "switchtec-ntb,help"], capture_output=True, text=True, env=ENVIRONMENT, timeout=LIMIT)
    for name in ("fabric", "switch", "partition", "bar2-size", "bar4-size", "vectors"):
        assert f" {name}=" in result.stdout


def test_an_iommu_that_comes_after_it_is_refused(pair):
    pair.b.close()
    assert "put the IOMMU's -device before it" in refusal(PORT + device(pair, partition=1) + ["-device", "intel-iommu"])
    pair.b = pair.boot(1)
