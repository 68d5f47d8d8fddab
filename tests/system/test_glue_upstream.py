# SPDX-License-Identifier: MIT
"""The endpoint as function 1 of a device whose function 0 is the switch's upstream port."""

import subprocess
import tempfile

import pytest
from support.nt_endpoint import CAP_EXP, Pair
from support.ntblab_cli import LIMIT, wait_for
from support.qtest import ENVIRONMENT, command_line

AER, ACS = 0x0001, 0x000D


@pytest.fixture(scope="module")
def pair():
    pair = Pair(tempfile.mkdtemp(prefix="ntb-"), memory="256M", upstream_port=True)
    yield pair
    pair.close()


def extended_capabilities(machine, function):
    at, found = 0x100, []
    while at:
        header = machine.ecam_read(machine.bus, 0, function, at)
        found.append(header & 0xFFFF)
        at = header >> 20
    return found


def test_function_0_is_an_upstream_port(pair):
    def port(offset, size):
        return pair.a.pci_read(1, 0, 0, offset, size)
    assert (port(0, 2), port(2, 2), port(8, 4) >> 8) == (0x11F8, 0x4052, 0x060400)
    assert port(0x0E, 1) == 0x81  # a bridge, of a device with more functions
    assert port(CAP_EXP + 2, 2) >> 4 & 0xF == 5
    assert (port(CAP_EXP + 0x12, 2) & 0xF, port(CAP_EXP + 0x12, 2) >> 4 & 0x3F) == (4, 16)


def test_function_1_is_the_endpoint(pair):
    assert pair.a.config_read(8, 4) >> 8 == 0x068000
    assert pair.a.gas_read(0x1000C, 2) == 0x101  # its requester ID


def test_both_have_aer_and_acs(pair):
    for function in (0, 1):
        assert extended_capabilities(pair.a, function) == [AER, ACS]


def test_windows_and_doorbells_work(pair):
    pair.a.open_direct(pair.b, 4, 0x1000000, 0x10000)
    pair.b.store(pair.b.bar[4], 8, 42)
    assert pair.a.load(0x1000000, 8) == 42
    pair.a.enable_msix(0x3000000)
    pair.a.enable_doorbells()
    pair.b.enable_doorbells()
    pair.b.ring(1)
    wait_for("its MSI-X message", lambda: pair.a.load(0x3000004, 4) == 0x1001)


def test_secondary_bus_reset_reaches_the_endpoint(pair):
    pair.a.open_direct(pair.b, 4, 0x1000000, 0x10000)
    pair.a.secondary_bus_reset()
    assert pair.b.load(pair.b.bar[4], 8) == (1 << 64) - 1
    pair.a.enumerate()
    pair.a.list_requesters()


@pytest.mark.parametrize("options, message", [
    ("addr=0.0", "use addr=0.0,multifunction=on"),
    ("addr=0.1", "use addr=0.0,multifunction=on"),
    ("addr=0.0,multifunction=on,link-generation=6", "link-generation is 6: use 1 to 5"),
    ("addr=0.0,multifunction=on,link-width=3", "link-width is 3: use 1, 2, 4, 8 or 16"),
])
def test_bad_options_are_refused(options, message):
    arguments = ["-device", "pcie-root-port,id=rp0,chassis=1,slot=1", "-device", f"switchtec-usp,bus=rp0,{options}"]
    result = subprocess.run(command_line("256M", arguments), capture_output=True, text=True, env=ENVIRONMENT, timeout=LIMIT,
                            stdin=subprocess.DEVNULL)
    assert result.returncode == 1 and message in result.stderr
