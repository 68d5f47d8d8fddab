# SPDX-License-Identifier: MIT
"""Two machines without guests whose NT endpoints are joined by a real ntb-fabric, and what a driver would do to them.

    with Pair(directory) as (a, b):
        a.open_direct(b, bar=4, address=0x1000000, size=0x10000)   # shows a's memory to b, at the start of b's BAR4
        b.store(b.bar[4], 8, 42)
        assert a.load(0x1000000, 8) == 42

Registers: as the Linux drivers use them (include/linux/switchtec.h, drivers/ntb/hw/mscc).
"""

import os
import pathlib
import shutil
import signal
import subprocess

from .ntblab_cli import BIN, LIMIT, wait_for
from .qtest import ENVIRONMENT, QtestMachine

# Where this test, as firmware, puts the BARs: apart from RAM, aligned to their sizes.
BAR_BASE = {0: 0x80_0000_0000, 2: 0x90_0000_0000, 4: 0xA0_0000_0000}
COMMAND, MEMORY, MASTER = 0x04, 0x2, 0x4
CAP_MSI, CAP_MSIX, CAP_PM, CAP_EXP = 0x40, 0x50, 0x5C, 0x64
NTB_CTRL, NTB_CTRL_STRIDE = 0x14000, 0x2000
DBMSG, DBMSG_STRIDE = 0x74000, 0x4000
ODB, ODB_MASK, IDB, IDB_MASK, IDB_VECTOR, MSG_MAP, OMSG, IMSG = 0x1000, 0x1008, 0x1010, 0x1018, 0x1020, 0x1060, 0x1068, 0x1088
LOCK, CONFIGURE, RESET = 1, 2, 3
NORMAL, LOCKED, LOCKING, CONFIGURING, RESETTING = 1, 2, 3, 4, 5
LUT_PAGE = 0x10000
MESSAGE_GAP, LINK_GAP = 100, 1000  # ms


