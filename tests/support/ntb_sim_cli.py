# SPDX-License-Identifier: MIT
"""The program ntb-sim, as its users run it."""

import json
import subprocess

from support.ntblab_cli import BIN, REPO

NTB_SIM = str(BIN / "ntb-sim")
TOPOLOGIES = REPO / "topologies"
PAIR = TOPOLOGIES / "pair.yaml"


def ntb_sim(*arguments, expect=0, **options):
    """Runs it, which must end with the exit code `expect`. Returns (standard output, standard error)."""
    done = subprocess.run([NTB_SIM, *map(str, arguments)], capture_output=True, text=True, check=False, **options)
    assert done.returncode == expect, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout, done.stderr


def run_json(*arguments):
    """The only run of `ntb-sim run`, with the protocol watched: {"conditions": {...}, "points": [...]}."""
    return json.loads(ntb_sim("run", *arguments, "--check", "--json", "-")[0])["runs"][0]
