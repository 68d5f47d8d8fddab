# SPDX-License-Identifier: MIT
"""What ntblab answers to wrong usage and wrong files; nothing of this starts a machine."""

import json
import os
import re
import shlex
import signal
import subprocess

import pytest
from support.ntblab_cli import NTBLAB, REPO, ntblab, strays

PAIR = REPO / "topologies/pair.yaml"


def refused(run_dir, *arguments):
    result = ntblab(*arguments, run_dir=run_dir, check=False)
    assert strays(run_dir) == []
    return result.returncode, result.stderr


def test_a_bad_file_is_refused_by_line_and_column(run_dir, tmp_path):
    bad = tmp_path / "bad.yaml"
    bad.write_text("name: bad\nnodes:\n  a: {cpu: 2}\n")
    code, message = refused(run_dir, "up", bad)
    assert code == 1
    assert f"{bad}:3:7: unknown key 'cpu' in node 'a'; did you mean 'cpus'?" in message


@pytest.mark.parametrize("command", [["up"], ["run"], ["exec", "a"], ["exec", "a", "--"], ["run", str(PAIR)], ["what"], [],
                                     ["up", str(PAIR), "--timeout", "x"], ["up", str(PAIR), "--accel", "warp"],
                                     ["ls", "--", "x"], ["down", "x", "--all"], ["logs", "--kind", "x"]])
def test_wrong_usage_exits_2(run_dir, command):
    code, message = refused(run_dir, *command)
    assert code == 2 and message


@pytest.mark.parametrize("command, code", [(["down", "x"], 3), (["down"], 3), (["inspect"], 3), (["start", "x"], 3), (["stop", "x/a"], 3),
                                           (["console", "a"], 3), (["logs", "a"], 3), (["exec", "a", "--", "true"], 125),
                                           (["ssh", "a"], 125), (["down", "--all"], 0), (["ls"], 0)])
def test_what_is_not_there_has_its_exit_code(run_dir, command, code):
    assert refused(run_dir, *command)[0] == code


def test_dry_run_prints_lines_that_a_shell_takes(run_dir, tmp_path):
    topology = tmp_path / "t.yaml"
    topology.write_text("name: t\nnodes: {a: {cmdline: \"x='1 2' y\"}, b: {}}\nswitches: {s: {nt-pairs: [[a, b]]}}\n")
    text = ntblab("up", topology, "--dry-run", run_dir=run_dir).stdout
    lines = [shlex.split(line) for line in text.splitlines() if not line.startswith("#")]
    assert len(lines) == 3
    assert all(f"NTBLAB_CLUSTER_DIR={run_dir}/t" in line for line in lines)
    node = lines[1]
    assert node[node.index("-append") + 1].endswith("x='1 2' y")
    assert any(re.fullmatch(rf"switchtec-ntb,.*fabric={run_dir}/t/fabric.sock,switch=s,partition=0", word) for word in node)
    assert strays(run_dir) == []


def test_name_overrides_the_name_of_the_file(run_dir):
    assert f"{run_dir}/other/fabric.sock" in ntblab("up", PAIR, "--dry-run", "--name", "other", run_dir=run_dir).stdout
    code, message = refused(run_dir, "up", PAIR, "--dry-run", "--name", "No")
    assert code == 2 and "--name: No: a cluster's name has" in message


def test_a_topology_may_come_through_a_pipe(run_dir):
    result = ntblab("up", "/dev/stdin", "--dry-run", run_dir=run_dir, input=PAIR.read_text())
    assert "pair/a" in result.stdout


def test_missing_parts_are_named(run_dir, tmp_path, monkeypatch):
    monkeypatch.delenv("NTBLAB_KERNEL", raising=False)
    monkeypatch.setenv("NTBLAB_SHARE", str(tmp_path))
    code, message = refused(run_dir, "up", PAIR)
    assert code == 1
    assert f"{tmp_path}/qemu/bin/qemu-system-x86_64" in message and "bootstrap build" in message
    assert refused(run_dir, "up", PAIR, "--kernel", "debug")[1] == (
        "ntblab: the kernel 'debug' is not ready for guests; run `./bootstrap kernel debug` (which takes long the first time)\n")


def test_a_run_directory_that_cannot_be_used_is_named(tmp_path):
    (tmp_path / "file").touch()
    for run_dir in (tmp_path / "file", tmp_path / "none" / "run"):
        result = ntblab("up", PAIR, run_dir=run_dir, check=False)
        assert result.returncode == 1
        assert str(run_dir) in result.stderr and "NTBLAB_RUN_DIR" in result.stderr


