# SPDX-License-Identifier: MIT
"""Guests of another Debian than the default one: a pair with bookworm's user space. Its image is made if the cache has none, which takes minutes."""

import re
import subprocess

from support.ntblab_cli import LIMIT, REPO, Cluster, kernel_complaints

MAKE = [REPO / "bootstrap", "image", "bookworm"]


def test_a_topology_chooses_the_guests_debian(run_dir, tmp_path):
    subprocess.run(MAKE, check=True, timeout=10 * LIMIT)
    topology = tmp_path / "t.yaml"
    topology.write_text("name: old\nguest-suite: bookworm\nnodes: {a: {}, b: {}}\nswitches: {sw0: {nt-pairs: [[a, b]]}}\n")
    with Cluster.up(topology, run_dir=run_dir) as cluster:
        assert cluster.up_report["guest_suite"] == "bookworm"
        for node in cluster.nodes:
            assert "VERSION_CODENAME=bookworm" in cluster.run(node, "cat /etc/os-release").splitlines()
        cluster.wait_ping()
        # A node that is started again has it, too.
        cluster.ntblab("kill", "b")
        cluster.ntblab("start", "b")
        assert "VERSION_CODENAME=bookworm" in cluster.run("b", "cat /etc/os-release").splitlines()
        for node in cluster.nodes:
            assert kernel_complaints(cluster.dmesg(node)) == []
    with Cluster.up("topologies/pair.yaml", run_dir=run_dir) as default:
        assert not re.search("VERSION_CODENAME=bookworm", default.run("a", "cat /etc/os-release"))
