#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Stands in for QEMU where a test is about ntblab alone: takes its options, says what a guest would say, runs until it is ended.

FAKE_QEMU chooses: ready (the default), crash (ends with a message), panic, bad-module, silent (never ready), deaf (ready, but ignores
SIGTERM). FAKE_QEMU_NODE limits what is not "ready" to one node."""

import json
import os
import re
import signal
import socket
import sys
import time


def option(pattern):
    return next(match[1].replace(",,", ",") for match in (re.match(pattern, word) for word in sys.argv) if match)


def append(path, text):
    with open(path, "a", encoding="ascii") as log:
        log.write(text)


def serve_monitor(path):
    server = socket.socket(socket.AF_UNIX)
    if os.path.exists(path):  # QEMU too takes the place of a socket that a killed one left
        os.unlink(path)
    server.bind(path)
    server.listen()
    return server


def answer(server):
    client, _ = server.accept()
    stream = client.makefile("rw")
    stream.write('{"QMP": {}}\r\n')
    stream.flush()
    for line in stream:
        table = "  TCP[HOST_FORWARD]  14       127.0.0.1 40022       10.0.2.15    22     0     0\r\n"
        result = table if "human-monitor-command" in line else {}
        stream.write(json.dumps({"return": result}) + "\r\n")
        stream.flush()


def main():
    node = option(r".*/([^/]*),debug-threads=on$")
    behaviour = os.environ.get("FAKE_QEMU", "ready")
    if os.environ.get("FAKE_QEMU_NODE", node) != node:
        behaviour = "ready"
    status = option(r"file,id=status,path=(.*),append=on$")
    console = option(r"socket,id=console,.*logfile=(.*),logappend=on$")
    if behaviour == "crash":
        sys.exit("qemu: this machine is not for you")
    if behaviour == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    server = serve_monitor(option(r"socket,id=qmp,path=(.*),server=on,wait=off$"))
    if behaviour == "panic":
        append(console, "[    1.0] Kernel panic - not syncing: No working init found.\r\n")
    elif behaviour == "bad-module":
        append(status, "userspace\ndrivers-failed ntb_nothing\n")
    elif behaviour != "silent":
        append(status, "userspace\nssh\ndrivers\n")
    while True:
        if behaviour == "silent":
            time.sleep(1000)
        answer(server)


main()
