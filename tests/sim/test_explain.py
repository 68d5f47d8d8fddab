# SPDX-License-Identifier: MIT
"""`ntb-sim explain`, `calibrate` and the files that other programs show; their contents have unit tests (sim/tool/test)."""

import json
import subprocess
import xml.etree.ElementTree

import pytest
from support.ntb_sim_cli import PAIR, REPO, ntb_sim, run_json

ACCOUNTED = ["pio-write", "pio-read", "dma-write", "dma-read", "device-write", "device-read", "doorbell"]


@pytest.mark.parametrize("workload", ACCOUNTED)
def test_parts_are_the_whole_of_what_a_run_measures(workload):
    size = 4 if workload == "doorbell" else 4096
    account = json.loads(ntb_sim("explain", PAIR, "-w", workload, "-s", size, "--warm-up", 0, "--json")[0])
    at = 0
    for step in account["steps"]:
        assert step["begin_ps"] == at < step["end_ps"]
        at = step["end_ps"]
    assert at == account["picoseconds"]
    run = run_json(PAIR, "-w", workload, "-s", size, "-n", 1, "--warm-up", 0, "--in-flight", 1)
    assert run["points"][0]["latency_ps"]["min"] == at


def test_a_table_and_a_waterfall(tmp_path):
    table = ntb_sim("explain", PAIR, "-s", 64, "--waterfall", tmp_path / "waterfall.svg")[0]
    assert table.startswith("pio-write, 64 bytes, a to b, switchtec-gen4x16: ")
    picture = "".join(xml.etree.ElementTree.parse(tmp_path / "waterfall.svg").getroot().itertext())
    for part in ("issue", "egress", "serialization", "propagation", "hop", "ingress", "memory write"):
        assert part in table and part in picture


@pytest.mark.parametrize("workload, what", [
    ("pio-pingpong", "explain pio-write in both directions"),
    ("rdma-write", "explain pio-write and doorbell"),
])
def test_what_is_more_than_a_transfer_is_refused(workload, what):
    assert what in ntb_sim("explain", PAIR, "-w", workload, "-s", 64, expect=1)[1]


def test_one_size_is_explained_or_traced(tmp_path):
    assert "--sizes" in ntb_sim("explain", PAIR, "-s", "64,128", expect=2)[1]
    for option in ("--vcd", "--perfetto", "--pcapng", "--record"):  # before any is made
        assert "--sizes" in ntb_sim("run", PAIR, "-s", "64,128", option, tmp_path / "file", expect=2)[1]
    assert list(tmp_path.iterdir()) == []


def test_files_for_other_programs(tmp_path):
    files = [tmp_path / name for name in ("link.vcd", "run.json", "tlps.pcapng")]
    arguments = ["run", PAIR, "-w", "dma-write", "-s", 1024, "-n", 3]
    plain = ntb_sim(*arguments)[0]
    assert ntb_sim(*arguments, "--vcd", files[0], "--perfetto", files[1], "--pcapng", files[2])[0] == plain
    first = [file.read_bytes() for file in files]
    assert first[0].startswith(b"$") and json.loads(first[1])["traceEvents"]
    tshark = ["tshark", "-X", f"lua_script:{REPO}/sim/tool/wireshark/ntb-tlp.lua", "-r", str(files[2]), "-Y", 'ntbtlp.type == "CplD"',
              "-T", "fields", "-e", "ntbtlp.bytecount"]
    counts = subprocess.run(tshark, capture_output=True, text=True, check=True).stdout.split()
    assert "1024" in counts or "512" in counts
    ntb_sim(*arguments, "--vcd", files[0], "--perfetto", files[1], "--pcapng", files[2])
    assert [file.read_bytes() for file in files] == first


def test_a_trace_that_cannot_be_written_leaves_nothing(tmp_path):
    for option in ("--vcd", "--perfetto", "--pcapng", "--record"):
        assert "No space left on device" in ntb_sim("run", PAIR, "-w", "pio-write", "-s", "64K", option, "/dev/full", expect=1)[1]
    assert "there is none of this name" in ntb_sim("run", PAIR, "-s", 64, "--link", "none", "--vcd", tmp_path / "a", expect=1)[1]
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_recorded_is_told(tmp_path):
    assert "set host.egress" in ntb_sim("run", PAIR, "-s", 64, "--set", "host.egress=0", "--record", tmp_path / "a", expect=2)[1]
    assert list(tmp_path.iterdir()) == []


def test_what_is_recorded_is_replayed(tmp_path):
    ntb_sim("run", PAIR, "-w", "pio-write", "-s", 1000, "-n", 5, "--warm-up", 0, "--record", tmp_path / "requests.csv")
    (tmp_path / "replay.yaml").write_text("operation: trace\ntrace: requests.csv\n")
    point = run_json(PAIR, "-w", tmp_path / "replay.yaml")["points"][0]
    assert point["bytes"] == 5000 and point["transfers"] == len((tmp_path / "requests.csv").read_text().splitlines()) - 1


def test_shipped_profiles_are_what_was_published():
    table = ntb_sim("calibrate", "--check")[0]
    assert "PXH810" in table and "MXH930" in table and "NFP-6000" in table


def test_another_machine_is_out_of_tolerance(tmp_path):
    profiles = tmp_path / "profiles"
    profiles.mkdir()
    for file in (REPO / "sim/pcie/profiles").glob("*.yaml"):
        (profiles / file.name).write_text(file.read_text())
    wrong = profiles / "pxh810-gen3x8.yaml"
    wrong.write_text(wrong.read_text().replace("cpu.fence: {value: ", "cpu.fence: {value: 9"))
    output, _ = ntb_sim("calibrate", "--check", "--profiles", profiles, "--profile", "pxh810-gen3x8", expect=1)
    assert " no " in output


def test_measured_points_stand_beside_the_curves(tmp_path):
    ntb_sim("calibrate", "--check", "--profile", "pxh810-gen3x8", "--plot", tmp_path / "pictures")
    names = sorted(picture.name for picture in (tmp_path / "pictures").iterdir())
    assert names == [f"pxh810-gen3x8-{what}.svg" for what in ("dma-write-latency", "pio-pingpong-latency", "pio-write-rate")]
    text = "".join(xml.etree.ElementTree.parse(tmp_path / "pictures" / names[2]).getroot().itertext())
    assert "measured" in text and "model" in text and "MB/s" in text
