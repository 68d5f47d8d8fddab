# SPDX-License-Identifier: MIT
"""Starting and ending clusters of machines that are no machines: every way to fail, and nothing left behind."""

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import time

import pytest
from fake_machines import FakeMachines
from support.ntblab_cli import strays, wait_for


@pytest.fixture
def fake(tmp_path, run_dir):
    return FakeMachines(tmp_path, run_dir)


def test_up_describes_the_cluster_and_down_removes_it(fake):
    up = fake.run("up", fake.topology, "--json")
    assert up.returncode == 0, up.stderr
    report = json.loads(up.stdout)
    assert report["cluster"] == "two" and [node["name"] for node in report["nodes"]] == ["a", "b"]
    assert all(node["running"] and node["ssh_port"] == 40022 for node in report["nodes"])
    listed = json.loads(fake.run("ls", "--json").stdout)
    assert [cluster["condition"] for cluster in listed] == ["up"]
    assert fake.run("down", "two").returncode == 0
    assert strays(fake.run_dir) == []


@pytest.mark.parametrize("behaviour, said", [("crash", "this machine is not for you"), ("panic", "its kernel panicked"),
                                             ("bad-module", "ntb_nothing could not be loaded")])
def test_a_node_that_fails_ends_the_start_at_once(fake, behaviour, said):
    up = fake.run("up", fake.topology, FAKE_QEMU=behaviour, FAKE_QEMU_NODE="b")
    assert up.returncode == 1
    assert said in up.stderr and "'b'" in up.stderr
    kept = fake.folder / "cache/ntblab/failed/two"
    assert str(kept) in up.stderr and (kept / "b/qemu.log").exists()
    assert strays(fake.run_dir) == []


def test_a_node_that_is_never_ready_ends_by_the_time_limit(fake):
    up = fake.run("up", fake.topology, "--timeout", "1", FAKE_QEMU="silent", FAKE_QEMU_NODE="a")
    assert up.returncode == 1
    assert "node 'a' is not ready after 1 s: booting" in up.stderr and "--timeout" in up.stderr
    assert strays(fake.run_dir) == []


def test_a_machine_that_does_not_listen_is_ended_nevertheless(fake):
    assert fake.run("up", fake.topology, FAKE_QEMU="deaf").returncode == 0
    assert fake.run("down", "two").returncode == 0
    assert strays(fake.run_dir) == []


def test_too_much_memory_is_refused(fake):
    fake.topology.write_text("name: two\nnodes: {a: {memory: 1T}}\n")
    up = fake.run("up", fake.topology)
    assert up.returncode == 1 and "may take 1T of memory" in up.stderr
    assert strays(fake.run_dir) == []


def test_a_second_up_is_refused_also_while_the_first_starts(fake):
    first = fake.start("up", fake.topology, FAKE_QEMU="silent")
    wait_for("the machines", lambda: len([left for left in strays(fake.run_dir) if "process" in left]) >= 2)
    second = fake.run("up", fake.topology)
    assert second.returncode == 4 and f"process {first.pid} is at 'up'" in second.stderr
    assert first.poll() is None
    # `down` from elsewhere ends a start that is under way.
    assert fake.run("down", "two").returncode == 0
    assert first.wait(timeout=120) == 128 + signal.SIGTERM
    assert strays(fake.run_dir) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_start_leaves_nothing(fake, number, repeat):
    chance = random.Random(number)
    for _ in range(repeat(10)):
        up = fake.start("up", fake.topology, FAKE_QEMU="silent")
        time.sleep(chance.uniform(0, 0.3))  # the moment is what varies; nothing waits for it
        up.send_signal(number)
        code = up.wait(timeout=120)
        # Before it has made anything, a signal ends it like any process.
        assert code in (128 + number, -number), up.stderr.read()
        assert strays(fake.run_dir) == []


