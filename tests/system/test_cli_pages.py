# SPDX-License-Identifier: MIT
"""Shell completion, manual page and environment variables, all from the commands' own definitions."""

import os
import pathlib
import re
import subprocess

import pytest
from support.ntblab_cli import BIN, NTBLAB, ntblab

PAIR = str(pathlib.Path(__file__).resolve().parents[2] / "topologies" / "pair.yaml")


def commands():
    return re.findall(r"^  ([a-z]+) ", ntblab("--help").stdout.split("Subcommands:")[1].split("\nA NODE")[0], re.M)


def completions(run_dir, *words):
    """What bash would offer for the last of the words."""
    script = f"""source <("$NTBLAB" completion bash); COMP_WORDS=(ntblab "$@"); COMP_CWORD=$#; _ntblab; printf '%s\\n' "${{COMPREPLY[@]}}" """
    environment = dict(os.environ, NTBLAB=NTBLAB, NTBLAB_RUN_DIR=str(run_dir), PATH=f"{BIN}:{os.environ['PATH']}")
    result = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True, env=environment, timeout=60, check=True)
    assert result.stderr == ""
    return result.stdout.split()


def test_bash_completes_commands_options_and_values(run_dir):
    assert set(commands()) <= set(completions(run_dir, ""))
    assert completions(run_dir, "ins") == ["inspect"]
    assert "--accel" in completions(run_dir, "up", "--a")
    assert completions(run_dir, "up", "--accel", "") == ["auto", "kvm", "tcg"]
    assert completions(run_dir, "graph", PAIR, "--format", "m") == ["mermaid"]
    assert completions(run_dir, "up", "") == []  # files are bash's own
    assert completions(run_dir, "exec", "a", "--", "") == []


def test_zsh_loads_what_bash_does(run_dir):
    bash = ntblab("completion", "bash", run_dir=run_dir).stdout
    assert ntblab("completion", "zsh", run_dir=run_dir).stdout == "autoload -U +X bashcompinit && bashcompinit\n" + bash


def test_fish_knows_every_command(run_dir):
    text = ntblab("completion", "fish", run_dir=run_dir).stdout
    for command in commands():
        assert f"-n __fish_use_subcommand -a {command} -d " in text
    assert "-l accel -x -a 'auto kvm tcg'" in text


def test_the_manual_page_has_every_command_and_option(run_dir):
    page = ntblab("man", run_dir=run_dir).stdout
    assert page.startswith(".TH NTBLAB 1 ")
    text = page.replace("\\-", "-")
    for command in commands():
        assert f"\n.SS {command}" in text
    for option in re.findall(r"^  (?:-\w,)?(--[\w-]+)", ntblab("up", "--help").stdout, re.M):
        assert option == "--help" or option in text
    assert page.count("NTBLAB_RUN_DIR") == 1
    assert "[environment: NTBLAB_ACCEL]" in text and "\n.B 125\n" in text


def test_version_is_an_option_too(run_dir):
    assert ntblab("--version", run_dir=run_dir).stdout == ntblab("version", run_dir=run_dir).stdout.splitlines(True)[0]


@pytest.mark.parametrize("name, value, option", [("NTBLAB_ACCEL", "warp", "--accel"), ("NTBLAB_TIMEOUT", "soon", "--timeout")])
def test_the_environment_stands_for_options(run_dir, monkeypatch, name, value, option):
    monkeypatch.setenv(name, value)
    refused = ntblab("up", PAIR, "--dry-run", run_dir=run_dir, check=False)
    assert refused.returncode == 2 and option in refused.stderr


def test_an_option_wins_over_the_environment(run_dir, monkeypatch, tmp_path):
    monkeypatch.setenv("NTBLAB_SHARED_DIR", str(tmp_path))
    monkeypatch.setenv("NTBLAB_ACCEL", "tcg")
    assert f"path={tmp_path}," in ntblab("up", PAIR, "--dry-run", run_dir=run_dir).stdout
    (tmp_path / "other").mkdir()
    assert f"path={tmp_path}/other," in ntblab("up", PAIR, "--dry-run", "--share", tmp_path / "other", run_dir=run_dir).stdout


def test_help_shows_where_the_command_stands(run_dir):
    for command in ("exec", "run"):
        assert "-- COMMAND [ARGUMENT...]" in ntblab(command, "--help", run_dir=run_dir).stdout


def test_the_examples_of_the_page_are_true(run_dir, tmp_path):
    root = pathlib.Path(PAIR).parents[1]
    page = (root / "docs" / "ntblab.md").read_text()
    steps = page.split("```yaml\n")[1].split("```")[0]
    (tmp_path / "t.yaml").write_text("name: t\nnodes: {a: {}, b: {}}\n" + steps)
    ntblab("check", tmp_path / "t.yaml", run_dir=run_dir)
    assert "```\n" + ntblab("graph", root / "topologies" / "triangle.yaml", run_dir=run_dir).stdout + "```\n" in page


def test_svg_is_drawn_by_graphviz_or_refused_with_advice(run_dir, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    refused = ntblab("graph", PAIR, "--format", "svg", run_dir=run_dir, check=False)
    assert refused.returncode == 1 and "install graphviz" in refused.stderr
    (tmp_path / "dot").write_text("#!/bin/sh\n[ \"$1\" = -Tsvg ] && exec /bin/cat\n")
    (tmp_path / "dot").chmod(0o755)
    assert ntblab("graph", PAIR, "--format", "svg", run_dir=run_dir).stdout == ntblab("graph", PAIR, "--format", "dot", run_dir=run_dir).stdout
