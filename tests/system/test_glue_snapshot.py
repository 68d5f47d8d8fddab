# SPDX-License-Identifier: MIT
"""A machine that is saved to a file, ends, and goes on from it: its registers, and the windows between it and its peer."""

import tempfile

import pytest
from support.nt_endpoint import IDB, IDB_MASK, LINK_GAP, LOCK, LOCKED, ODB_MASK, RESET, NORMAL, Pair
from support.ntblab_cli import wait_for

ALL_ONES = (1 << 64) - 1


@pytest.fixture(params=[False, True], ids=["alone", "beside-the-upstream-port"])
def pair(request):
    pair = Pair(tempfile.mkdtemp(prefix="ntb-"), memory="256M", upstream_port=request.param)
    yield pair
    pair.close()


def test_goes_on_with_its_registers_and_windows(pair):
    file = pair.directory / "b.state"
    pair.a.open_direct(pair.b, 4, 0x1000000, 0x10000)
    pair.b.open_lut(pair.a, {3: 0x2000000})
    pair.b.enable_msix(0x3000000)
    pair.b.enable_doorbells(mask=0xFF0)
    pair.b.write(0x2000000, b"of b")
    assert pair.b.save(file) is None
    pair.b.close()
    wait_for("a's window to be closed", lambda: pair.a.load(pair.a.bar[2] + 0x30000, 8) == ALL_ONES)

    pair.b = pair.boot(1, incoming=file)
    assert pair.b.save(pair.directory / "too-early.state") is not None
    assert "its windows are not back yet: save again" in pair.b.messages()
    assert pair.b.gas_read(pair.b.dbmsg(IDB_MASK), 8) == 0xFF0
    assert pair.b.gas_read(pair.b.dbmsg(ODB_MASK), 8) == ALL_ONES
    assert pair.a.load(pair.a.bar[2] + 0x30000, 8) == ALL_ONES, "its driver has to see the link down"
    pair.b.pass_time(LINK_GAP)
    wait_for("a's window", lambda: pair.a.read(pair.a.bar[2] + 0x30000, 4) == b"of b")
    pair.b.store(pair.b.bar[4] + 8, 8, 42)
    assert pair.a.load(0x1000008, 8) == 42
    pair.a.gas_write(pair.a.dbmsg(ODB_MASK), ALL_ONES, 8)
    pair.a.ring(0x10)
    wait_for("its MSI-X message", lambda: pair.b.load(0x3000004, 4) == 0x1001)
    assert pair.b.gas_read(pair.b.dbmsg(IDB), 8) == 0x10


def test_goes_on_without_windows_to_a_peer_that_was_reset(pair):
    file = pair.directory / "b.state"
    pair.a.open_direct(pair.b, 4, 0x1000000, 0x10000)
    assert pair.b.save(file) is None
    pair.b.close()
    pair.a.function_level_reset()
    pair.a.enumerate()
    pair.b = pair.boot(1, incoming=file)
    pair.b.pass_time(LINK_GAP)
    assert pair.b.gas_read(pair.b.control(pair.b, 0x404)) & 1, "its requesters are listed again"
    assert pair.b.load(pair.b.bar[4], 8) == ALL_ONES


def test_peers_cannot_write_to_a_machine_that_is_being_saved(pair):
    pair.b.open_direct(pair.a, 4, 0x2000000, 0x10000)
    pair.b.write(0x2000000, b"of b")
    wait_for("a's window", lambda: pair.a.read(pair.a.bar[4], 4) == b"of b")
    pair.b.qmp("migrate-set-capabilities", capabilities=[{"capability": "pause-before-switchover", "state": True}])
    pair.b.qmp("migrate", uri=f"file:{pair.directory}/b.state")
    wait_for("the last pass", lambda: pair.b.qmp("query-migrate").get("status") == "pre-switchover")
    assert pair.a.load(pair.a.bar[4], 8) == ALL_ONES
    pair.b.qmp("migrate_cancel")
    wait_for("the machine to run on", lambda: pair.b.qmp("query-status")["status"] == "running")
    wait_for("a's window", lambda: pair.a.read(pair.a.bar[4], 4) == b"of b")


def test_is_not_saved_between_lock_and_configure(pair):
    pair.b.operate(pair.a, LOCK, LOCKED)
    reason = pair.b.save(pair.directory / "b.state")
    assert reason is not None
    assert "control block 0 is locked by partition 1" in pair.b.messages()
    pair.b.operate(pair.a, RESET, NORMAL)
    assert pair.b.save(pair.directory / "b.state") is None


def test_of_another_partition_is_refused(pair):
    file = pair.directory / "b.state"
    assert pair.b.save(file) is None
    pair.a.close()
    pair.b.close()
    with pytest.raises(AssertionError, match="QEMU has ended"):
        pair.boot(0, incoming=file)
    said = (pair.directory / f"a{pair.boots}" / "qemu.output").read_text()
    assert "get_pci_config_device: Bad config data: i=0x55" in said, "the MSI-X table is where its partition is"
