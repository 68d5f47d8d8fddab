# SPDX-License-Identifier: MIT
"""Fixtures of the system tests. Every cluster lives in a run directory of its own below pytest's temporary directory."""

import pathlib
import shutil
import tempfile

import pytest
from support.ntblab_cli import healthy_cluster, ntblab, strays


@pytest.fixture
def run_dir():
    """A private run directory (short, for the length limit of UNIX socket paths); afterwards nothing may remain of it."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="ntb-"))
    yield path
    ntblab("down", "--all", run_dir=path)
    left = strays(path)
    shutil.rmtree(path, ignore_errors=True)
    assert not left, f"left behind after `ntblab down --all`: {left}"


@pytest.fixture(scope="module")
def pair():
    """The pair of topologies/pair.yaml, shared by the tests of a module; their kernels must not complain."""
    with healthy_cluster("topologies/pair.yaml") as cluster:
        yield cluster
