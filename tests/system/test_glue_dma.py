# SPDX-License-Identifier: MIT
"""The DMA function between two QEMUs without guests: what it copies where, and what it answers to mistakes."""

import os
import signal
import tempfile

import pytest
from support import dma_engine
from support.dma_engine import ABORTED, HALT, HALTED, INVALID_COMMAND, LENGTH, NOP, PAUSED, RESERVED_OPCODE, UNSUPPORTED, DmaEngine, copy
from support.nt_endpoint import CAP_EXP, CAP_MSIX, Pair
from support.ntblab_cli import wait_for

TOPOLOGY = "name: dma\ndefaults: {dma: 4}\nnodes: {a: {}, b: {}}\nswitches: {sw0: {nt-pairs: [[a, b]]}}\n"
MIB = 1 << 20
RINGS, SOURCE, TARGET, FAR = 0x100000, 0x2000000, 0x3000000, 0x4000000     # in a's memory, but for FAR: in b's
NOWHERE = 0xC0_0000_0000


@pytest.fixture
def pair():
    pair = Pair(tempfile.mkdtemp(prefix="ntb-"), memory="256M", topology=TOPOLOGY, dma=4)
    pair.b.open_direct(pair.a, 4, FAR, MIB)     # a's BAR4 begins with 1 MiB of b
    yield pair
    pair.close()


@pytest.fixture
def engine(pair):
    return DmaEngine(pair.a, function=1)


@pytest.fixture
def channel(engine):
    return engine.channel(0, RINGS)


def test_the_function_is_one_of_two(pair, engine):
    assert engine.config_read(0, 4) == pair.a.config_read(0, 4)
    assert engine.config_read(8, 4) >> 8 == 0x088000
    assert pair.a.config_read(0x0E, 1) == 0x80 and engine.config_read(CAP_EXP, 1) == 0x10
    assert (engine.config_read(CAP_MSIX + 2, 2) & 0x7FF) + 1 == 5
    assert pair.a.load(dma_engine.BAR0 + 0x84, 4) == 4


@pytest.mark.parametrize("size", [1, 8, 4096, 65537, MIB])
def test_own_memory_and_the_peers_are_reached(pair, channel, size):
    data = os.urandom(size)
    pair.a.write(SOURCE, data)
    for target, machine, at in ((TARGET, pair.a, TARGET), (pair.a.bar[4], pair.b, FAR)):
        done = channel.run(copy(SOURCE, target, size))
        assert (done.status, done.completed) == (0, size)
        assert machine.read(at, size) == data
    pair.a.write(TARGET, bytes(size))
    assert channel.run(copy(pair.a.bar[4], TARGET, size)).status == 0     # a read through the window
    assert pair.a.read(TARGET, size) == data


def test_interrupts_are_sent_behind_the_completion(pair, engine, channel):
    table = dma_engine.BAR0 + (engine.config_read(CAP_MSIX + 4, 4) & ~7)
    for vector in range(5):
        pair.a.store(table + 16 * vector, 8, 0x5000000 + 4 * vector)
        pair.a.store(table + 16 * vector + 8, 8, 0xD00 + vector)
    engine.config_write(CAP_MSIX + 2, 2, 0x8000)
    channel.run(dict(opcode=NOP))
    place = channel.submit(**copy(SOURCE, TARGET, 64, control=dma_engine.INTERRUPT))
    wait_for("its message", lambda: pair.a.load(0x5000004, 4) == 0xD01)
    assert channel.wait(place).status == 0
    assert len(pair.a.trace("switchtec_dma_interrupt")) == 1


