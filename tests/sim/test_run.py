# SPDX-License-Identifier: MIT
"""`ntb-sim run`: what it measures and writes."""

import csv
import io
import os
import pty
import struct
import subprocess
import xml.etree.ElementTree

import pytest
from support.ntb_sim_cli import NTB_SIM, PAIR, REPO, TOPOLOGIES, ntb_sim, run_json

WORKLOADS = sorted(path.stem for path in (REPO / "sim/tool/workloads").glob("*.yaml"))
MESH = TOPOLOGIES / "mesh3.yaml"


@pytest.mark.parametrize("workload", WORKLOADS)
def test_shipped_workloads_run_on_shipped_topologies(workload):
    for topology in (PAIR, MESH):
        sizes = "4,8" if workload == "doorbell" else "4,64,4K,64K"
        run = run_json(topology, "-w", workload, "-s", sizes, "-n", 5, "--warm-up", 1, "--in-flight", 2)
        assert run["conditions"]["workload"] == workload
        for point in run["points"]:
            latency = point["latency_ps"]
            assert 0 < latency["min"] <= latency["median"] <= latency["p99"] <= latency["max"]
            assert point["gigabytes_per_second"] == pytest.approx(1000 * point["bytes"] / point["elapsed_ps"])
            assert point["transfers"] == sum(flow["transfers"] for flow in point["flows"])
            assert point["violations"] == []


def test_sizes_take_longer_the_larger_they_are():
    for workload in set(WORKLOADS) - {"doorbell"}:
        points = run_json(PAIR, "-w", workload, "-s", "4..16K", "-n", 5)["points"]
        medians = [point["latency_ps"]["median"] for point in points]
        assert medians == sorted(medians), workload


def test_two_runs_write_the_same_bytes(tmp_path):
    written = []
    for number in range(2):
        files = [tmp_path / f"{number}.{kind}" for kind in ("json", "csv")]
        ntb_sim("run", MESH, "-w", "permutation", "--seed", 7, "--set", "link.bit-error-rate=1e-7",
                "--json", files[0], "--csv", files[1])
        written.append([file.read_bytes() for file in files])
    assert written[0] == written[1]
    other = tmp_path / "other.json"
    ntb_sim("run", MESH, "-w", "permutation", "--seed", 8, "--set", "link.bit-error-rate=1e-7", "--json", other)
    assert other.read_bytes() != written[0][0]


def test_bytes_in_are_bytes_out_and_replays():
    run = run_json(PAIR, "-w", "dma-write", "-s", "1M", "--set", "link.bit-error-rate=1e-6")
    links = run["points"][0]["statistics"]["links"]
    replays = 0
    for directions in links.values():
        for direction in directions.values():
            assert direction["delivered"] == direction["tlps"]
            assert direction["delivered_bytes"] == direction["tlp_bytes"]
            replays += direction["replayed"]
    assert replays > 0


def test_csv_has_what_json_has():
    table = list(csv.DictReader(io.StringIO(ntb_sim("run", PAIR, "-w", "dma-read", "--csv", "-")[0])))
    points = run_json(PAIR, "-w", "dma-read")["points"]
    assert [(int(row["size"]), int(row["latency_median_ps"])) for row in table] == [
        (point["size"], point["latency_ps"]["median"]) for point in points]


