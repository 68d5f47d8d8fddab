# SPDX-License-Identifier: MIT
"""Files between host and guests: `ntblab cp`, a shared directory; and ssh among guests."""

import hashlib
import os
import subprocess

import pytest
from support.ntblab_cli import LIMIT, NTBLAB, Cluster


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return tmp_path_factory.mktemp("shared")


@pytest.fixture(scope="module")
def cluster(shared):
    with Cluster.up("topologies/pair.yaml", arguments=["--share", shared]) as pair:
        yield pair


def test_a_file_goes_to_a_node_and_back(cluster, tmp_path):
    data = os.urandom(3 << 20)
    (tmp_path / "with space").write_bytes(data)
    cluster.ntblab("cp", tmp_path / "with space", f"{cluster.name}/a:/tmp/there")
    assert cluster.run("a", "sha256sum < /tmp/there").split()[0] == hashlib.sha256(data).hexdigest()
    cluster.run("a", "chmod 755 /tmp/there")
    cluster.ntblab("cp", "a:/tmp/there", tmp_path / "back", umask=0o022)
    assert (tmp_path / "back").read_bytes() == data
    assert (tmp_path / "back").stat().st_mode & 0o777 == 0o755


def test_the_files_of_a_cluster_are_nobody_elses(cluster):
    assert (cluster.run_dir / cluster.name).stat().st_mode & 0o077 == 0
    open_to_others = [str(path) for path in (cluster.run_dir / cluster.name).rglob("*")
                      if path.stat().st_mode & 0o077 and path.suffix != ".pub"]
    assert open_to_others == []


def test_directories_go_whole(cluster, tmp_path):
    (tmp_path / "d" / "e").mkdir(parents=True)
    (tmp_path / "d" / "e" / "f").write_text("deep")
    (tmp_path / "g").write_text("beside")
    cluster.ntblab("cp", tmp_path / "d", tmp_path / "g", "b:/root")
    assert cluster.run("b", "cat /root/d/e/f /root/g") == "deepbeside"
    (tmp_path / "back").mkdir()
    cluster.ntblab("cp", "-r", "b:d", "b:g", tmp_path / "back")
    assert (tmp_path / "back" / "d" / "e" / "f").read_text() == "deep"


@pytest.mark.parametrize("arguments, code", [(["x", "y"], 2), (["a:x", "b:y"], 2), (["x"], 2), (["none:x", "."], 3), (["a:/none", "."], 1),
                                             (["/none", "a:"], 1)])
def test_what_cannot_be_copied_has_its_exit_code(cluster, arguments, code):
    result = cluster.ntblab("cp", *arguments, check=False)
    assert result.returncode == code and result.stderr


def test_guests_share_a_directory_with_the_host(cluster, shared):
    (shared / "from-host").write_text("one")
    assert cluster.run("a", "cat /share/from-host") == "one"
    cluster.run("a", "echo two > /share/from-guest")
    assert (shared / "from-guest").read_text() == "two\n"
    assert cluster.run("b", "cat /share/from-guest") == "two"
    (shared / "from-guest").write_text("three")  # seen without further ado: guests cache nothing
    assert cluster.run("b", "cat /share/from-guest") == "three"


def test_programs_run_from_the_share(cluster, shared):
    program = shared / "program"
    program.write_text("#!/bin/sh\nexec echo ran on $(hostname)\n")
    program.chmod(0o755)
    assert cluster.run("b", "/share/program") == "ran on b"


def test_root_reaches_the_other_guest_by_ssh(cluster):
    assert cluster.run("a", "ssh b hostname") == "b"
    cluster.run("a", "echo text > /tmp/x && scp -q /tmp/x b:/tmp/y")
    assert cluster.run("b", "ssh a cat /tmp/x; cat /tmp/y").split() == ["text", "text"]


def links_of(cluster, node):
    return [line for line in cluster.status(node) if line.startswith("link-")]


def test_stop_lets_the_guest_power_off_and_start_waits_for_both_sides_of_the_link(cluster):
    before = len(links_of(cluster, "a"))
    cluster.ntblab("stop", f"{cluster.name}/b")
    assert "reboot: Power down" in cluster.ntblab("logs", f"{cluster.name}/b").stdout
    cluster.ntblab("start", f"{cluster.name}/b")
    assert "link-up" in links_of(cluster, "a")[-1] and len(links_of(cluster, "a")) > before


def test_a_console_says_that_its_node_has_ended(cluster):
    console = subprocess.Popen([NTBLAB, "console", f"{cluster.name}/b"], env=dict(os.environ, NTBLAB_RUN_DIR=str(cluster.run_dir)),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    console.stdin.write("\n")
    console.stdin.flush()
    console.stdout.read(1)  # connected
    cluster.ntblab("kill", f"{cluster.name}/b")
    _, message = console.communicate(timeout=LIMIT)
    assert console.returncode == 1 and f"node '{cluster.name}/b' was switched off" in message
    cluster.ntblab("start", f"{cluster.name}/b")


def test_a_share_comes_back_with_the_node(cluster):
    assert "ntblab.share /share 9p" in cluster.run("b", "cat /proc/mounts")