def test_ls_and_down_name_it_too(tmp_path):
    (tmp_path / "file").touch()
    for command in (["ls"], ["ls", "--json"], ["down"], ["down", "--all"]):
        result = ntblab(*command, run_dir=tmp_path / "file", check=False)
        assert (result.returncode, result.stdout) == (1, "")
        assert str(tmp_path / "file") in result.stderr and "NTBLAB_RUN_DIR" in result.stderr


def test_output_that_nobody_reads_is_no_error(run_dir):
    reading, writing = os.pipe()
    os.close(reading)
    result = subprocess.run([NTBLAB, "up", PAIR, "--dry-run"], env=dict(os.environ, NTBLAB_RUN_DIR=str(run_dir)), stdout=writing,
                            stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(writing)
    assert result.returncode in (0, 128 + signal.SIGPIPE) and result.stderr == b""


def test_an_unknown_command_is_named(run_dir):
    assert refused(run_dir, "upp", PAIR) == (2, "ntblab: there is no command 'upp'; `ntblab --help` lists them\n")


@pytest.mark.parametrize("option, more", [("--share", ""), ("--kernel", ", or stock or debug")])
def test_a_directory_that_is_none_is_refused(run_dir, tmp_path, option, more):
    code, message = refused(run_dir, "up", PAIR, option, tmp_path / "none")
    assert code == 2 and message.startswith(f"{option}: {tmp_path}/none: No such file or directory; expected a directory{more}\n")
    (tmp_path / "file").touch()
    for command in (["up", PAIR], ["run", PAIR], ["test", PAIR]):
        code, message = refused(run_dir, *command, option, tmp_path / "file")
        assert code == 2 and f"{option}: {tmp_path}/file: is no directory" in message
    # An empty one stands for none, whatever the environment has.
    assert "fsdev" not in ntblab("up", PAIR, "--dry-run", option, "", run_dir=run_dir).stdout


def test_a_share_of_the_file_is_beside_it(run_dir, tmp_path):
    (tmp_path / "shared").mkdir()
    topology = tmp_path / "t.yaml"
    topology.write_text("name: t\nshare: shared\nnodes: {a: {}}\n")
    assert f"path={tmp_path}/shared,security_model=none" in ntblab("up", topology, "--dry-run", run_dir=run_dir, cwd="/").stdout
    topology.write_text("name: t\nshare: missing\nnodes: {a: {}}\n")
    code, message = refused(run_dir, "up", topology)
    assert code == 1 and f"{topology}: share {tmp_path}/missing: No such file or directory" in message


@pytest.mark.skipif(os.geteuid() != 0, reason="as another user than root there is nothing to warn of")
def test_root_is_warned_of_what_guests_can_do_in_a_share(run_dir, tmp_path):
    warned = ntblab("up", PAIR, "--dry-run", "--share", tmp_path, run_dir=run_dir).stderr
    assert warned.startswith("warning: ntblab runs as root: guests can make files of any owner") and str(tmp_path) in warned
    assert ntblab("up", PAIR, "--dry-run", "--share", "", run_dir=run_dir).stderr == ""


@pytest.mark.parametrize("command, better", [
    (["exec", "a", "ls", "-l", "/root"], "exec a -- ls -l /root"), (["exec", "-t", "ls", "ls", "-t"], "exec -t ls -- ls -t"),
    (["run", PAIR, "uname", "-a"], f"run {PAIR} -- uname -a"), (["run", PAIR, "--on", "a", "echo", "a b"], f"run {PAIR} --on a -- echo 'a b'")])
def test_a_command_without_dashes_is_told_where_they_belong(run_dir, command, better):
    code, message = refused(run_dir, *command)
    assert code == 2 and message.startswith(f"write -- before the command: ntblab {better}\n")


def test_words_too_many_are_named_in_their_order(run_dir):
    assert refused(run_dir, "ls", "x", "y", "--z") == (2, "'ls' takes no x y --z\nRun with --help for more information.\n")


@pytest.mark.parametrize("variable, value, expected", [
    ("NTBLAB_KERNEL", "/none", "/none: No such file or directory; expected a directory, or stock or debug"),
    ("NTBLAB_ACCEL", "warp", "warp not in {auto,kvm,tcg}"), ("NTBLAB_TIMEOUT", "x", "Value x not in range 1 to 86400"),
    ("NTBLAB_SHARED_DIR", "/none", "/none: No such file or directory; expected a directory"),
    ("NTBLAB_GUEST_SUITE", "sid", "sid not in {"), ("NTBLAB_OVERCOMMIT", "abc", "abc: expected true or false")])
def test_a_bad_value_of_the_environment_is_blamed_on_its_variable(run_dir, monkeypatch, variable, value, expected):
    monkeypatch.setenv(variable, value)
    code, message = refused(run_dir, "up", PAIR)
    assert code == 2 and message.startswith(f"{variable}: {expected}"), message
    if variable == "NTBLAB_KERNEL":
        assert refused(run_dir, "up", PAIR, "--kernel", "/nil")[1].startswith("--kernel: /nil: ")


def test_a_relative_run_directory_is_refused(tmp_path):
    for command in (["up", PAIR], ["ls"], ["exec", "a", "--", "true"], ["down", "--all"]):
        result = ntblab(*command, run_dir="run", cwd=tmp_path, check=False)
        assert result.returncode != 0
        assert f"NTBLAB_RUN_DIR: run: expected an absolute path; write NTBLAB_RUN_DIR={tmp_path}/run\n" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_another_debian_is_another_image(run_dir, tmp_path, monkeypatch):
    monkeypatch.delenv("NTBLAB_KERNEL", raising=False)
    monkeypatch.setenv("NTBLAB_SHARE", str(tmp_path))
    (tmp_path / "image").mkdir()
    (tmp_path / "image" / "suite").write_text("trixie\n")

    def image(*arguments):
        return re.search(r"file.filename=(\S+)/rootfs.erofs", ntblab("up", *arguments, "--dry-run", run_dir=run_dir).stdout)[1]

    assert image(PAIR) == image(PAIR, "--guest-suite", "trixie") == f"{tmp_path}/image"
    assert image(PAIR, "--guest-suite", "bookworm") == f"{tmp_path}/image@bookworm"
    assert image(PAIR, "--guest-suite", "bookworm", "--kernel", "debug") == f"{tmp_path}/image@debug@bookworm"
    topology = tmp_path / "t.yaml"
    topology.write_text("name: t\nguest-suite: bookworm\nnodes: {a: {}}\n")
    assert image(topology) == f"{tmp_path}/image@bookworm"
    assert image(topology, "--guest-suite", "trixie") == f"{tmp_path}/image"
    code, message = refused(run_dir, "up", topology)
    assert code == 1 and message == "ntblab: there is no guest image of Debian bookworm; run `./bootstrap image bookworm`\n"
    code, message = refused(run_dir, "up", topology, "--kernel", "debug")
    assert code == 1 and "of Debian bookworm for the kernel 'debug'; run `./bootstrap image bookworm debug`" in message


def test_a_run_directory_with_a_percent_sign_is_refused(tmp_path):
    run_dir = tmp_path / "100%"
    result = ntblab("up", PAIR, run_dir=run_dir, check=False)
    assert result.returncode == 1 and f"the run directory {run_dir} has a '%' in its path" in result.stderr


def test_gdb_gets_a_socket_for_each_node(run_dir):
    text = ntblab("up", PAIR, "--dry-run", "--gdb", run_dir=run_dir).stdout
    assert text.count("-gdb chardev:gdb") == 2
    assert f"socket,id=gdb,path={run_dir}/pair/a/gdb.sock,server=on,wait=off" in text
    assert "gdb" not in ntblab("up", PAIR, "--dry-run", run_dir=run_dir).stdout


def test_doctor_says_what_it_looked_at(run_dir):
    result = ntblab("doctor", "--json", run_dir=run_dir, check=False)
    findings = {finding["what"]: finding for finding in json.loads(result.stdout)}
    assert {"accelerator", "memory", "run directory", "ssh-keygen", "dot", "leftovers"} <= findings.keys()
    assert findings["run directory"]["verdict"] != "bad"
    assert result.returncode == (1 if any(finding["verdict"] == "bad" for finding in findings.values()) else 0)
    assert all(finding["advice"] for finding in findings.values() if finding["verdict"] != "ok")


def test_doctor_does_without_graphviz(run_dir, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    findings = {finding["what"]: finding for finding in json.loads(ntblab("doctor", "--json", run_dir=run_dir, check=False).stdout)}
    assert findings["dot"] == {"what": "dot", "verdict": "warning", "detail": "not found in PATH; `ntblab graph --format svg` needs it",
                               "advice": "install graphviz"}
    assert findings["ssh"]["verdict"] == "bad"


def test_version(run_dir):
    assert re.match(r"ntblab \d+\.\d+", ntblab("version", run_dir=run_dir).stdout)
