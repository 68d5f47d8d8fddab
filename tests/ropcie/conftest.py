# SPDX-License-Identifier: MIT
"""Fixtures of ropcie's tests. `ntblab` and the guests' kernel are those of `build`, or of NTBLAB_BIN_DIR."""

import os
import pathlib
import sys

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1])]
from ropcie import ropcie_cluster  # noqa: E402


@pytest.fixture(scope="session")
def repeat():
    """As tests/system/conftest.py has it."""
    percent = int(os.environ.get("NTBLAB_REPEAT_PERCENT", "40"))
    return lambda times: max(1, times * percent // 100)


@pytest.fixture(scope="module")
def pair():
    """Two nodes with RDMA, shared by the tests of a file."""
    with ropcie_cluster("topologies/rdma.yaml") as cluster:
        cluster.wait_ping("a", "b")
        yield cluster
