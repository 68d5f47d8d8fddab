# SPDX-License-Identifier: MIT
"""The commands that users are given for a driver of their own, as they are written: recipes for CI, and the walk through a lab."""

import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml

import pytest
import yaml
from support.ntblab_cli import BIN, DEBUG_KERNEL, LIMIT, REPO, strays

LAB = REPO / "docs" / "labs" / "ntb_hello"
CLONE = "/opt/ntblab"  # where the recipes have ntblab
# What brings ntblab there, which is not done again here.
SET_UP = {
    "apt-get update && apt-get install -y --no-install-recommends ca-certificates git",
    f'git clone --depth 1 "$NTBLAB" {CLONE}',
    f"git -C {CLONE} rev-parse HEAD > ntblab-version",
    f"{CLONE}/bootstrap build",
}


def github_commands():
    job = yaml.safe_load((REPO / "ci" / "recipes" / "github-actions.yml").read_text())["jobs"]["two-hosts"]
    return [line for step in job["steps"] for line in step.get("run", "").splitlines()]


def gitlab_commands():
    job = yaml.safe_load((REPO / "ci" / "recipes" / "gitlab-ci.yml").read_text())["two-hosts"]
    return job["before_script"] + job["script"]


def readme_commands():
    return re.findall(r"^```sh\n(.*?)^```$", (LAB / "README.md").read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture
def home(tmp_path):
    """A home directory with ntblab, as it was built, in ~/ntblab."""
    (tmp_path / "ntblab" / "docs" / "labs").mkdir(parents=True)
    (tmp_path / "ntblab" / "build").symlink_to(BIN.parent)
    shutil.copytree(LAB, tmp_path / "ntblab" / "docs" / "labs" / "ntb_hello")
    return tmp_path


def run(script, folder, home, run_dir):
    if DEBUG_KERNEL:    # a module is for one kernel
        script = script.replace("/kernel/headers", "/kernel@debug/headers")
    environment = dict(os.environ, HOME=str(home), NTBLAB_RUN_DIR=str(run_dir))
    result = subprocess.run(["bash", "-euxo", "pipefail", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=5 * LIMIT)
    assert result.returncode == 0, result.stdout
    return result.stdout


def check_results(path):
    suite = xml.parse(path).getroot().find("testsuite")
    steps = yaml.safe_load((LAB / "topology.yaml").read_text())["validate"]
    assert (int(suite.get("tests")), suite.get("failures"), suite.get("errors")) == (len(steps), "0", "0")


@pytest.mark.parametrize("commands", [github_commands(), gitlab_commands()], ids=["github", "gitlab"])
def test_a_recipe_builds_and_tests_a_driver(commands, home, run_dir):
    assert SET_UP >= set(commands[:-2]) and f"{CLONE}/bootstrap build" in commands[:-2]
    driver = home / "driver"
    shutil.copytree(LAB, driver)
    run("\n".join(commands[-2:]).replace(CLONE, str(home / "ntblab")), driver, home, run_dir)
    check_results(driver / "results.xml")
    assert strays(run_dir) == []


def test_the_walk_through_the_lab_works_as_printed(home, run_dir):
    said = run("".join(readme_commands()), home, home, run_dir)
    assert "hello from b" in said and "good morning" in said and "greetings from a" in said
    check_results(home / "hello" / "results.xml")
    assert strays(run_dir) == []
