# SPDX-License-Identifier: MIT
"""What ntb-sim's options go together with: what would be without effect, or would write where it should not, is refused before a run."""

import signal
import subprocess
import time

import pytest
from support.ntb_sim_cli import NTB_SIM, PAIR, TOPOLOGIES, ntb_sim
from support.ntblab_cli import wait_for

MESH = TOPOLOGIES / "mesh3.yaml"

WITHOUT_EFFECT = {
    ("run", MESH, "-w", "all-to-all", "--to", "a"): "to has no use for workload 'all-to-all': the pattern all-to-all is of all hosts",
    ("run", MESH, "-w", "permutation", "--from", "a"): "from has no use for workload 'permutation'",
    ("run", MESH, "-w", "incast", "--from", "a"): "from has no use for workload 'incast': an incast is from all peers",
    ("run", PAIR, "-w", "doorbell", "-s", "64"): "a doorbell is one store",
    ("run", PAIR, "--set", "link.generation=5"): "parameter link.generation makes no difference here: hosts' links are the topology's",
    ("run", PAIR, "--set", "cable.metres=5"): "parameter cable.metres makes no difference here: profile 'switchtec-gen4x16' is of a switch",
    ("run", PAIR, "--set", "dma.tags=5"): "parameter dma.tags makes no difference here: pio-write is of no DMA engine",
    ("run", PAIR, "-w", "dma-write", "--set", "iommu.miss=5"): "no node of topology 'pair' has iommu: true",
    ("run", PAIR, "--set", "cpu.fence=5", "--set", "cpu.fence=6"): "parameter cpu.fence is set twice",
    ("run", PAIR, "-w", "dma-write", "-p", "pxh810-gen3x8", "--set", "dma.tags=257"): "tags of Gen3 (link.generation) are at most 256",
    ("run", PAIR, "-s", "64", "--link", "sw0_0_link"): "--link says which link --vcd and --pcapng show",
    ("run", PAIR, "-s", "64", "-w", "dma-write", "--record", "file"): "--record is of CPUs' requests; dma-write has none",
    ("run", PAIR, "--seed", "-1"): "--seed: '-1'; expected a whole number from 0",
    ("run", PAIR, "--seed", "99999999999999999999999"): "--seed: '99999999999999999999999'; expected a whole number",
    ("run", PAIR, "--transfers", "1.5"): "--transfers: '1.5'; expected a whole number from 1 to 1000000",
    ("run", PAIR, "--warm-up", "-1"): "--warm-up: '-1'; expected a whole number from 0",
    ("run", PAIR, "--in-flight", "0"): "--in-flight: '0'; expected a whole number from 1",
    ("run", PAIR, "--metres", "5"): "--metres",
    ("explain", PAIR, "-s", "64", "-n", "5"): "-n",
    ("explain", PAIR, "-s", "64", "--in-flight", "5"): "--in-flight",
    ("explain", PAIR, "-s", "64", "--perfetto", "file", "--link", "sw0_0_link"): "--link says which link --vcd and --pcapng show",
    ("sweep", "sweep.yaml", "-o", "folder", "--slurm", "-j", "2"): "--jobs",
    ("sweep", "sweep.yaml", "-o", "folder", "--slurm-tasks", "2"): "--slurm",
    ("sweep", "sweep.yaml", "-o", "folder", "--slurm", "--part", "0/2"): "--part",
    ("calibrate", "--check", "--write"): "--write",
}


@pytest.mark.parametrize("arguments", WITHOUT_EFFECT, ids=lambda arguments: " ".join(str(word).rsplit("/", 1)[-1] for word in arguments))
def test_what_would_be_without_effect_is_refused(tmp_path, arguments):
    output, error = ntb_sim(*arguments, expect=2, cwd=tmp_path)
    assert WITHOUT_EFFECT[arguments] in error and output == ""
    assert list(tmp_path.iterdir()) == []


def test_a_trace_is_what_its_file_says(tmp_path):
    (tmp_path / "requests.csv").write_text("at_ps,node,peer,operation,offset,bytes\n1000,a,b,write,0,64\n")
    replay = tmp_path / "replay.yaml"
    replay.write_text("operation: trace\ntrace: requests.csv\n")
    for option, value in (("sizes", 64), ("from", "a"), ("to", "b"), ("transfers", 5), ("warm-up", 5), ("in-flight", 5)):
        assert f"{option} has no use for workload 'replay'" in ntb_sim("run", PAIR, "-w", replay, f"--{option}", value, expect=2)[1]
    assert "which a trace does not have" in ntb_sim("run", PAIR, "-w", replay, "--plot", tmp_path / "a.svg", expect=2)[1]
    assert "cpu.fence makes no difference" in ntb_sim("run", PAIR, "-w", replay, "--set", "cpu.fence=5", expect=2)[1]
    for option in ("--json", "--csv", "--record"):
        assert f"{option} would be written over" in ntb_sim("run", PAIR, "-w", replay, option, tmp_path / "requests.csv", expect=2)[1]


def test_explain_watches_the_protocol_if_it_is_to():
    assert ntb_sim("explain", PAIR, "-s", 64, "--check") == ntb_sim("explain", PAIR, "-s", 64)
    error = ntb_sim("explain", MESH, "-w", "incast", "-s", 4096, expect=1)[1]
    assert "the pattern has to be pair" in error


