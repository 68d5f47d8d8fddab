# SPDX-License-Identifier: MIT
"""`ntb-sim sweep` and `merge`: the same results however the work was shared out."""

import getpass
import json
import os
import pathlib
import resource
import signal
import socket
import subprocess

import pytest
from support.ntb_sim_cli import NTB_SIM, PAIR, TOPOLOGIES, ntb_sim
from support.ntblab_cli import wait_for

SWEEP = f"""topologies: [{PAIR}, {TOPOLOGIES}/triangle.yaml]
workloads: [dma-write, pio-pingpong]
vary: {{link.mps: [128, 256]}}
seeds: [1, 2]
sizes: 64..4K
transfers: 5
"""
TASKS = 2 * 2 * 2 * 2 * 7


@pytest.fixture
def sweep(tmp_path):
    path = tmp_path / "sweep.yaml"
    path.write_text(SWEEP)
    return path


def results(folder):
    return (folder / "results.json").read_bytes(), (folder / "results.csv").read_bytes()


def test_processes_and_parts_change_nothing(sweep, tmp_path):
    ntb_sim("sweep", sweep, "-o", tmp_path / "one", "-j", 1)
    ntb_sim("sweep", sweep, "-o", tmp_path / "four", "-j", 4)
    for part in (2, 0, 1):
        ntb_sim("sweep", sweep, "-o", tmp_path / "parts", "--part", f"{part}/3")
    ntb_sim("merge", tmp_path / "parts")
    assert results(tmp_path / "one") == results(tmp_path / "four") == results(tmp_path / "parts")
    runs = json.loads(results(tmp_path / "one")[0])["runs"]
    assert len(runs) == 16 and sum(len(run["points"]) for run in runs) == TASKS
    assert [run["conditions"]["link.mps"] for run in runs[:4]] == [128, 128, 256, 256]


def test_what_is_there_is_not_done_again(sweep, tmp_path):
    folder = tmp_path / "results"
    ntb_sim("sweep", sweep, "-o", folder)
    whole = results(folder)
    tasks = sorted(folder.glob("task-*.json"))
    before = {task: task.stat().st_mtime_ns for task in tasks}
    tasks[3].unlink()
    assert f"1 of {TASKS} tasks have no result, or a damaged one, the first is task 3; run the sweep again" in ntb_sim(
        "merge", folder, expect=1)[1]
    ntb_sim("sweep", sweep, "-o", folder)
    assert results(folder) == whole
    assert [task for task in tasks if task.stat().st_mtime_ns != before[task]] == [tasks[3]]


def test_what_is_damaged_is_done_again(sweep, tmp_path):
    folder = tmp_path / "results"
    ntb_sim("sweep", sweep, "-o", folder)
    whole = results(folder)
    tasks = sorted(folder.glob("task-*.json"))
    tasks[0].write_bytes(b"")
    tasks[5].write_bytes(tasks[5].read_bytes()[:100])
    tasks[7].write_bytes(bytes(range(256)))
    ntb_sim("sweep", sweep, "-o", folder)
    assert results(folder) == whole


