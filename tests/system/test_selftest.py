# SPDX-License-Identifier: MIT
"""The kernel's own selftest of NTB, tools/testing/selftests/ntb/ntb_test.sh, untouched, between the two guests."""

import contextlib
import os
import re
import subprocess

import pytest
from support.ntblab_cli import NTBLAB, Cluster, kernel_complaints
from support.qtest import SHARE

SCRIPT = SHARE / "kernel" / "source" / "tools" / "testing" / "selftests" / "ntb" / "ntb_test.sh"
# The script calls ssh for each file that it reads or writes at its peer. One connection that all of them share makes
# this five times as fast in an emulated CPU.
ONE_CONNECTION = """
cat > /root/.ssh/config <<'END'
ControlPath /run/ssh-peer
END
ssh -fNM b.lan >/dev/null 2>&1 </dev/null
"""
# Seconds; longer than the script takes on a loaded two-core machine, with more than a thousand calls of ssh.
SCRIPT_LIMIT = 1800
# No NTB client at boot, and a LAN, by which the script reaches the other host while it loads and removes NTB clients.
TOPOLOGY = """
name: selftest
lan: true
defaults: {{modules: [ntb_hw_switchtec], cmdline: iomem=relaxed, windows: {{lut-entries: {lut_entries}}}}}
nodes: {{a: {{}}, b: {{}}}}
switches: {{sw0: {{nt-pairs: [[a, b]]}}}}
"""
DIRECT_WINDOWS = 2  # of BAR2 and BAR4


@pytest.fixture(scope="module")
def lut_entries(repeat):
    """Each LUT window takes a second: 64 of them before a release, 4 by default."""
    return 1 << repeat(64).bit_length() - 1


@pytest.fixture(scope="module")
def selftest_pair(lut_entries, tmp_path_factory):
    topology = tmp_path_factory.mktemp("topology") / "selftest.yaml"
    topology.write_text(TOPOLOGY.format(lut_entries=lut_entries))
    with Cluster.up(topology) as pair:
        pair.ntblab("cp", SCRIPT, f"{pair.name}/a:/root/ntb_test.sh")
        pair.run("a", ONE_CONNECTION)
        yield pair
        for node in pair.nodes:
            assert kernel_complaints(pair.dmesg(node)) == []


def lines_of(pair, node, command):
    """Runs a command in a guest, yields the lines of both its streams as they come; fails if it does."""
    environment = dict(os.environ, NTBLAB_RUN_DIR=str(pair.run_dir))
    with subprocess.Popen([NTBLAB, "exec", f"{pair.name}/{node}", "--", *command], env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        yield from process.stdout
    yield f"exit code {process.returncode}\n"


def run_selftest(pair):
    """All that the script says. ntb_perf moves 256 MiB: at 1.7 GB/s, or at 0.05 where an emulated CPU has bad luck with its TLB."""
    devices = [pair.ntb_device(node) for node in ("a", "b")]
    command = ["timeout", str(SCRIPT_LIMIT), "bash", "/root/ntb_test.sh", "-p", "28", "-r", "b.lan", *devices]
    said = ""
    with contextlib.ExitStack() as until_the_end:
        for line in lines_of(pair, "a", command):
            said += line
            if line.startswith("Starting ntb_perf tests"):
                until_the_end.enter_context(pair.first_doorbells_rung())
    return said


def results(said):
    """(test, how often it was run) of all that passed, and the test with its result of all others."""
    passed, others = {}, []
    for test, result in re.findall(r"^Running (.*?)(?: on: .*)?\n(?:.*\n)*?  (Passed|Unsupported)$", said, re.MULTILINE):
        if result == "Passed":
            passed[test] = passed.get(test, 0) + 1
        else:
            others.append((test, result))
    return passed, others


@pytest.mark.parametrize("use_lut", [0, 1])
def test_the_kernels_selftest_passes_between_the_guests(selftest_pair, lut_entries, use_lut):
    pair = selftest_pair
    pair.reload_driver(f"use_lut_mws={use_lut}")
    windows = DIRECT_WINDOWS + (lut_entries - 1) * use_lut  # the driver keeps one to itself
    said = run_selftest(pair)
    assert said.endswith("exit code 0\n"), said
    passed, others = results(said)
    assert passed == {"port tests": 1, "link tests": 2, "db tests": 2, "spad tests": 2,
                      **{f"mw{index} tests": 2 for index in range(windows)},
                      "ping pong tests": 1, "local perf test without DMA": 1, "remote perf test without DMA": 1}, said
    # ntb_hw_switchtec offers no messages to its clients; Debian's kernel has no NTB_MSI, so there is no ntb_msi_test.
    assert others == [("msg tests", "Unsupported")] * 2
    assert "Not doing MSI tests seeing the module is not available" in said
