# SPDX-License-Identifier: MIT
"""Fixtures of the system tests. Every cluster lives in a run directory of its own below pytest's temporary directory."""

import os
import pathlib
import shutil
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.ntblab_cli import Cluster, healthy_cluster, ntblab, strays  # noqa: E402


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """The report of a test that failed tells how the clusters stand that it shares with others."""
    report = (yield).get_result()
    if report.when == "call" and report.failed:
        report.sections += [(f"cluster {value.name}", value.standing())
                            for value in getattr(item, "funcargs", {}).values() if isinstance(value, Cluster)]


@pytest.fixture(scope="session")
def repeat():
    """How often a test that hunts for races repeats, as a function of how often it is to be seen to pass before a release.

    NTBLAB_REPEAT_PERCENT=100 runs that many; by default it is 40, to keep a run of all tests short."""
    percent = int(os.environ.get("NTBLAB_REPEAT_PERCENT", "40"))
    return lambda times: max(1, times * percent // 100)


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
