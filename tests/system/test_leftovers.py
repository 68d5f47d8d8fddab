# SPDX-License-Identifier: MIT
"""Nothing remains: of clusters side by side, of a launcher killed or interrupted at any moment, of a VM killed."""

import os
import random
import signal
import subprocess
import time

from support.ntblab_cli import NTBLAB, REPO, Cluster, ntblab, strays


def launcher(run_dir, *arguments):
    return subprocess.Popen([NTBLAB, *map(str, arguments)], env=dict(os.environ, NTBLAB_RUN_DIR=str(run_dir)),
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)


def test_two_clusters_side_by_side(run_dir):
    with Cluster.up("topologies/pair.yaml", name="one", run_dir=run_dir) as one, \
            Cluster.up("topologies/pair.yaml", name="two", run_dir=run_dir) as two:
        for cluster in (one, two):
            cluster.run("a", f"echo {cluster.name} > /tmp/who")
            cluster.wait_ping()
        assert (one.run("a", "cat /tmp/who"), two.run("a", "cat /tmp/who")) == ("one", "two")
        one.down()
        two.wait_ping()
        assert two.run("a", "cat /tmp/who") == "two"


def test_launcher_killed_at_random_points(repeat, run_dir):
    chance = random.Random(2)
    for round_number in range(repeat(50)):
        up = launcher(run_dir, "up", REPO / "topologies/pair.yaml")
        time.sleep(chance.uniform(0, 6))  # the moment of the kill is what varies; nothing waits for it
        up.kill()
        up.wait()
        if chance.random() < 0.3:
            down = launcher(run_dir, "down", "--all")
            time.sleep(chance.uniform(0, 0.3))
            down.kill()
            down.wait()
        ntblab("down", "--all", run_dir=run_dir)
        assert strays(run_dir) == [], f"round {round_number}"


def test_interrupt_at_random_points_needs_no_down(repeat, run_dir):
    chance = random.Random(3)
    for round_number in range(repeat(20)):
        run = launcher(run_dir, "run", REPO / "topologies/pair.yaml", "--", "sleep", "1000")
        time.sleep(chance.uniform(0, 9))
        run.send_signal(chance.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP]))
        assert run.wait(timeout=60) != 0
        assert strays(run_dir) == [], f"round {round_number}"


def test_a_second_up_is_refused_and_harms_nothing(run_dir):
    with Cluster.up("topologies/pair.yaml", run_dir=run_dir) as pair:
        second = ntblab("up", REPO / "topologies/pair.yaml", run_dir=run_dir, check=False)
        assert second.returncode != 0 and "pair" in second.stderr and "down" in second.stderr
        assert pair.run("a", "hostname") == "a"


def test_down_after_a_vm_was_killed(run_dir):
    with Cluster.up("topologies/pair.yaml", run_dir=run_dir) as pair:
        pair.kill("a")
    assert strays(run_dir) == []
