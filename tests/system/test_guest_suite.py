# SPDX-License-Identifier: MIT
"""Guests of another Debian than the default one: a pair with bookworm's user space, after `./bootstrap image bookworm`."""

from support.ntblab_cli import Cluster, kernel_complaints


def test_a_topology_chooses_the_guests_debian(run_dir, tmp_path):
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
