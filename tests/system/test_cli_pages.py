# SPDX-License-Identifier: MIT
"""Shell completion, manual page and environment variables, all from the commands' own definitions."""

import os
import pathlib
import pty
import re
import select
import subprocess
import time
import xml.etree.ElementTree as xml

import pytest
import yaml
from support.ntblab_cli import BIN, LIMIT, NTBLAB, ntblab

TOPOLOGIES = pathlib.Path(__file__).resolve().parents[2] / "topologies"
PAIR = str(TOPOLOGIES / "pair.yaml")


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
    assert completions(run_dir, "completion", "f") == ["fish"]


def fish(run_dir, line, folder):
    """What fish would offer at the end of the line."""
    environment = dict(os.environ, NTBLAB_RUN_DIR=str(run_dir), PATH=f"{BIN}:{os.environ['PATH']}", HOME=str(folder))
    result = subprocess.run(["fish", "--no-config", "-c", f"{NTBLAB} completion fish | source; complete -C '{line}'"], capture_output=True,
                            text=True, env=environment, timeout=60, check=True, cwd=folder)
    assert result.stderr == ""
    return [offer.split("\t")[0] for offer in result.stdout.splitlines()]


def test_fish_completes_commands_options_values_and_files(run_dir, tmp_path):
    (tmp_path / "my.yaml").touch()
    assert set(commands()) <= set(fish(run_dir, "ntblab ", tmp_path))
    assert fish(run_dir, "ntblab ins", tmp_path) == ["inspect"]
    assert "--accel" in fish(run_dir, "ntblab up --a", tmp_path)
    assert fish(run_dir, "ntblab up --accel ", tmp_path) == ["auto", "kvm", "tcg"]
    assert fish(run_dir, "ntblab up m", tmp_path) == ["my.yaml"]
    assert fish(run_dir, "ntblab inspect ", tmp_path) == []
    assert fish(run_dir, "ntblab exec a -- m", tmp_path) == []
    assert fish(run_dir, "ntblab graph --format me", tmp_path) == ["mermaid"]
    assert fish(run_dir, "ntblab completion ", tmp_path) == ["bash", "fish", "zsh"]
    assert "--version" in fish(run_dir, "ntblab --v", tmp_path)


class Zsh:
    """An interactive zsh that has loaded our completion."""

    def __init__(self, run_dir, folder, load):
        self._terminal, inner = pty.openpty()
        environment = dict(os.environ, NTBLAB_RUN_DIR=str(run_dir), PATH=f"{BIN}:{os.environ['PATH']}", HOME=str(folder), TERM="xterm")
        self._shell = subprocess.Popen(["zsh", "-f", "-i"], stdin=inner, stdout=inner, stderr=inner, env=environment, cwd=folder,
                                       start_new_session=True)
        os.close(inner)
        self._text = ""
        self.type(f"PS1='$ '; unsetopt beep; autoload -U compinit; {load}; echo LOA''DED\n", "LOADED")

    def type(self, keys, awaited):
        """Sends keys, waits until all of the texts have appeared; returns what the terminal got meanwhile."""
        os.write(self._terminal, keys.encode())
        end, seen = time.monotonic() + LIMIT, ""
        while not (found := re.search(awaited, seen, re.S)):
            assert time.monotonic() < end, f"{keys!r}: no {awaited!r} in {seen!r}"
            if select.select([self._terminal], [], [], 1)[0]:
                seen += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x07", "", os.read(self._terminal, 4096).decode())
        return found[0]

    def close(self):
        self._shell.kill()
        self._shell.wait()
        os.close(self._terminal)


@pytest.mark.parametrize("load", ["compinit -D -u; source <(ntblab completion zsh)",
                                  "mkdir f; ntblab completion zsh > f/_ntblab; fpath=($PWD/f $fpath); compinit -D -u"])
def test_zsh_completes_commands_options_values_and_files(run_dir, tmp_path, load):
    (tmp_path / "my.yaml").touch()
    shell = Zsh(run_dir, tmp_path, load)
    try:
        shell.type("ntblab ins\t", r"ntblab ins\S*pect ")
        shell.type("\x15ntblab graph my.yaml --format m\t", r"--format m\S*ermaid")
        shell.type("\x15ntblab up --acc\t", r"--acc\S*el")
        shell.type("\x15ntblab up --accel=\t\t", r"auto +kvm +tcg")
        shell.type("\x15ntblab up m\t", r"up m\S*y\.yaml")
        shell.type("\x15ntblab \t\t", r"check .*Say what is wrong.*version .*Print versions")
    finally:
        shell.close()


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


@pytest.mark.parametrize("name, value", [("NTBLAB_ACCEL", "warp"), ("NTBLAB_TIMEOUT", "soon")])
def test_the_environment_stands_for_options(run_dir, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    refused = ntblab("up", PAIR, "--dry-run", run_dir=run_dir, check=False)
    assert refused.returncode == 2 and name in refused.stderr and value in refused.stderr


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


@pytest.mark.parametrize("file", ["pair", "triangle", "chain"])
def test_graphviz_draws_every_node_and_every_pair(run_dir, file):
    svg = xml.fromstring(ntblab("graph", TOPOLOGIES / f"{file}.yaml", "--format", "svg", run_dir=run_dir).stdout)
    topology = yaml.safe_load((TOPOLOGIES / f"{file}.yaml").read_text())
    space = "{http://www.w3.org/2000/svg}"
    texts = [element.text for element in svg.iter(f"{space}text")]
    for node in topology["nodes"]:
        assert any(text and re.match(rf"{node}\b", text) for text in texts), f"{node} not in {texts}"
    pairs = sum(len(switch["nt-pairs"]) for switch in topology["switches"].values())
    edges = [group for group in svg.iter(f"{space}g") if group.get("class") == "edge"]
    assert len(edges) >= pairs


def test_help_names_every_variable(run_dir):
    shown = ntblab("--help", run_dir=run_dir).stdout
    for command in ("up", "run", "test"):
        for name in re.findall(r"\(Env:(\w+)\)", ntblab(command, "--help", run_dir=run_dir).stdout):
            assert f"\n  {name}: stands for --" in shown
    assert "NTBLAB_GUEST_SUITE: stands for --guest-suite of up, run, test where that is not given" in shown
