# SPDX-License-Identifier: MIT
"""A running guest whose machine is saved to a file, ends, and goes on: its driver and its peer's come together again."""

import os
import pathlib
import subprocess

from support.monitor import Monitor
from support.ntblab_cli import LIMIT, Cluster, kernel_complaints, wait_for


def command_of(pid):
    """Command line and environment of a process."""
    words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    variables = pathlib.Path(f"/proc/{pid}/environ").read_bytes().rstrip(b"\0").split(b"\0")
    return words, dict(variable.split(b"=", 1) for variable in variables)


def save(pair, node, file):
    """Writes the state of the node's machine, ends it."""
    monitor = Monitor(pair.run_dir / pair.name / node / "qmp.sock", LIMIT)
    assert monitor.command("migrate", uri=f"file:{file}") == {}
    wait_for("the machine's state in a file", lambda: monitor.command("query-migrate")["status"] == "completed")
    monitor.command("quit")
    monitor.close()


def test_goes_on_and_the_link_comes_back(run_dir, tmp_path):
    with Cluster.up("topologies/pair.yaml", run_dir=run_dir) as pair:
        pair.wait_ping()
        words, environment = command_of(pair.qemu_pid("b"))
        down = len(pair.status("a"))
        save(pair, "b", tmp_path / "b.state")
        wait_for("link down at a", lambda: any("link-down" in line for line in pair.status("a")[down:]))
        with open(tmp_path / "b.output", "w+") as output:
            b = subprocess.Popen([*words, b"-incoming", os.fsencode(f"file:{tmp_path}/b.state")], env=environment, stdout=output,
                                 stderr=output, stdin=subprocess.DEVNULL)
        try:
            wait_for("an answer from b", lambda: pair.command("a", "ping -c 1 -W 1 b", check=False).returncode == 0)
            assert b.poll() is None, (tmp_path / "b.output").read_text()
            assert kernel_complaints(pair.dmesg("a")) == []
        finally:
            b.terminate()
            b.wait(LIMIT)