def test_links_that_are_not_the_profiles_are_told(tmp_path):
    plain = ntb_sim("run", PAIR, "-s", 64)
    assert plain[1] == ""
    output, error = ntb_sim("run", PAIR, "-s", 64, "-p", "switchtec-gen5x16")
    assert "note" not in output
    assert error.startswith("ntb-sim: note: hosts' links are Gen4 x16, as topology 'pair' has them, and not the Gen5 x16 of profile")
    assert "link: {generation: 5, width: x16}, and a switch of it, such as model: pfx-100xg5" in error
    assert ntb_sim("explain", PAIR, "-s", 64, "-p", "switchtec-gen5x16")[1] == error
    own = tmp_path / "own.yaml"
    own.write_text("name: own\nnodes: {a: {}, b: {}}\n"
                   "switches: {s: {model: pfx-100xg5, link: {generation: 5, width: x16}, nt-pairs: [[a, b]]}}\n")
    assert ntb_sim("run", own, "-s", 64, "-p", "switchtec-gen5x16")[1] == ""


OUTPUTS = ("--json", "--csv", "--plot", "--vcd", "--perfetto", "--pcapng", "--record")


def test_names_that_are_no_files(tmp_path):
    for option in ("--plot", "--vcd", "--perfetto", "--pcapng"):
        assert f"{option}: it cannot be standard output; expected the name of a file" in ntb_sim(
            "run", PAIR, "-s", 64, option, "-", expect=2, cwd=tmp_path)[1]
    for option in OUTPUTS:
        assert f"{option}: the name is empty" in ntb_sim("run", PAIR, "-s", 64, option, "", expect=2, cwd=tmp_path)[1]
    assert "it cannot be standard output" in ntb_sim("explain", PAIR, "-s", 64, "--waterfall", "-", expect=2, cwd=tmp_path)[1]
    assert "it cannot be standard output" in ntb_sim("calibrate", "--check", "--plot", "-", expect=2, cwd=tmp_path)[1]
    assert "it cannot be standard output" in ntb_sim("sweep", "sweep.yaml", "--output", "-", expect=2, cwd=tmp_path)[1]
    for command in ("run", "explain"):
        option = "--plot" if command == "run" else "--waterfall"
        assert "a picture is an SVG or a PNG" in ntb_sim(command, PAIR, "-s", 64, option, tmp_path / "a.gif", expect=2)[1]
    assert list(tmp_path.iterdir()) == []


def test_standard_output_has_one_thing(tmp_path):
    recorded = ntb_sim("run", PAIR, "-s", 64, "-n", 1, "--record", "-")[0]
    assert recorded.startswith("at_ps,node,peer,operation,offset,bytes\n")
    assert "--json and --csv are both standard output" in ntb_sim("run", PAIR, "--json", "-", "--csv", "-", expect=2, cwd=tmp_path)[1]


def test_no_file_is_written_twice_or_over_what_is_read(tmp_path):
    for one, other in (("--json", "--csv"), ("--vcd", "--perfetto"), ("--json", "--record")):
        error = ntb_sim("run", PAIR, "-s", 64, one, tmp_path / "same", other, tmp_path / "none" / ".." / "same", expect=2)[1]
        assert "are both" in error and one in error and other in error
    assert list(tmp_path.iterdir()) == []
    topology = tmp_path / "pair.yaml"
    topology.write_bytes(PAIR.read_bytes())
    (tmp_path / "link").symlink_to("pair.yaml")
    profile, workload = tmp_path / "profile.yaml", tmp_path / "workload.yaml"
    profile.write_text("parameters: {}\n")
    workload.write_text("operation: pio-write\n")
    for name in ("pair.yaml", "link", "profile.yaml", "workload.yaml"):
        error = ntb_sim("run", topology, "-p", profile, "-w", workload, "-s", 64, "--json", tmp_path / name, expect=2)[1]
        assert "--json would be written over" in error and "which is read" in error
    assert topology.read_bytes() == PAIR.read_bytes()
    ntb_sim("run", PAIR, "-s", 64, "--json", "/dev/null", "--csv", "/dev/null")


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_what_is_ended_leaves_no_files(tmp_path, ending):
    (tmp_path / "run.json").write_text("before")
    names = {"--json": "run.json", "--csv": "run.csv", "--plot": "run.svg", "--record": "run.txt", "--vcd": "run.vcd",
             "--perfetto": "timeline.json", "--pcapng": "run.pcapng"}
    files = [word for option, name in names.items() for word in (option, str(tmp_path / name))]
    process = subprocess.Popen([NTB_SIM, "run", str(PAIR), "-s", "64K", "-n", "1000000", *files], stdout=subprocess.DEVNULL)
    wait_for("three traces", lambda: len(list(tmp_path.iterdir())) == 4)
    time.sleep(0.1)
    process.send_signal(ending)
    assert process.wait() == -ending
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    assert (tmp_path / "run.json").read_text() == "before"


def test_a_shell_sees_how_it_was_ended(tmp_path):
    script = f"{NTB_SIM} run {PAIR} -s 64K -n 1000000 --vcd {tmp_path}/a.vcd & sleep 0.5; kill -TERM $!; wait $!"
    assert subprocess.run(["bash", "-c", script], check=False).returncode == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == []
