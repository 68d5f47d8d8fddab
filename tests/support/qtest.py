# SPDX-License-Identifier: MIT
"""QEMU without a guest: the test is the CPU (QEMU's qtest protocol: a line out, a line back).

    with QtestMachine(directory, memory="1G", arguments=["-device", "pcie-root-port,id=rp0,addr=1"]) as machine:
        machine.write(0x1000, b"hello")
        assert machine.pci_read(0, 1, 0, 0x00, 4) & 0xFFFF == 0x1B36
"""

import os
import pathlib
import re
import signal
import socket
import subprocess

from .monitor import Monitor
from .ntblab_cli import BIN, LIMIT, wait_for

SHARE = pathlib.Path(os.environ.get("NTBLAB_SHARE", BIN.parent / "share" / "ntblab"))
QEMU = SHARE / "qemu" / "bin" / "qemu-system-x86_64"
LIBRARIES = pathlib.Path(os.environ.get("NTBLAB_LIB_DIR", BIN.parent / "lib"))
ENVIRONMENT = dict(os.environ, LD_LIBRARY_PATH=str(LIBRARIES))


def command_line(memory, arguments, shared=True):
    """QEMU's, with its RAM in one memory backend of `memory` (as QEMU writes sizes)."""
    return [str(QEMU), "-L", str(SHARE / "qemu" / "share"), "-nodefaults", "-display", "none", "-accel", "qtest",
            "-machine", "q35,memory-backend=ram", "-m", memory,
            "-object", f"memory-backend-memfd,id=ram,size={memory},share={'on' if shared else 'off'}", *arguments]


class QtestMachine:
    """A q35 machine in `directory` (a short path: it holds sockets). Its trace goes to directory/qemu.log."""

    def __init__(self, directory, memory, arguments=()):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.log = self.directory / "qemu.log"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.directory / "qtest.sock"))
        listener.listen()
        listener.settimeout(LIMIT)
        self.output = open(self.directory / "qemu.output", "w+")
        self.process = subprocess.Popen(
            command_line(memory, ["-qtest", f"unix:{self.directory}/qtest.sock", "-qtest-log", "/dev/null",
                                  "-qmp", f"unix:{self.directory}/qmp.sock,server=on,wait=off",
                                  "-D", str(self.log), *arguments]),
            stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output, env=ENVIRONMENT)
        self.socket = self._accept(listener)
        self.replies = self.socket.makefile("r")
        self._qmp = None

    def _accept(self, listener):
        listener.settimeout(0.2)
        while True:
            try:
                connection, _ = listener.accept()
                connection.settimeout(LIMIT)
                return connection
            except TimeoutError:
                if self.process.poll() is not None:
                    raise AssertionError(f"QEMU ended at once: {self.messages()}") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self, with_signal=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
        self.process.wait(LIMIT)
        self.socket.close()
        self.output.close()

    def messages(self):
        """What QEMU said on stdout and stderr."""
        return (self.directory / "qemu.output").read_text()

    def trace(self, event):
        """Lines of a trace event so far, without the event's name."""
        text = self.log.read_text() if self.log.exists() else ""
        return re.findall(rf"^(?:\d+@\d+\.\d+:)?{event} (.*)$", text, flags=re.MULTILINE)

    # --- qtest

    def command(self, text):
        self.socket.sendall(text.encode() + b"\n")
        reply = self.replies.readline().split()
        if not reply or reply[0] != "OK":
            raise AssertionError(f"qtest '{text[:60]}': answered {' '.join(reply) or 'by hanging up'}; {self.messages()}")
        return reply[1] if len(reply) > 1 else None

    def pass_time(self, milliseconds):
        """The machine's clock, which stands still otherwise."""
        self.command(f"clock_step {milliseconds * 1000000}")

    def load(self, address, size):
        """One load of 1, 2, 4 or 8 bytes by the CPU."""
        return int(self.command(f"read{dict(zip((1, 2, 4, 8), 'bwlq'))[size]} 0x{address:x}"), 16)

    def store(self, address, size, value):
        self.command(f"write{dict(zip((1, 2, 4, 8), 'bwlq'))[size]} 0x{address:x} 0x{value:x}")

    def read(self, address, size):
        return bytes.fromhex(self.command(f"read 0x{address:x} 0x{size:x}")[2:])

    def write(self, address, data):
        self.command(f"write 0x{address:x} 0x{len(data):x} 0x{data.hex()}")

    # --- PCI configuration space, by the ports 0xCF8 and 0xCFC

    def pci_read(self, bus, device, function, offset, size):
        self.command(f"outl 0xcf8 0x{1 << 31 | bus << 16 | device << 11 | function << 8 | offset & ~3:x}")
        return int(self.command(f"in{dict(zip((1, 2, 4), 'bwl'))[size]} 0x{0xcfc + offset % 4:x}"), 16)

    def pci_write(self, bus, device, function, offset, size, value):
        self.command(f"outl 0xcf8 0x{1 << 31 | bus << 16 | device << 11 | function << 8 | offset & ~3:x}")
        self.command(f"out{dict(zip((1, 2, 4), 'bwl'))[size]} 0x{0xcfc + offset % 4:x} 0x{value:x}")

    def ecam_read(self, bus, device, function, offset):
        """A dword, also of the extended configuration space: where the Q35 chipset has it once PCIEXBAR is set."""
        base = 0xB0000000
        self.pci_write(0, 0, 0, 0x60, 4, base | 1)
        return self.load(base + (bus << 20 | device << 15 | function << 12 | offset), 4)

    # --- QMP

    def qmp(self, command, **arguments):
        if self._qmp is None:
            wait_for("QMP socket", lambda: (self.directory / "qmp.sock").exists())
            self._qmp = Monitor(self.directory / "qmp.sock", LIMIT)
        return self._qmp.command(command, **arguments)
