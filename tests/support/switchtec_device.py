# SPDX-License-Identifier: MIT
"""A guest's /dev/switchtec0, as a management program in that guest has it: firmware commands, ioctls, sysfs, the GAS.

    with SwitchtecDevice(pair, "a") as device:
        assert device.command(0x41, struct.pack("<I", 7), 4) == (0, struct.pack("<I", 0xFFFFFFF8))

Numbers and structures: include/uapi/linux/switchtec_ioctl.h of Linux."""

import json
import os
import pathlib
import struct
import subprocess

from .ntblab_cli import NTBLAB

CALLS = pathlib.Path(__file__).parent / "guest" / "switchtec_calls.py"
EVENTS = {"stack-error": 0, "part-reset": 13, "mrpc-comp": 14, "mrpc-comp-async": 15, "threshold": 23, "link-state": 28, "gfms": 29}
CLEAR, ENABLE_POLL, DISABLE_POLL = 1 << 0, 1 << 1, 1 << 5
ALL = -2          # of the partitions or ports, as the index of an event
VEP = 100         # the port number of a partition's virtual endpoint
ACTIVE, RUNNING = 1, 2


def _request(number, size, also_in):
    """_IOR and _IOWR of asm-generic/ioctl.h, of type 'W'."""
    return (2 | also_in) << 30 | size << 16 | ord("W") << 8 | number


class Refused(Exception):
    """The kernel's error: its number in `errno`."""

    def __init__(self, number):
        super().__init__(os.strerror(number))
        self.errno = number


class SwitchtecDevice:
    """The device of a node of a running cluster. Its guest needs iomem=relaxed, since a driver has BAR0."""

    def __init__(self, cluster, node):
        cluster.put(node, "/root/switchtec_calls.py", CALLS.read_bytes())
        self._calls = subprocess.Popen([NTBLAB, "exec", f"{cluster.name}/{node}", "--", "python3", "/root/switchtec_calls.py"],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                       env=dict(os.environ, NTBLAB_RUN_DIR=str(cluster.run_dir)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._calls.communicate()

    def _ask(self, *request):
        self._calls.stdin.write(json.dumps(request) + "\n")
        self._calls.stdin.flush()
        line = self._calls.stdout.readline()
        assert line, "the program in the guest has ended; why is on standard error"
        answer = json.loads(line)
        if isinstance(answer, dict):
            raise Refused(answer["errno"])
        return answer

    def _ioctl(self, number, layout, *values, also_in=True):
        answer = self._ask("ioctl", _request(number, struct.calcsize(layout), also_in), struct.pack(layout, *values).hex())
        return struct.unpack(layout, bytes.fromhex(answer))

    def command(self, number, data=b"", size=0):
        """Runs a firmware command: (return value, `size` bytes of its output)."""
        code, output = self._ask("command", number, data.hex(), size)
        return code, bytes.fromhex(output)

    def answer(self, number, data, layout):
        """The output, unpacked, of a firmware command that must succeed."""
        code, output = self.command(number, data, struct.calcsize(layout))
        assert code == 0, f"command 0x{number:x} returned 0x{code:x}"
        return struct.unpack(layout, output)

    def log(self, subcommand):
        """All entries of a log of the firmware: [(time stamp, event, arguments...)]. Subcommand 13 is Gen4's log in RAM."""
        entries, start, remain = [], 0xFFFFFFFF, 1
        while remain:
            data = struct.pack("<BB6xIII", subcommand, 0, 0, 0, start)
            count, remain, start, page = self.answer(0x06, data, "<8xIII12x992s")
            assert count > 0, f"{remain} entries remain, and none comes"
            for index in range(count):
                high, low, *event = struct.unpack_from("<8I", page, 32 * index)
                entries.append((high << 32 | low, *event))
        return entries

    def attribute(self, name):
        return self._ask("attribute", name)

    def load(self, offset, size=4):
        return self._ask("load", offset, size)

    def store(self, offset, value, size=4):
        self._ask("store", offset, size, value)

    def wait_event(self, milliseconds):
        """Whether an event came (POLLPRI) that no summary has been read since."""
        return self._ask("poll", 2, milliseconds) & 2 != 0

    def flash_info(self):
        """(bytes, number of parts)."""
        return self._ioctl(0x40, "<QIxxxx", 0, 0, also_in=False)

    def flash_part(self, part):
        """(address, length, ACTIVE | RUNNING)."""
        return self._ioctl(0x41, "<IIII", part, 0, 0, 0)[1:]

    def event_summary(self):
        """{"global", "partition_bitmap", "local", "partitions": [48], "ports": [255]}."""
        values = self._ioctl(0x42, "<QQIxxxx48I255Ixxxx", *[0] * 306, also_in=False)
        return {"global": values[0], "partition_bitmap": values[1], "local": values[2], "partitions": values[3:51], "ports": values[51:]}

    def event(self, name, index, flags=0):
        """(occurred, count) as it was before `flags` took effect; with ALL those of the last one."""
        return self._ioctl(0x43, "<IiIII20x", EVENTS[name], index, flags, 0, 0)[3:]

    def event_flags(self, name, index):
        return self._ioctl(0x43, "<IiIII20x", EVENTS[name], index, 0, 0, 0)[2]

    def pff_to_port(self, pff):
        """(partition, port)."""
        return self._ioctl(0x44, "<III", pff, 0, 0)[1:]

    def port_to_pff(self, partition, port):
        return self._ioctl(0x45, "<III", 0, partition, port)[0]