def test_a_worker_that_is_killed_is_told_and_its_task_done_again(sweep, tmp_path):
    sweep.write_text(SWEEP.replace("64..4K", "1M").replace("transfers: 5", "transfers: 20"))
    ntb_sim("sweep", sweep, "-o", tmp_path / "here")
    folder = tmp_path / "results"
    process = subprocess.Popen([NTB_SIM, "sweep", str(sweep), "-o", str(folder), "-j", "2"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    killed = wait_for("a worker", lambda: [pid for pid in running(str(folder)) if int(pid) != process.pid])[0]
    os.kill(int(killed), signal.SIGKILL)
    line = process.stderr.readline()
    assert "was ended by signal 9 (Killed); it is done once more" in line
    assert process.wait() == 0, process.stderr.read()
    assert results(folder) == results(tmp_path / "here")


def test_results_of_another_sweep_are_not_mixed_in(sweep, tmp_path):
    ntb_sim("sweep", sweep, "-o", tmp_path / "results", "--part", "0/100")
    sweep.write_text(SWEEP.replace("[1, 2]", "[1, 3]"))
    assert "has results of another sweep" in ntb_sim("sweep", sweep, "-o", tmp_path / "results", expect=1)[1]


def test_results_of_files_that_have_changed_are_not_taken(sweep, tmp_path):
    topology, workload = tmp_path / "pair.yaml", tmp_path / "workload.yaml"
    topology.write_text(PAIR.read_text())
    workload.write_text("operation: pio-write\n")
    sweep.write_text("topologies: [./pair.yaml]\nworkloads: [workload.yaml]\n")
    ntb_sim("sweep", sweep, "-o", tmp_path / "results")
    for file, more in ((topology, "\n# another\n"), (workload, "transfers: 7\n")):
        before = file.read_text()
        file.write_text(before + more)
        assert "has results of another sweep" in ntb_sim("sweep", sweep, "-o", tmp_path / "results", expect=1)[1]
        file.write_text(before)
    ntb_sim("sweep", sweep, "-o", tmp_path / "results")


def test_merge_wants_results(tmp_path):
    assert "no sweep's results are there" in ntb_sim("merge", tmp_path, expect=1)[1]


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_ends_with_all_its_processes_and_goes_on_later(sweep, tmp_path, ending):
    sweep.write_text(SWEEP.replace("64..4K", "1M").replace("transfers: 5", "transfers: 20"))
    folder = tmp_path / "results"
    process = subprocess.Popen([NTB_SIM, "sweep", str(sweep), "-o", str(folder), "-j", "2"], process_group=0,
                               stdout=subprocess.DEVNULL)
    wait_for("a task's result", lambda: list(folder.glob("task-*.json")))
    # A terminal's Ctrl-C is for the whole group; the others come to the program alone.
    (os.killpg if ending == signal.SIGINT else os.kill)(process.pid, ending)
    assert process.wait() == -ending
    wait_for("the end of its processes", lambda: not running(str(folder)))
    ntb_sim("sweep", sweep, "-o", folder)
    assert len(list(folder.glob("task-*.json"))) == 16


def running(word):
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (process / "cmdline").read_bytes().split(bytes(1)):
                found.append(process.name)
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


BAD_SWEEPS = {
    "workloads: [dma-write]": "{path}:1:1: a sweep has topologies, a list of paths",
    "topologies: []": "{path}:1:13: ",
    "topologies: [none.yaml]": "{path}:1:14: ",
    f"topologies: [{PAIR}]\nworkloads: [dma]": "{path}:2:13: there is no workload 'dma'; ",
    f"topologies: [{PAIR}]\nvary: {{link.mp: [1]}}": "{path}:2:8: ",
    f"topologies: [{PAIR}]\nvary: {{link.mps: [64]}}": "{path}:2:19: ",
    f"topologies: [{PAIR}]\nvary: {{link.mps: [128.5]}}": "{path}:2:19: link.mps is 128.5",
    f"topologies: [{PAIR}]\nvary: {{cpu.fence: [{', '.join(map(str, range(1001)))}]}}\nseeds: [{', '.join(map(str, range(1000)))}]":
        "{path}:3:8: more than 1000000 runs with this; make it several sweeps",
    f"topologies: [{PAIR}]\nsizes: x": "{path}:2:8: 'x' is no size of a transfer",
    f"topologies: [{PAIR}]\nseeds: [-1]": "{path}:2:9: ",
}


@pytest.mark.parametrize("text", BAD_SWEEPS, ids=lambda text: text.replace(str(PAIR), "pair").replace("\n", "; ")[:80])
def test_a_sweep_that_is_wrong_is_told_where(sweep, tmp_path, text):
    sweep.write_text(text)
    assert BAD_SWEEPS[text].format(path=sweep) in ntb_sim("sweep", sweep, "-o", tmp_path / "results", expect=2)[1]
    assert not (tmp_path / "results").exists()


def test_part_is_one_of_its_number(sweep, tmp_path):
    for part in ("3/3", "1", "a/b", "1/0"):
        assert f"--part is '{part}'; expected I/N" in ntb_sim("sweep", sweep, "-o", tmp_path, "--part", part, expect=2)[1]


@pytest.fixture
def slurm(tmp_path_factory):
    """A cluster of this machine alone. Yields the environment in which sbatch finds it."""
    folder = tmp_path_factory.mktemp("slurm")
    host = socket.gethostname().split(".")[0]
    user = getpass.getuser()
    ports = []
    for _ in range(2):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            ports.append(free.getsockname()[1])
    for name in ("state", "spool"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o600)
    (folder / "slurm.conf").write_text(f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} RealMemory=100
PartitionName=all Nodes=ALL Default=YES State=UP
""")
    environment = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"), PATH=f"{os.environ['PATH']}:/usr/sbin")
    commands = [["munged", "--foreground", "--force", f"--socket={folder}/munge.sock", f"--key-file={key}",
                 f"--pid-file={folder}/munged.pid", f"--seed-file={folder}/seed", f"--log-file={folder}/munged.log"],
                ["slurmctld", "-D"], ["slurmd", "-D", "-N", host]]
    daemons = []
    with (folder / "daemons.log").open("w") as log:
        try:
            for command in commands:
                daemons.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
                if command[0] == "munged":
                    wait_for("munged", (folder / "munge.sock").exists)
            wait_for("the node", lambda: "idle" in subprocess.run(
                ["sinfo", "--noheader", "--format=%T"], env=environment, capture_output=True, text=True, check=False).stdout)
            yield environment
        finally:
            for daemon in reversed(daemons):
                daemon.terminate()
                daemon.wait()


def test_as_an_array_job_of_slurm(sweep, tmp_path, slurm):
    ntb_sim("sweep", sweep, "-o", tmp_path / "here")
    ntb_sim("sweep", sweep, "-o", tmp_path / "slurm", "--slurm", "--slurm-tasks", 3, "--sbatch=--comment=test", env=slurm)
    assert results(tmp_path / "slurm") == results(tmp_path / "here")
    assert sorted(log.name for log in (tmp_path / "slurm").glob("part-*.log")) == [f"part-{i}.log" for i in range(3)]


def test_slurm_parts_that_fail_say_where_to_look(sweep, tmp_path, slurm):
    folder = tmp_path / "results"
    ntb_sim("sweep", sweep, "-o", folder, "--part", "1/100")
    # Slurm hands limits on: no result may be as large as results are.
    error = ntb_sim("sweep", sweep, "-o", folder, "--slurm", "--slurm-tasks", 1, env=slurm, expect=1,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)))[1]
    assert "sbatch ended with exit code" in error and f"{folder}/part-*.log" in error


def test_without_slurm_it_says_what_else_to_do(sweep, tmp_path):
    error = ntb_sim("sweep", sweep, "-o", tmp_path / "results", "--slurm", env={"PATH": "/nowhere"}, expect=1)[1]
    assert "sbatch is not there" in error and "--part I/N" in error