def test_a_killed_launcher_leaves_what_down_finds(fake, repeat):
    chance = random.Random(5)
    for round_number in range(repeat(50)):
        up = fake.start("up", fake.topology)
        time.sleep(chance.uniform(0, 0.25))
        up.kill()
        up.wait()
        down = fake.run("down", "--all")
        assert down.returncode == 0, down.stderr
        assert strays(fake.run_dir) == [], f"round {round_number}"


def test_many_at_once_come_to_one_cluster_or_none(fake, repeat):
    for _ in range(repeat(5)):
        ups = [fake.start("up", fake.topology) for _ in range(4)]
        codes = sorted(up.wait(timeout=120) for up in ups)
        assert codes.count(0) == 1 and set(codes) <= {0, 4}
        downs = [fake.start("down", "--all") for _ in range(4)]
        assert [down.wait(timeout=120) for down in downs] == [0] * 4
        assert strays(fake.run_dir) == []


def test_down_without_the_directory_ends_the_processes(fake):
    assert fake.run("up", fake.topology).returncode == 0
    os.rename(fake.run_dir / "two", fake.folder / "moved")
    assert fake.run("down", "--all").returncode == 0
    assert strays(fake.run_dir) == []


def test_start_and_stop_of_a_node(fake):
    assert fake.run("up", fake.topology).returncode == 0
    assert fake.run("start", "a").returncode == 4
    assert fake.run("kill", "a").returncode == 0
    off = {node["name"]: node["running"] for node in json.loads(fake.run("ls", "--json").stdout)[0]["nodes"]}
    assert off == {"a": False, "b": True}
    assert fake.run("stop", "a").returncode == 1
    started = fake.run("start", "two/a")
    assert started.returncode == 0, started.stderr
    assert json.loads(fake.run("ls", "--json").stdout)[0]["nodes"][0]["boots"] == 2
    assert fake.run("down").returncode == 0


def test_a_node_that_fails_to_start_again_does_not_harm_the_others(fake):
    assert fake.run("up", fake.topology).returncode == 0
    assert fake.run("stop", "a").returncode == 0
    again = fake.run("start", "a", FAKE_QEMU="crash")
    assert again.returncode == 1 and "this machine is not for you" in again.stderr
    assert [node["running"] for node in json.loads(fake.run("ls", "--json").stdout)[0]["nodes"]] == [False, True]


def test_a_kernel_that_is_not_ready_is_named_with_what_makes_it_so(fake):
    up = fake.run("up", fake.topology, "--kernel", "debug")
    assert up.returncode == 1 and "run `./bootstrap kernel debug`" in up.stderr
    tree = fake.folder / "linux"
    tree.mkdir()
    up = fake.run("up", fake.topology, "--kernel", tree)
    assert up.returncode == 1 and f"run `./bootstrap kernel {tree}`" in up.stderr
    assert strays(fake.run_dir) == []


def test_a_kernel_that_was_built_again_is_refused(fake):
    tree = fake.folder / "linux"
    tree.mkdir()
    share, variant = fake.folder / "share", "@" + str(tree).replace("/", "+")
    for part in ("kernel", "image"):
        shutil.copytree(share / part, share / (part + variant))
    (tree / "vmlinux").touch()
    os.utime(share / ("kernel" + variant) / "vmlinux", (1, 1))
    up = fake.run("up", fake.topology, "--kernel", tree)
    assert up.returncode == 1 and f"run `./bootstrap kernel {tree}` again" in up.stderr
    (share / ("kernel" + variant) / "vmlinux").touch()
    assert fake.run("up", fake.topology, "--kernel", tree).returncode == 0
    assert json.loads(fake.run("ls", "--json").stdout)[0]["kernel"] == str(tree)
    assert fake.run("kill", "a").returncode == 0
    assert fake.run("start", "a").returncode == 0
    assert variant in pathlib.Path(f"/proc/{json.loads(fake.run('ls', '--json').stdout)[0]['nodes'][0]['pid']}/cmdline").read_text()


