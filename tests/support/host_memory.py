# SPDX-License-Identifier: MIT
"""A guest's physical memory as its host sees it, by the memfd that backs it: a view that no driver is part of."""

import os
import pathlib
import re


def window_target(inspection, node, bar, offset):
    """(address, size) at the peer of the window that begins at `offset` of `bar` of `node`'s endpoint; None: it is closed."""
    for switch in inspection["switches"]:
        for partition in switch["partitions"]:
            for window in partition["windows"]:
                if (partition["node"], window["bar"], window["offset"]) == (node, bar, offset):
                    return window["address"], window["size"]
    return None


class GuestMemory:
    """Guests of the tests have less than 2 GiB, so a physical address is an offset into the one memfd (q35, below 4 GiB)."""

    def __init__(self, path):
        self._fd = os.open(path, os.O_RDWR)

    def read(self, address, size):
        return os.pread(self._fd, size, address)

    def write(self, address, data):
        assert os.pwrite(self._fd, data, address) == len(data)

    def find(self, pattern):
        """Matches of a pattern (bytes) that lie in one page each, with their addresses, in what the guest has used of its memory."""
        end = os.fstat(self._fd).st_size
        at = 0
        while True:
            try:
                at = os.lseek(self._fd, at, os.SEEK_DATA)
            except OSError:  # no more data
                return
            hole = os.lseek(self._fd, at, os.SEEK_HOLE)
            while at < min(hole, end):
                part = os.pread(self._fd, min(hole - at, 1 << 24), at)
                yield from ((at + match.start(), match) for match in re.finditer(pattern, part))
                at += len(part)

    def __del__(self):
        os.close(self._fd)


def guest_memory(cluster, node):
    """The memory of a running node."""
    for descriptor in pathlib.Path(f"/proc/{cluster.qemu_pid(node)}/fd").iterdir():
        if "/memfd:memory-backend-memfd" in os.readlink(descriptor):
            return GuestMemory(descriptor)
    raise AssertionError(f"QEMU of {node} has no RAM in a memfd")
