# SPDX-License-Identifier: MIT
"""rdma-core's own tests, as Debian's python3-pyverbs has them, in guests of Debian 13 (rdma-core 56.1) and 12 (44.0)."""

import pathlib
import re

import pytest
from ropcie import ropcie_cluster
from support.repeat import BEFORE_RELEASE

SCRIPT = pathlib.Path(__file__).parent / "guest" / "pyverbs.sh"
# What passes with rdma_rxe: of 56.1 on Linux 6.12, of 44.0 on Linux 6.1. NTBLAB_REPEAT_PERCENT=100 finds it out in the same guest.
RXE = {"trixie": 103, "bookworm": 86}


def run_suite(cluster, device):
    """(exit code, how many passed, how many failed)"""
    said = cluster.command("a", f"/tmp/pyverbs.sh /usr/share/doc/rdma-core/tests {device}", check=False, timeout=3600)
    print(said.stdout)
    return said.returncode, *map(int, re.search(r"^ok (\d+) skipped \d+ failed (\d+)$", said.stdout, re.M).groups())


@pytest.mark.parametrize("suite", RXE)
def test_rdma_cores_own_tests(suite):
    with ropcie_cluster("topologies/rdma.yaml", "--guest-suite", suite) as pair:
        pair.wait_ping("a", "b")
        pair.meet("ibv_rc_pingpong -d ropcie0 -g 1 -n 100", "ibv_rc_pingpong -d ropcie0 -g 1 -n 100 {server}", "tcp")
        pair.put("a", "/tmp/pyverbs.sh", SCRIPT.read_bytes())
        code, passed, failed = run_suite(pair, "ropcie0")
        assert (code, failed) == (0, 0)
        rxe = RXE[suite]
        if BEFORE_RELEASE:
            pair.run("a", "modprobe rdma_rxe && rdma link add rxe0 type rxe netdev mgmt0")
            rxe = run_suite(pair, "rxe0")[1]
            pair.run("a", "rdma link delete rxe0")
        print(f"passed: ropcie {passed}, rdma_rxe {rxe}")
        assert passed >= rxe and (suite != "trixie" or passed > 103)
