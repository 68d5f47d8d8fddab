# SPDX-License-Identifier: MIT
"""The QMP monitor of a running QEMU."""

import json
import socket


class Monitor:
    """A connection to the monitor at a UNIX socket; `timeout` in seconds for each answer and event."""

    def __init__(self, path, timeout):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout)
        self._socket.connect(str(path))
        self._lines = self._socket.makefile("r")
        self._lines.readline()
        self.command("qmp_capabilities")

    def command(self, name, /, **arguments):
        """What the command returns, or the error object."""
        try:
            self._socket.sendall(json.dumps({"execute": name, "arguments": arguments}).encode())
            for line in self._lines:
                reply = json.loads(line)
                if "return" in reply or "error" in reply:
                    return reply.get("return", reply.get("error"))
        except (BrokenPipeError, ConnectionResetError):
            pass
        raise AssertionError(f"QEMU has ended, {name} has no answer")

    def wait_event(self, name):
        while json.loads(self._lines.readline()).get("event") != name:
            pass

    def close(self):
        self._lines.close()
        self._socket.close()
