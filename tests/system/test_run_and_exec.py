# SPDX-License-Identifier: MIT
"""`ntblab exec` and `ntblab run` behave as the command they run."""

import hashlib
import json
import os
import subprocess

from support.ntblab_cli import LIMIT, NTBLAB, REPO, Cluster, ntblab, strays, wait_for


def test_exec_passes_streams_and_exit_code(pair):
    result = pair.command("a", "cat; echo out; echo err >&2; exit 7", check=False, input="in\n")
    assert (result.returncode, result.stdout, result.stderr) == (7, "in\nout\n", "err\n")


def test_exec_passes_bytes_whole(pair):
    data = bytes(range(256)) * 4096
    pair.put("b", "/tmp/bytes", data)
    assert pair.run("b", "sha256sum < /tmp/bytes").split()[0] == hashlib.sha256(data).hexdigest()


def test_exec_keeps_arguments_apart(pair):
    result = pair.ntblab("exec", f"{pair.name}/a", "--", "printf", "<%s>", "a b", "c'd", '"$HOME"', "*")
    assert result.stdout == """<a b><c'd><"$HOME"><*>"""


def test_the_shell_of_exec_is_not_found_by_what_it_runs(pair):
    assert pair.ntblab("exec", f"{pair.name}/a", "--", "pgrep", "-f", "no.*such[.]program", check=False).returncode == 1


def test_guests_know_each_other_by_name(pair):
    assert pair.run("a", "hostname") == "a"
    assert pair.run("a", "getent hosts b").split()[1] == "b"


def test_inspect_names_the_windows_that_the_drivers_opened(pair):
    text = json.dumps(pair.inspect())
    assert '"sw0"' in text and '"windows"' in text


def test_run_prefixes_by_node_and_takes_down(run_dir):
    result = ntblab("run", REPO / "topologies/pair.yaml", "--", "hostname", run_dir=run_dir)
    lines = {tuple(line.replace("|", ":").split(":", 1)) for line in result.stdout.splitlines() if line.strip()}
    assert {(node.strip(), text.strip()) for node, text in lines} == {("a", "a"), ("b", "b")}
    assert strays(run_dir) == []


def test_run_on_one_node_gives_its_output_and_exit_code(run_dir):
    result = ntblab("run", REPO / "topologies/pair.yaml", "--on", "b", "--", "sh", "-c", "hostname; exit 5",
                    run_dir=run_dir, check=False)
    assert (result.returncode, result.stdout) == (5, "b\n")


def test_exec_waits_for_a_node_that_boots(run_dir):
    with Cluster.up("topologies/pair.yaml", run_dir=run_dir) as pair:
        pair.ntblab("kill", f"{pair.name}/b")
        start = subprocess.Popen([NTBLAB, "start", f"{pair.name}/b"], env=dict(os.environ, NTBLAB_RUN_DIR=str(run_dir)),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for("b is booting", lambda: "booting" in pair.ntblab("ls").stdout)
        assert pair.run("b", "hostname") == "b"
        assert start.wait(LIMIT) == 0
