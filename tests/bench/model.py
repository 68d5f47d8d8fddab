# SPDX-License-Identifier: MIT
"""How fast the model of sim/pcie is: what pcie-bench measures, as rows of a report. It needs no cluster.

CPU time is the process's; wall time is also what else the machine does. Of three repetitions the fastest counts.
"""

import json
import math
import pathlib
import subprocess

from report import Row

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPETITIONS = 3


def model():
    """A saturated path of two links and a switch; what more TLPs, ports and switches cost; memory."""
    build = ROOT / "build"
    subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build, "--target", "pcie-bench"], check=True, stdout=subprocess.DEVNULL)
    printed = subprocess.run(
        [build / "bin/pcie-bench", "--benchmark_format=json", f"--benchmark_repetitions={REPETITIONS}"],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    return rows(json.loads(printed[printed.index("{"):])["benchmarks"])


def rows(benchmarks):
    runs = {}
    for run in benchmarks:
        if run["run_type"] == "iteration":
            runs.setdefault(tuple(run["run_name"].split("/iterations")[0].split("/")), []).append(run)
    return _of_path({int(name[1]): of for name, of in runs.items() if name[0] == "saturated_path"}) + _of_ports(
        {(int(name[1]), int(name[2])): of for name, of in runs.items() if name[0] == "ports_and_switches"})


def _of_path(by_tlps):
    middle = sorted(by_tlps)[len(by_tlps) // 2]
    wall = max(run["items_per_second"] for run in by_tlps[middle]) / 1e6
    result = [
        Row("model, TLPs through two links and a switch, by wall time", wall, "million/s", target=">= 1.5"),
        Row("model, likewise, by CPU time", 1e3 / _cpu(by_tlps[middle]), "million/s", target=">= 1.5"),
    ]
    fewest = min(by_tlps)
    for tlps in sorted(by_tlps)[1:]:
        result += [
            Row(f"model, CPU time a TLP, of {tlps:,} TLPs", _cpu(by_tlps[tlps]), "ns", _cpu(by_tlps[fewest]), f"of {fewest:,}", "<= 1.15"),
            Row(f"model, peak memory, of {tlps:,} TLPs", _memory(by_tlps[tlps]), "MiB", _memory(by_tlps[fewest]), f"of {fewest:,}", "<= 1.05"),
        ]
    return result


def _of_ports(by_size):
    switches, ports = min(by_size)
    least = _cpu(by_size[switches, ports]) / math.log2(switches * ports)
    return [Row(f"model, CPU time a TLP, {switches} x {ports} ports", _cpu(of), "ns", least * math.log2(switches * ports),
                "log n times that of the fewest", "<= 1.25")
            for (switches, ports), of in sorted(by_size.items())[1:]]


def _cpu(runs):
    return min(run["cpu_per_tlp"] for run in runs)


def _memory(runs):
    return max(run["peak_rss"] for run in runs) / 2**20