def test_pictures_are_pictures(tmp_path):
    for end in ("svg", "png"):
        ntb_sim("run", PAIR, "-w", "dma-write", "-n", 5, "--plot", tmp_path / f"picture.{end}")
    root = xml.etree.ElementTree.parse(tmp_path / "picture.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "median latency" in "".join(root.itertext())
    png = (tmp_path / "picture.png").read_bytes()
    assert png.startswith(b"\x89PNG\r\n") and struct.unpack(">II", png[16:24]) == (900, 840)


def test_a_trace_is_replayed(tmp_path):
    (tmp_path / "requests.csv").write_text("at_ps,node,peer,operation,offset,bytes\n"
                                           "1000,a,b,write,0,64\n1000,b,a,write,4096,256\n500000,a,b,read,0,128\n")
    (tmp_path / "replay.yaml").write_text("operation: trace\ntrace: requests.csv\n")
    points = run_json(PAIR, "-w", tmp_path / "replay.yaml")["points"]
    assert [(flow["from"], flow["to"], flow["transfers"], flow["bytes"]) for flow in points[0]["flows"]] == [
        ("a", "b", 2, 192), ("b", "a", 1, 256)]


def test_a_long_run_shows_how_far_it_is():
    far, near = pty.openpty()
    process = subprocess.Popen([NTB_SIM, "run", str(PAIR), "-w", "dma-write", "-s", "16M", "-n", "100000", "--set",
                                "link.mps=128"], stdout=subprocess.DEVNULL, stderr=near)
    os.close(near)
    seen = b""
    while b"%" not in seen:
        seen += os.read(far, 1024)
    process.terminate()
    assert process.wait() < 0
    os.close(far)
    assert b"ntb-sim run [" in seen


def test_nothing_is_left_where_nothing_can_be_written(tmp_path):
    for option in ("--json", "--csv"):
        assert "No space left on device" in ntb_sim("run", PAIR, "-s", 64, option, "/dev/full", expect=1)[1]
        assert "No such file or directory" in ntb_sim("run", PAIR, "-s", 64, option, tmp_path / "none/file", expect=1)[1]
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([NTB_SIM, "run", PAIR, "-s", "64"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and "standard output cannot be written" in done.stderr
    assert list(tmp_path.iterdir()) == []


BAD_FILES = {
    "": "{path}:1:1: a workload is nothing; expected a mapping",
    "transfers: 5": "{path}:1:1: a workload says its operation, one of pio-write, ",
    "operation: dma": "{path}:1:12: there is no operation 'dma'; expected one of pio-write, ",
    "operation: dma-write\npattern: all": "{path}:2:10: there is no pattern 'all'; ",
    "operation: dma-write\nsizes: 0": "{path}:2:8: '0' is no size of a transfer; expected bytes from 1 to 1G",
    "operation: dma-write\nsizes: 64..8": "{path}:2:8: '64..8' is no size of a transfer",
    "operation: dma-write\nsizes: 2G": "{path}:2:8: '2G' is no size of a transfer",
    "operation: dma-write\nsizes: [1]": "{path}:2:8: sizes is a list; expected 64, 8..64K",
    "operation: dma-write\ntransfers: 0": "{path}:2:12: ",
    "operation: dma-write\nin-flight: many": "{path}:2:12: ",
    "operation: dma-write\nspan: 3G": "{path}:2:7: span is 3G; expected bytes, such as 1M, at most 2G",
    "operation: dma-write\nspan: 0": "{path}:2:7: span is 0; expected bytes, such as 1M",
    "operation: dma-write\nremote: 1": "{path}:2:9: ",
    "operation: dma-write\nfrm: a": "{path}:2:1: ",
    "operation: dma-write\nfrom: z": "topology 'pair' has no node 'z'; it has a, b",
    "operation: dma-write\nfrom: a\nto: a": "no NT pair joins 'a' and 'a' in topology 'pair'",
    "operation: dma-write\ntrace: x.csv": "{path}:2:1: trace has no use here: only the operation trace has a file of requests",
    "operation: doorbell\nsizes: 64": "a doorbell is one store, of at most cpu.store-bytes, 8; sizes have 64",
    "operation: trace": "{path}:1:1: the operation trace lacks trace, the path of a file of requests",
    "operation: trace\ntrace: none.csv": "none.csv cannot be read: No such file or directory",
    "operation: [": "{path}:1:1: not YAML: ",
}


@pytest.mark.parametrize("text", BAD_FILES, ids=lambda text: text.replace("\n", "; ") or "empty")
def test_a_workload_that_is_wrong_is_told_where(tmp_path, text):
    path = tmp_path / "wrong.yaml"
    path.write_text(text)
    output, error = ntb_sim("run", PAIR, "-w", path, expect=2)
    assert output == ""
    assert BAD_FILES[text].format(path=path) in error


BAD_OPTIONS = {
    ("-w", "dma-writ"): "there is no workload 'dma-writ'; did you mean 'dma-write'? there are ",
    ("-p", "switchtec"): "there is no profile 'switchtec'; ",
    ("--set", "link.mp=1"): "there is no parameter 'link.mp'; did you mean 'link.mps'?",
    ("--set", "link.mps"): "parameter link.mps is ''; expected a number from 128 to 4096 bytes",
    ("--set", "link.mps=64"): "parameter link.mps is '64'; expected a number from 128 to 4096 bytes",
    ("--set", "link.mps=many"): "parameter link.mps is 'many'; expected",
    ("--set", "link.mps=128.5"): "parameter link.mps is 128.5",
    ("--set", "link.metres=nan"): "parameter link.metres is 'nan'; expected a number from 0",
    ("--set", "link.mps=1024"): "link.mps",
    ("-s", "1..z"): "'1..z' is no size of a transfer; expected",
    ("-n", "0"): "--transfers",
    ("--from", "c"): "topology 'pair' has no node 'c'; it has a, b",
    ("--frm", "c"): "--frm",
}


@pytest.mark.parametrize("options", BAD_OPTIONS, ids=" ".join)
def test_an_option_that_is_wrong_is_named(options):
    assert BAD_OPTIONS[options] in ntb_sim("run", PAIR, *options, expect=2)[1]


BAD_LINES = {
    "": ":1: found ''; expected the header 'at_ps,node,peer,operation,offset,bytes'",
    "1,a,b,write,0": ":2: 5 fields; expected 6: ",
    "1,a,z,write,0,4": ":2: topology 'pair' has no node 'z'",
    "x,a,b,write,0,4": ":2: 'x' is no number; expected decimal digits",
    "1,a,b,store,0,4": ":2: operation 'store'; expected write or read",
    "1,a,b,write,0,0": ":2: a write of 0 bytes; expected 1 to 256, profile 'switchtec-gen4x16''s MPS",
    "1,a,b,write,0,512": ":2: a write of 512 bytes; expected 1 to 256, profile 'switchtec-gen4x16''s MPS",
    "1,a,b,read,4095,2": ":2: offset 4095 and 2 bytes cross a boundary of 4096",
    "1,a,a,write,0,4": ":2: no NT pair joins 'a' and 'a'",
    "10000000000001,a,b,write,0,4": ":2: time 10000000000001 is later than 10 s; expected picoseconds",
    "2,a,b,write,0,4\n1,a,b,write,0,4": ":3: time 1 is before the last one's, 2; expected lines in the order of time",
}


@pytest.mark.parametrize("lines", BAD_LINES, ids=lambda text: text.replace("\n", "; ") or "empty")
def test_a_trace_that_is_wrong_is_told_where(tmp_path, lines):
    header = "at_ps,node,peer,operation,offset,bytes\n"
    (tmp_path / "requests.csv").write_text(header + lines + "\n" if lines else "")
    (tmp_path / "replay.yaml").write_text("operation: trace\ntrace: requests.csv\n")
    assert f"requests.csv{BAD_LINES[lines]}" in ntb_sim("run", PAIR, "-w", tmp_path / "replay.yaml", expect=2)[1]
