# SPDX-License-Identifier: MIT
"""Interrupts of an NT endpoint, without guests: messages land in memory, their order is in QEMU's trace."""

import tempfile

import pytest
from support.ntblab_cli import wait_for
from support.nt_endpoint import CAP_MSI, CAP_MSIX, IDB, IDB_MASK, IMSG, MASTER, MEMORY, MESSAGE_GAP, Pair

MESSAGES = 0x200000  # where MSI-X messages are made to land
DOORBELL, MESSAGE = 1, 2  # vectors


@pytest.fixture
def pair():
    """b's doorbells and messages are enabled and its vectors write to MESSAGES."""
    pair = Pair(tempfile.mkdtemp(prefix="ntb-"))
    for machine in (pair.a, pair.b):
        machine.enable_msix(MESSAGES)
        machine.enable_doorbells((DOORBELL, MESSAGE))
    yield pair
    pair.close()


def landed(machine, vector):
    return machine.load(MESSAGES + 4 * vector, 4)


def wait_landed(machine, vector, value=None):
    wanted = 0x1000 + vector if value is None else value
    wait_for(f"message of vector {vector}", lambda: landed(machine, vector) == wanted, interval=0.001)


@pytest.mark.parametrize("bit", [32, 45, 59])
def test_doorbell_sends_the_message_of_its_vector(pair, bit):
    pair.a.ring(1 << bit)
    wait_landed(pair.b, DOORBELL)
    assert pair.b.gas_read(pair.b.dbmsg(IDB), 8) == 1 << bit
    assert landed(pair.b, MESSAGE) == 0


def test_message_sends_its_vector_and_carries_its_value(pair):
    pair.a.send(0, 0xCAFE)
    wait_landed(pair.b, MESSAGE)
    assert pair.b.gas_read(pair.b.dbmsg(IMSG), 8) & 0x1FFFFFFFF == 1 << 32 | 0xCAFE


def test_a_message_comes_no_sooner_than_the_gap_after_the_last_one_was_read(pair):
    def message():
        return pair.b.gas_read(pair.b.dbmsg(IMSG), 8) & 0x1FFFFFFFF

    pair.a.send(0, 4)
    pair.a.send(0, 1)
    wait_landed(pair.b, MESSAGE)
    pair.b.store(MESSAGES + 4 * MESSAGE, 4, 0)
    pair.b.gas_write(pair.b.dbmsg(IMSG + 4), 1, 1)
    pair.b.pass_time(MESSAGE_GAP - 1)
    assert (message(), landed(pair.b, MESSAGE)) == (4, 0), "status clear, the last value"
    pair.b.pass_time(1)
    wait_landed(pair.b, MESSAGE)
    assert message() == 1 << 32 | 1


@pytest.mark.parametrize("first", ["doorbell", "message"])
def test_interrupts_keep_the_order_of_their_causes(pair, first):
    """Also when several arrive while the peer is not looking."""
    wanted = []
    for turn in range(50):
        before = len(pair.b.interrupts())
        actions = [(DOORBELL, lambda: pair.a.ring(1 << 40)), (MESSAGE, lambda: pair.a.send(turn % 4, turn))]
        for vector, act in actions if first == "doorbell" else reversed(actions):
            act()
            wanted.append(vector)
        wait_for("two interrupts", lambda: len(pair.b.interrupts()) >= before + 2, interval=0.001)
        pair.b.gas_write(pair.b.dbmsg(IDB), (1 << 64) - 1, 8)
        pair.b.gas_write(pair.b.dbmsg(IMSG + 8 * (turn % 4) + 4), 1, 1)
        pair.b.pass_time(MESSAGE_GAP)
    assert [v for v in pair.b.interrupts() if v in (DOORBELL, MESSAGE)] == wanted


def test_masked_doorbell_interrupts_when_it_is_unmasked(pair):
    pair.b.gas_write(pair.b.dbmsg(IDB_MASK), 0, 8)
    pair.a.ring(1 << 33)
    wait_for("doorbell", lambda: pair.b.gas_read(pair.b.dbmsg(IDB), 8) == 1 << 33)
    assert landed(pair.b, DOORBELL) == 0
    pair.b.gas_write(pair.b.dbmsg(IDB_MASK), (1 << 64) - 1, 8)
    wait_landed(pair.b, DOORBELL)


def test_masked_vector_is_pending_until_unmasked(pair):
    table = pair.b.bar[0] + (pair.b.config_read(CAP_MSIX + 4, 4) & ~7)
    pending = pair.b.bar[0] + (pair.b.config_read(CAP_MSIX + 8, 4) & ~7)
    pair.b.store(table + 16 * DOORBELL + 12, 4, 1)
    pair.a.ring(1 << 34)
    wait_for("pending bit", lambda: pair.b.load(pending, 8) == 1 << DOORBELL)
    assert landed(pair.b, DOORBELL) == 0
    pair.b.store(table + 16 * DOORBELL + 12, 4, 0)
    wait_landed(pair.b, DOORBELL)
    assert pair.b.load(pending, 8) == 0


def test_no_interrupt_without_bus_mastering(pair):
    pair.b.set_command(MEMORY)
    pair.a.ring(1 << 35)
    wait_for("doorbell", lambda: pair.b.gas_read(pair.b.dbmsg(IDB), 8) == 1 << 35)
    assert landed(pair.b, DOORBELL) == 0
    pair.b.set_command(MEMORY | MASTER)
    pair.b.gas_write(pair.b.dbmsg(IDB), 1 << 35, 8)
    pair.a.ring(1 << 36)
    wait_landed(pair.b, DOORBELL)


def test_msi_carries_the_vectors_when_the_guest_enables_it(pair):
    pair.b.config_write(CAP_MSIX + 2, 2, 0)
    pair.b.config_write(CAP_MSI + 4, 4, MESSAGES + 0x100)
    pair.b.config_write(CAP_MSI + 8, 4, 0)
    pair.b.config_write(CAP_MSI + 12, 2, 0x40)
    pair.b.config_write(CAP_MSI + 2, 2, 2 << 4 | 1)
    pair.a.ring(1 << 37)
    wait_for("MSI", lambda: pair.b.load(MESSAGES + 0x100, 2) == 0x40 + DOORBELL)
    pair.a.send(0, 1)
    wait_for("MSI", lambda: pair.b.load(MESSAGES + 0x100, 2) == 0x40 + MESSAGE)


def test_reset_takes_doorbells_and_their_set_up_away(pair):
    pair.a.ring(1 << 38)
    wait_landed(pair.b, DOORBELL)
    pair.b.function_level_reset()
    pair.b.enumerate()
    assert pair.b.gas_read(pair.b.dbmsg(IDB), 8) == 0
    assert pair.b.config_read(CAP_MSIX + 2, 2) & 0x8000 == 0


def test_doorbells_and_messages_are_traced(pair):
    pair.a.ring(1 << 39)
    pair.a.send(2, 0xBEEF)
    wait_landed(pair.b, MESSAGE)
    assert pair.a.trace("switchtec_ntb_doorbell")[-1] == f"ntb0: rings 0x{1 << 39:016x}"
    assert pair.a.trace("switchtec_ntb_message")[-1] == "ntb0: sends message 2: 0x0000beef"
    assert any("ntb_dbmsg" in line or "odb" in line for line in pair.a.trace("switchtec_ntb_gas_write"))
