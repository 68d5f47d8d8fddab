# SPDX-License-Identifier: MIT
"""A machine's DMA function under a driver of ours (by qtest), which makes the mistakes that mainline's does not.

    engine = DmaEngine(machine, function=1)
    channel = engine.channel(0, rings=0x100000)
    assert channel.run(copy(0x2000000, 0x3000000, 4096)).status == 0

Registers, ring entries and status bits: Linux 7.1 drivers/dma/switchtec_dma.c.
"""

import collections
import struct

from .ntblab_cli import wait_for

BAR0 = 0xB0_0000_0000
COMMAND, MEMORY, MASTER, CAP_EXP = 0x04, 0x2, 0x4, 0x64
HARDWARE, FIRMWARE = 0x1000, 0x160000      # of a channel: + 0x1000 n, + 0x80 n
ENABLE, BUFFERS = 1 << 1, 16
PAUSE, HALT, RESET, ERROR_PAUSE = 1, 2, 4, 8
PAUSED, HALTED, RESERVED_OPCODE = 1 << 9, 1 << 10, 1 << 28
ENTRIES, ENTRY_SIZE = 64, 32
COPY, READ_IMMEDIATE, WRITE_IMMEDIATE, REMOTE_INTERRUPT, NOP = 0, 1, 2, 6, 7
INTERRUPT, FENCE = 1 << 6, 1 << 7
# Bits of a completion's status
LENGTH, UNSUPPORTED, ABORTED, INVALID_COMMAND = 1 << 0, 1 << 1, 1 << 2, 1 << 16

Completion = collections.namedtuple("Completion", "immediate completed status identifier phase")


def submission(opcode, source=0, destination=0, count=0, control=0, identifier=0):
    return struct.pack("<BBHHHIQQI", opcode, control, 0, 0, identifier, count, source, destination, 0)


def copy(source, destination, count, **more):
    return dict(opcode=COPY, source=source, destination=destination, count=count, **more)


class DmaEngine:
    """The function, enumerated after its NT endpoint."""

    def __init__(self, machine, function):
        self.machine, self.function = machine, function
        self.config_write(0x10, 4, BAR0 & 0xFFFFFFFF)
        self.config_write(0x14, 4, BAR0 >> 32)
        self.config_write(COMMAND, 2, MEMORY | MASTER)

    def config_write(self, offset, size, value):
        self.machine.pci_write(self.machine.bus, 0, self.function, offset, size, value)

    def config_read(self, offset, size):
        return self.machine.pci_read(self.machine.bus, 0, self.function, offset, size)

    def function_level_reset(self):
        self.config_write(CAP_EXP + 8, 2, self.config_read(CAP_EXP + 8, 2) | 1 << 15)

    def channel(self, number, rings):
        return Channel(self.machine, number, rings)


class Channel:
    """A channel with a submission ring at `rings` and a completion ring behind it."""

    def __init__(self, machine, number, rings):
        self.machine, self.number = machine, number
        self.submissions, self.completions = rings, rings + ENTRIES * ENTRY_SIZE
        self.enable()

    def hardware(self, offset):
        return BAR0 + HARDWARE + 0x1000 * self.number + offset

    def firmware(self, offset):
        return BAR0 + FIRMWARE + 0x80 * self.number + offset

    def control(self, bits):
        self.machine.store(self.hardware(8), 1, bits)

    def status(self):
        return self.machine.load(self.hardware(0xC), 4)

    def wait_status(self, bits):
        wait_for(f"status {bits:#x} of channel {self.number}", lambda: self.status() & bits == bits, interval=0.002)

    def enable(self, entries=ENTRIES):
        """As the driver's allocation of a channel."""
        self.machine.write(self.submissions, bytes(2 * ENTRIES * ENTRY_SIZE))
        self.tail, self.phase = 0, 1
        self.machine.store(self.firmware(0), 4, 0)
        for base, size, address in ((0x04, 0x0C, self.completions), (0x10, 0x18, self.submissions)):
            self.machine.store(self.firmware(base), 4, address & 0xFFFFFFFF)
            self.machine.store(self.firmware(base + 4), 4, address >> 32)
            self.machine.store(self.firmware(size), 2, entries)
        self.machine.store(self.firmware(0), 4, BUFFERS << 12 | BUFFERS * self.number << 2 | ENABLE)
        self.control(RESET | ERROR_PAUSE)
        self.control(ERROR_PAUSE)

    def submit(self, opcode, **fields):
        """Writes an entry and rings; returns its place in the ring."""
        place = self.tail
        self.machine.write(self.submissions + place * ENTRY_SIZE, submission(opcode, identifier=place, **fields))
        self.tail = (self.tail + 1) % ENTRIES
        self.machine.store(self.hardware(4), 2, self.tail)
        return place

    def completion(self, place):
        """What the ring has at that place now; None: nothing of this pass."""
        entry = self.machine.read(self.completions + place * ENTRY_SIZE, ENTRY_SIZE)
        immediate, _, completed, _, _, _, status, identifier, phase = struct.unpack("<QIIHHIIHH", entry)
        return Completion(immediate, completed, status, identifier, phase) if phase == self.phase else None

    def wait(self, place):
        found = wait_for(f"completion {place} of channel {self.number}", lambda: self.completion(place), interval=0.001)
        assert found.identifier == place
        if place == ENTRIES - 1:
            self.phase ^= 1
        self.machine.store(self.hardware(0), 2, (place + 1) % ENTRIES)
        return found

    def run(self, request):
        return self.wait(self.submit(**request))
