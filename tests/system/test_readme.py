# SPDX-License-Identifier: MIT
"""The tour of README.md works as printed, but for what waits for a person."""

import os
import re
import subprocess

from support.ntblab_cli import LIMIT, REPO, strays

FOR_PEOPLE = ("ntblab console", "ntblab trace")


def tour():
    """Its commands, without what is said about them."""
    section = re.search(r"^## A tour\n(.*?)^## ", (REPO / "README.md").read_text(), re.MULTILINE | re.DOTALL)[1]
    lines = re.findall(r"^    (.*)$", section, re.MULTILINE)
    return [re.sub(r"\s+# .*", "", line) for line in lines]


def test_the_tour_works_as_printed(run_dir, tmp_path):
    commands = tour()
    assert sum(command.startswith("ntblab up") for command in commands) == 1 and "ntblab down --all" in commands
    commands = [command.replace("build/results.xml", str(tmp_path / "results.xml")) for command in commands
                if not command.startswith(FOR_PEOPLE)]
    result = subprocess.run(["bash", "-exc", "\n".join(commands)], cwd=REPO, stdin=subprocess.DEVNULL, text=True,
                            capture_output=True, timeout=4 * LIMIT, env=dict(os.environ, NTBLAB_RUN_DIR=str(run_dir)))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Kernel driver in use: switchtec" in result.stdout and "3 packets transmitted, 3 received" in result.stdout
    assert (tmp_path / "results.xml").exists() and strays(run_dir) == []
