# SPDX-License-Identifier: MIT
"""What bootstrap answers to wishes that it cannot fulfil, before it has built anything."""

import os
import re
import subprocess

import pytest
from support.ntblab_cli import LIMIT, REPO


def refused(*command, **environment):
    result = subprocess.run([*map(str, command)], cwd=REPO, capture_output=True, text=True, timeout=LIMIT, check=False,
                            env=dict(os.environ, **environment))
    assert result.returncode != 0
    return result.returncode, result.stderr


@pytest.mark.parametrize("words, complaint", [(["nosuch"], "there is no benchmark 'nosuch'; there are boot, window, "),
                                              (["boot", "--json"], "--json needs a file"),
                                              (["--json", "boot", "--jsn=x"], "there is no benchmark '--jsn=x'")])
def test_a_benchmark_that_is_not_there_is_refused_at_once(words, complaint):
    code, message = refused("./bootstrap", "bench", *words)
    assert code == 2 and message.startswith(f"bootstrap: {complaint}")


def test_bootstrap_knows_the_benchmarks():
    """Those of tests/bench/run.py."""
    known = re.search(r"there are (.*)\n", refused("/usr/bin/python3", "tests/bench/run.py", "nosuch")[1])[1]
    assert refused("./bootstrap", "bench", "nosuch")[1].startswith(f"bootstrap: there is no benchmark 'nosuch'; there are {known};")


def test_a_kernel_directory_that_is_not_there_is_named():
    code, message = refused("ci/variant.sh", "/nonexistent")
    assert code == 1 and re.fullmatch(r"\[.*\] variant +error: there is no directory '/nonexistent'\n", message)


def test_a_package_that_no_debian_has_is_named_and_no_other_debian_taken():
    code, message = refused("ci/base.sh", NTBLAB_IMAGE_PACKAGES="no-such-package strace")
    assert code == 1
    assert "Unable to locate package no-such-package. Ask for others" in message and '--image-packages ""' in message
    assert "installing Debian" not in message and message.count("error:") == 1