class Endpoint(QtestMachine):
    """A machine with a root port at 00:01.0 and the NT endpoint at 01:00.0, or 01:00.1 beside an upstream port, enumerated.
    With `dma` channels the DMA function is the next function.

    With `incoming` (a file that `save` wrote) it goes on as the machine that was saved."""

    def __init__(self, directory, fabric, partition, memory="1G", properties="", upstream_port=False, dma=0, traced=True, incoming=None):
        self.partition, self.bar, self.bus = partition, dict(BAR_BASE), 1
        self.function = 1 if upstream_port else 0
        super().__init__(directory, memory, [
            "-device", "pcie-root-port,id=rp0,chassis=1,slot=1,addr=1,x-speed=16,x-width=16",
            *(["-device", "switchtec-usp,bus=rp0,addr=0.0,multifunction=on"] if upstream_port else []),
            "-device", f"switchtec-ntb,id=ntb{partition},bus=rp0,addr=0.{self.function},fabric={fabric},switch=sw0,"
                       f"partition={partition}{',multifunction=on' if dma and not upstream_port else ''}{properties}",
            *(["-device", f"switchtec-dma,id=dma{partition},bus=rp0,addr=0.{self.function + 1},ntb=ntb{partition},channels={dma}"] if dma else []),
            *(["-trace", "switchtec_*"] if traced else []), *(["-incoming", f"file:{incoming}"] if incoming else [])])
        if incoming:
            wait_for("the machine to go on", lambda: self.qmp("query-status")["status"] == "running")
        else:
            self.enumerate()

    def save(self, file):
        """Writes the machine's state, and stops it. Returns None, or why that failed; then it runs on."""
        self.qmp("migrate", uri=f"file:{file}")

        def ended():
            migration = self.qmp("query-migrate")
            return migration if migration.get("status") in ("completed", "failed") else None
        migration = wait_for("the machine's state in a file", ended)
        return None if migration["status"] == "completed" else migration.get("error-desc", "failed")

    def enumerate(self, bus=1, command=MEMORY | MASTER):
        """What firmware and driver do after a reset."""
        self.bus = bus
        for offset, size, value in ((0x18, 1, 0), (0x19, 1, bus), (0x1A, 1, bus),
                                    (0x20, 4, 0x0000FFF0),                        # no 32-bit window
                                    (0x24, 2, 0x0001), (0x26, 2, 0xFFF1),         # prefetchable, 64-bit
                                    (0x28, 4, 0x80), (0x2C, 4, 0xFF), (COMMAND, 2, MEMORY | MASTER)):
            self.pci_write(0, 1, 0, offset, size, value)
        for index, base in self.bar.items():
            self.config_write(0x10 + 4 * index, 4, base & 0xFFFFFFFF)
            self.config_write(0x14 + 4 * index, 4, base >> 32)
        self.config_write(COMMAND, 2, command)

    def config_read(self, offset, size):
        return self.pci_read(self.bus, 0, self.function, offset, size)

    def config_write(self, offset, size, value):
        self.pci_write(self.bus, 0, self.function, offset, size, value)

    def set_command(self, bits):
        self.config_write(COMMAND, 2, bits)

    def function_level_reset(self):
        self.config_write(CAP_EXP + 8, 2, self.config_read(CAP_EXP + 8, 2) | 1 << 15)

    def secondary_bus_reset(self):
        control = self.pci_read(0, 1, 0, 0x3E, 2)
        self.pci_write(0, 1, 0, 0x3E, 2, control | 0x40)
        self.pci_write(0, 1, 0, 0x3E, 2, control & ~0x40)

    def unplug(self):
        """Takes the endpoint out while the machine runs: asks for it as the user, and ejects it as the guest's ACPI code."""
        assert self.qmp("device_del", id=f"ntb{self.partition}") == {}
        for bus in range(2):  # the numbers of the buses that ACPI knows (docs/specs/acpi_pci_hotplug.rst of QEMU)
            self.command(f"outl 0xcd0 0x{bus:x}")
            self.command("outl 0xcc8 0x1")

    # --- GAS

    def gas_read(self, offset, size=4):
        return self.load(self.bar[0] + offset, size)

    def gas_write(self, offset, value, size=4):
        self.store(self.bar[0] + offset, size, value)

    def dbmsg(self, register):
        return DBMSG + self.partition * DBMSG_STRIDE + register

    # --- windows of `peer` into this machine's memory, in the peer's control block as the driver does it

    def control(self, peer, register):
        return NTB_CTRL + peer.partition * NTB_CTRL_STRIDE + register

    def operate(self, peer, operation, wanted):
        self.gas_write(self.control(peer, 4), operation)

        def settled():
            state = self.gas_read(self.control(peer, 0)) & 0xFFFF
            return state if state not in (LOCKING, CONFIGURING, RESETTING) else None
        state = wait_for(f"end of operation {operation} on partition {peer.partition}", settled, interval=0.002)
        assert state == wanted, f"operation {operation} on partition {peer.partition} ended in state {state}; errors: " + \
            ", ".join(f"0x{self.gas_read(self.control(peer, register)):08x}" for register in (0x10, 0x18, 0x20))

    def configure(self, peer, *writes):
        """Lock, register writes (offset, size, value) or functions, configure."""
        self.operate(peer, LOCK, LOCKED)
        for offset, size, value in writes:
            self.gas_write(self.control(peer, offset), value, size)
        self.operate(peer, CONFIGURE, NORMAL)

    def list_requesters(self):
        """What the driver's probe does first, in its own control block: lets the root complex and the endpoint itself through."""
        self.configure(self, (0x400, 4, 1), (0x404, 4, self.gas_read(0x1000C, 2) << 16 | 1))

    def bar_control(self, peer, bar):
        return self.gas_read(self.control(peer, 0x40 + 16 * bar))

    def open_direct(self, peer, bar, address, size):
        """A direct window of `peer` onto `size` bytes (a power of two) at our `address`."""
        at = 0x40 + 16 * bar
        self.configure(peer, (at, 4, self.bar_control(peer, bar) | 1 << 4),
                       (at + 4, 4, size.bit_length() - 1 | size & 0xFFFFF000), (0xA0 + 16 * bar, 4, size >> 32),
                       (at + 8, 8, address | self.partition))

    def close_direct(self, peer, bar):
        at = 0x40 + 16 * bar
        self.configure(peer, (at, 4, self.bar_control(peer, bar) & ~(1 << 4)), (at + 4, 4, 0), (0xA0 + 16 * bar, 4, 0),
                       (at + 8, 8, peer.partition))

    def open_lut(self, peer, entries, count=64):
        """LUT windows of `peer` in its BAR2: `entries` maps an index to our address, or to None for one that is closed."""
        control = self.bar_control(peer, 2) & 0xFF | 1 << 5 | 16 << 8 | count - 1 << 14
        writes = [(0x1000 + 8 * index, 8, 0 if address is None else address | self.partition << 1 | 1)
                  for index, address in entries.items()]
        self.configure(peer, (0x40 + 16 * 2, 4, control), *writes)

    # --- interrupts

    def enable_msix(self, address, data=0x1000):
        """Vector i writes `data` + i to `address` + 4 i: memory, where it can be seen."""
        table = self.bar[0] + (self.config_read(CAP_MSIX + 4, 4) & ~7)
        count = (self.config_read(CAP_MSIX + 2, 2) & 0x7FF) + 1
        for vector in range(count):
            self.store(table + 16 * vector, 8, address + 4 * vector)
            self.store(table + 16 * vector + 8, 8, data + vector)
        self.config_write(CAP_MSIX + 2, 2, 0x8000)
        return count

    def enable_doorbells(self, vectors=(1, 2), mask=(1 << 64) - 1):
        """Doorbells 0..59 interrupt by vectors[0], messages by vectors[1]; message i goes to the other host's i."""
        for bit in range(64):
            self.gas_write(self.dbmsg(IDB_VECTOR + bit), vectors[bit >= 60], 1)
        self.gas_write(self.dbmsg(ODB_MASK), (1 << 64) - 1, 8)
        self.gas_write(self.dbmsg(IDB_MASK), mask, 8)
        peer = 1 - self.partition
        self.gas_write(self.dbmsg(MSG_MAP), sum((index | peer << 2) << 8 * index for index in range(4)))
        for index in range(4):
            self.gas_write(self.dbmsg(IMSG + 8 * index), 1 << 32 | 1 << 40, 8)
        self.pass_time(MESSAGE_GAP)

    def ring(self, bits):
        self.gas_write(self.dbmsg(ODB), bits, 8)

    def send(self, index, message):
        self.gas_write(self.dbmsg(OMSG + 8 * index), message)

    def interrupts(self):
        """Vectors sent so far, in order."""
        return [int(line.split("vector ")[1].split()[0]) for line in self.trace("switchtec_ntb_interrupt")]


