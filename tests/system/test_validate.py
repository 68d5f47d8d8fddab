# SPDX-License-Identifier: MIT
"""`ntblab test` runs a topology's `validate` section and says what came of it, to people and as JUnit XML."""

import xml.etree.ElementTree as xml

import pytest
from support.ntblab_cli import REPO, ntblab, strays

STEPS = """name: steps
nodes: {a: {memory: 256M, modules: []}}
validate:
- {name: exact, node: a, command: [printf, '%s', 'a b'], output: {exact: a b}}
- {name: shell, node: a, command: 'echo one; echo two >&2; exit 3', exit-code: 3, output: {contains: on, regex: '^one$'}}
"""
BAD_STEPS = """- {name: code, node: a, command: 'echo "<&>"; false', exit-code: 0, output: {exact: x}}
- {name: slow, node: a, command: 'echo started; sleep 1000', timeout: 1}
- {name: after, node: a, command: '! pgrep sleep'}
"""


def written(path, text):
    path.write_text(text)
    return path


def test_all_steps_pass(run_dir, tmp_path):
    result = ntblab("test", written(tmp_path / "t.yaml", STEPS), run_dir=run_dir)
    assert [line.rsplit(" (", 1)[0] for line in result.stdout.splitlines()] == ["pass exact", "pass shell", "2 passed, 0 failed"]
    assert strays(run_dir) == []


def test_what_fails_is_told_and_the_rest_runs(run_dir, tmp_path):
    report = tmp_path / "report.xml"
    result = ntblab("test", written(tmp_path / "t.yaml", STEPS + BAD_STEPS), "--junit", report, run_dir=run_dir, check=False,
                    umask=0o022)
    assert result.returncode == 1 and report.stat().st_mode & 0o777 == 0o644
    assert result.stdout.splitlines()[-1] == "3 passed, 2 failed"
    assert "     exit code 1, expected 0\n     output is '<&>', expected 'x'\n     stdout | <&>\n" in result.stdout
    assert "     not done within 1 s\n     stdout | started\n" in result.stdout
    assert strays(run_dir) == []

    suite = xml.parse(report).getroot().find("testsuite")
    assert {key: suite.get(key) for key in ("name", "tests", "failures", "errors")} == {
        "name": "steps", "tests": "5", "failures": "2", "errors": "0"}
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert [name for name, case in cases.items() if case.find("failure") is not None] == ["code", "slow"]
    assert cases["code"].find("failure").text == "exit code 1, expected 0\noutput is '<&>', expected 'x'"
    assert cases["code"].find("system-out").text == "<&>\n"
    assert cases["shell"].find("system-err").text == "two\n"


@pytest.mark.parametrize("name, steps", [("lan", 2), ("triangle", 4)])
def test_the_steps_of_the_topologies_that_come_with_us_pass(run_dir, name, steps):
    result = ntblab("test", REPO / "topologies" / f"{name}.yaml", run_dir=run_dir)
    assert result.stdout.splitlines()[-1] == f"{steps} passed, 0 failed"


def test_a_topology_without_steps_is_refused(run_dir, tmp_path):
    result = ntblab("test", written(tmp_path / "t.yaml", "name: t\nnodes: {a: {}}\n"), run_dir=run_dir, check=False)
    assert result.returncode == 125
    assert "has no 'validate' section" in result.stderr


def test_a_cluster_that_does_not_start_is_no_failed_step(run_dir, tmp_path, monkeypatch):
    monkeypatch.setenv("NTBLAB_SHARE", str(tmp_path))
    result = ntblab("test", written(tmp_path / "t.yaml", STEPS), run_dir=run_dir, check=False)
    assert (result.returncode, result.stdout) == (125, "")
    assert "run `./bootstrap " in result.stderr and strays(run_dir) == []
