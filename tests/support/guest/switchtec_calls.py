# SPDX-License-Identifier: MIT
"""Runs in a guest: does to a Switchtec device what it is told, a request in JSON a line, and answers each with a line.

    ["command", NUMBER, INPUT, SIZE]   a firmware command by write() and read() of the character device: [return value, output]
    ["ioctl", REQUEST, BUFFER]         the buffer as the driver leaves it
    ["poll", EVENTS, MILLISECONDS]     the events that are there
    ["load", OFFSET, SIZE]             one load from the GAS (BAR0, from 0x1000 on), 1, 2, 4 or 8 bytes
    ["store", OFFSET, SIZE, VALUE]     one store
    ["attribute", NAME]                a file of the class device in sysfs

Bytes are hexadecimal. A request that the kernel refuses is answered with {"errno": NUMBER}."""

import ctypes
import fcntl
import json
import mmap
import os
import select
import sys

CLASS = "/sys/class/switchtec/switchtec0"
DEVICE = os.open("/dev/switchtec0", os.O_RDWR)
# Not the first page, which the driver has mapped write-combining: the kernel refuses a second mapping of another kind.
FIRST, END = 0x1000, 4 << 20
GAS = mmap.mmap(os.open(f"{CLASS}/device/resource0", os.O_RDWR), END - FIRST, offset=FIRST)
TYPES = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32, 8: ctypes.c_uint64}


def command(number, data, size):
    os.write(DEVICE, number.to_bytes(4, "little") + bytes.fromhex(data))
    answer = os.read(DEVICE, 4 + size)
    return [int.from_bytes(answer[:4], "little"), answer[4:].hex()]


def ioctl(request, data):
    buffer = bytearray.fromhex(data)
    fcntl.ioctl(DEVICE, request, buffer)
    return buffer.hex()


def poll(events, milliseconds):
    poller = select.poll()
    poller.register(DEVICE, events)
    return sum(found for _, found in poller.poll(milliseconds))


def load(offset, size):
    return TYPES[size].from_buffer(GAS, offset - FIRST).value


def store(offset, size, value):
    TYPES[size].from_buffer(GAS, offset - FIRST).value = value


def attribute(name):
    with open(f"{CLASS}/{name}", encoding="ascii") as file:
        return file.read()


for line in sys.stdin:
    name, *arguments = json.loads(line)
    try:
        answer = {function.__name__: function for function in (command, ioctl, poll, load, store, attribute)}[name](*arguments)
    except OSError as error:
        answer = {"errno": error.errno}
    print(json.dumps(answer), flush=True)