def test_completions_offer_what_is_up(fake):
    assert fake.run("up", fake.topology).returncode == 0
    cluster = json.loads(fake.run("ls", "--json").stdout)[0]["cluster"]
    nodes = {"a", "b", f"{cluster}/a", f"{cluster}/b"}
    for kind, offered in (("clusters", {cluster}), ("nodes", nodes), ("targets", {cluster, *nodes}), ("paths", {f"{node}:" for node in nodes})):
        assert set(fake.run("completion", "--list", kind).stdout.split()) == offered


def test_logs_are_those_of_the_guest(fake):
    assert fake.run("up", fake.topology).returncode == 0
    assert fake.run("logs", "a", "--kind", "status").stdout == "power-on\nuserspace\nssh\ndrivers\n"


def check_followed_to_the_end(follower, first_line):
    """The follower ends by itself, having printed every status line of both nodes."""
    assert follower.wait(timeout=120) == 0, follower.stderr.read()
    lines = [first_line, *follower.stdout.readlines()]
    assert sorted(line for line in lines if not line.startswith("ntb-fabric |")) == [
        f"{node} | {event}\n" for node in "ab" for event in ("drivers", "power-on", "ssh", "userspace")]


def test_a_follower_of_logs_ends_when_its_cluster_is_taken_down(fake, repeat):
    for _ in range(repeat(20)):
        assert fake.run("up", fake.topology).returncode == 0
        follower = fake.start("logs", "--follow", "--kind", "status")
        first_line = follower.stdout.readline()
        assert fake.run("down").returncode == 0
        check_followed_to_the_end(follower, first_line)


def test_a_follower_of_logs_ends_when_all_of_its_cluster_is_killed(fake):
    fake.topology.write_text("name: two\ndefaults: {memory: 128M, modules: []}\nnodes: {a: {}, b: {}}\n"
                             "switches: {s: {nt-pairs: [[a, b]]}}\n")
    assert fake.run("up", fake.topology).returncode == 0
    follower = fake.start("logs", "--follow", "--kind", "status")
    first_line = follower.stdout.readline()
    cluster = json.loads(fake.run("ls", "--json").stdout)[0]
    for pid in (cluster["fabric_pid"], *(node["pid"] for node in cluster["nodes"])):
        os.kill(pid, signal.SIGKILL)
    check_followed_to_the_end(follower, first_line)


def test_a_cluster_that_lost_its_fabric_says_so(fake):
    fake.topology.write_text("name: two\ndefaults: {memory: 128M, modules: []}\nnodes: {a: {}, b: {}}\n"
                             "switches: {s: {nt-pairs: [[a, b]]}}\n")
    assert fake.run("up", fake.topology).returncode == 0
    os.kill(json.loads(fake.run("ls", "--json").stdout)[0]["fabric_pid"], signal.SIGKILL)
    wait_for("the end of the fabric", lambda: " broken " in fake.run("ls").stdout)
    listed = fake.run("ls").stdout
    assert listed.count(" NTB is dead ") == 2 and " ready " not in listed
    assert fake.run("kill", "b").returncode == 0
    for command in (["inspect"], ["start", "b"], ["start", "a"]):
        refused = fake.run(*command)
        assert refused.returncode == 1
        assert refused.stderr == (f"ntblab: the ntb-fabric of cluster 'two' has ended, and its switches with it (see {fake.run_dir}/two/fabric.log); "
                                  "`ntblab down two`, then up again\n")
    assert fake.run("down").returncode == 0


def test_clusters_of_one_file_by_other_names(fake):
    for name in ("one", "other"):
        assert fake.run("up", fake.topology, "--name", name).returncode == 0
    ambiguous = fake.run("stop", "a")
    assert ambiguous.returncode == 3 and "one/a, other/a" in ambiguous.stderr
    assert fake.run("down", "one").returncode == 0
    assert [cluster["cluster"] for cluster in json.loads(fake.run("ls", "--json").stdout)] == ["other"]


def test_a_file_that_cannot_be_written_is_said_and_leaves_nothing(fake):
    def no_room():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))

    up = fake.start("up", fake.topology, before=no_room)
    assert up.wait(timeout=120) == 1
    assert "cannot write" in up.stderr.read()
    assert strays(fake.run_dir) == []