# What is wrong, the completion's status, and whether the channel pauses for it.
MISTAKES = {
    "reserved opcode": (dict(opcode=3), INVALID_COMMAND, True),
    "remote host interrupt": (dict(opcode=6), INVALID_COMMAND, True),
    "nothing to copy": (copy(SOURCE, TARGET, 0), LENGTH, False),
    "more than 1 MiB": (copy(SOURCE, TARGET, MIB + 1), LENGTH, False),
    "all ones": (copy(SOURCE, TARGET, 0xFFFFFFFF), LENGTH, False),
    "source nowhere": (copy(NOWHERE, TARGET, 4096), UNSUPPORTED, False),
    "source that ends in the midst": (copy(0xFFF_F800, TARGET, 4096), UNSUPPORTED, False),
    "target nowhere": (copy(SOURCE, NOWHERE, 4096), ABORTED, False),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_and_harms_nothing_else(pair, engine, channel, repeat, mistake):
    request, status, pauses = MISTAKES[mistake]
    other = engine.channel(1, RINGS + 0x10000)
    data = os.urandom(4096)
    pair.a.write(SOURCE, data)
    for _ in range(repeat(50)):
        assert channel.run(request).status == status
        if pauses:
            channel.wait_status(PAUSED | RESERVED_OPCODE)
            channel.control(dma_engine.ERROR_PAUSE)
        assert other.run(copy(SOURCE, TARGET + 8192, 4096)).status == 0
        assert channel.run(copy(SOURCE, pair.a.bar[4], 4096)).status == 0
    assert pair.b.read(FAR, 4096) == data == pair.a.read(TARGET + 8192, 4096)


def test_unaligned_addresses_and_counts_are_copied_to_the_byte(pair, channel, repeat):
    for step in range(repeat(50)):
        begin, count = 4093 + step, 1 + 977 * step
        data = os.urandom(count)
        pair.a.write(SOURCE + begin, data)
        pair.b.write(FAR, bytes(65536))
        assert channel.run(copy(SOURCE + begin, pair.a.bar[4] + 3, count)).status == 0
        assert pair.b.read(FAR, count + 6) == bytes(3) + data + bytes(3)


def test_a_closed_window_is_told(pair, channel, repeat):
    for _ in range(repeat(50)):
        assert channel.run(copy(SOURCE, pair.a.bar[4] + MIB, 4096)).status == 0      # posted: lost, as a CPU's stores are
        done = channel.run(copy(pair.a.bar[4] + MIB, TARGET, 64))
        assert done.status == 0 and pair.a.read(TARGET, 64) == b"\xff" * 64


def test_rings_that_make_no_sense_start_nothing(pair, engine, repeat):
    for _ in range(repeat(50)):
        channel = engine.channel(2, RINGS)
        channel.enable(entries=0)
        channel.submit(**copy(SOURCE, TARGET, 64))
        channel.wait_status(PAUSED)
        channel.enable()
        assert channel.run(copy(SOURCE, TARGET, 64)).status == 0


def test_a_channel_is_halted_in_its_work(pair, engine, channel, repeat):
    other = engine.channel(1, RINGS + 0x10000)
    for _ in range(repeat(50)):
        for _ in range(8):
            channel.submit(**copy(SOURCE, pair.a.bar[4], MIB))
        channel.control(HALT)
        channel.wait_status(HALTED)
        assert other.run(copy(SOURCE, TARGET, 4096)).status == 0
        channel.enable()
        assert channel.run(copy(SOURCE, TARGET, 4096)).status == 0


def test_a_reset_of_the_function_in_its_work(pair, engine, repeat):
    for _ in range(repeat(50)):
        channels = [engine.channel(number, RINGS + 0x10000 * number) for number in range(4)]
        for channel in channels:
            for _ in range(8):
                channel.submit(**copy(SOURCE, pair.a.bar[4], MIB))
        engine.function_level_reset()
        pair.b.write(FAR, bytes(64))
        assert pair.a.load(dma_engine.BAR0 + 0x84, 4) != 4, "its BAR is gone with the reset"
        engine.__init__(pair.a, 1)
        assert pair.b.read(FAR, 64) == bytes(64), "it wrote after its reset"
        assert engine.channel(0, RINGS).run(copy(SOURCE, pair.a.bar[4], 64)).status == 0


def test_a_peer_that_dies_in_its_work(pair, engine, repeat):
    for _ in range(repeat(50)):
        channel = engine.channel(0, RINGS)
        places = [channel.submit(**copy(SOURCE, pair.a.bar[4], MIB)) for _ in range(16)]
        pair.b.close(signal.SIGKILL)
        assert {channel.wait(place).status for place in places} == {0}, "posted writes are lost without a word"
        assert channel.run(copy(SOURCE, TARGET, 4096)).status == 0
        pair.b = pair.boot(1)
        pair.b.open_direct(pair.a, 4, FAR, MIB)