class Pair:
    """ntb-fabric and the machines of topologies/pair.yaml (or another text) in a directory."""

    def __init__(self, directory, memory="1G", topology=None, properties="", upstream_port=False, dma=0, traced=True):
        self.directory = pathlib.Path(directory)
        self.machine = {"memory": memory, "properties": properties, "upstream_port": upstream_port, "dma": dma, "traced": traced}
        text = topology or (pathlib.Path(__file__).resolve().parents[2] / "topologies" / "pair.yaml").read_text()
        (self.directory / "topology.yaml").write_text(text)
        self.run_dir = self.directory / "run"
        self.run_dir.mkdir(mode=0o700)
        ready_read, ready_write = os.pipe()
        self.fabric = subprocess.Popen(
            [str(BIN / "ntb-fabric"), "--topology", str(self.directory / "topology.yaml"), "--run-dir", str(self.run_dir),
             "--ready-fd", str(ready_write)], pass_fds=[ready_write], stdin=subprocess.DEVNULL, env=ENVIRONMENT,
            stderr=open(self.directory / "fabric.log", "w"))
        os.close(ready_write)
        with os.fdopen(ready_read, "rb") as ready:
            assert ready.read(1), f"ntb-fabric did not start: {(self.directory / 'fabric.log').read_text()}"
        self.boots = 0
        self.a, self.b = self.boot(0), self.boot(1)

    def boot(self, partition, incoming=None):
        self.boots += 1
        machine = Endpoint(self.directory / f"{'ab'[partition]}{self.boots}", self.run_dir / "fabric.sock", partition,
                           incoming=incoming, **self.machine)
        if not incoming:
            machine.list_requesters()
        return machine

    def __enter__(self):
        return self.a, self.b

    def __exit__(self, *_):
        self.close()

    def close(self):
        for machine in (self.a, self.b):
            machine.close()
        if self.fabric.poll() is None:
            self.fabric.send_signal(signal.SIGTERM)
            assert self.fabric.wait(LIMIT) == 0, (self.directory / "fabric.log").read_text()
        shutil.rmtree(self.directory, ignore_errors=True)
