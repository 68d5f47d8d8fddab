# SPDX-License-Identifier: MIT
"""What system tests and RoPCIe's have in common."""

import pytest
from support.ntblab_cli import Cluster
from support.repeat import repeat as times_in_this_run


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """The report of a test that failed tells how the clusters stand that it shares with others."""
    report = (yield).get_result()
    if report.when == "call" and report.failed:
        report.sections += [(f"cluster {value.name}", value.standing())
                            for value in getattr(item, "funcargs", {}).values() if isinstance(value, Cluster)]


@pytest.fixture(scope="session")
def repeat():
    return times_in_this_run
