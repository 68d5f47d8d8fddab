# SPDX-License-Identifier: MIT
"""Fixtures of ropcie's tests. `ntblab` and the guests' kernel are those of `build`, or of NTBLAB_BIN_DIR."""

import pytest
from ropcie import ropcie_cluster


@pytest.fixture(scope="module")
def pair():
    """Two nodes with RDMA, shared by the tests of a file."""
    with ropcie_cluster("topologies/rdma.yaml") as cluster:
        cluster.wait_ping("a", "b")
        yield cluster
