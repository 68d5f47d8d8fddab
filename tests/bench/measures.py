# SPDX-License-Identifier: MIT
"""What is measured on a running pair with a LAN. Each function takes the cluster and returns rows of a report."""

import json
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

from report import Row
from support.ntblab_cli import wait_for

HERE = pathlib.Path(__file__).resolve().parent
WINDOW = 1 << 20


def window(pair):
    """A direct window against the guest's own memory, by the same loops; and ntb_perf's copy by the CPU."""
    with tempfile.TemporaryDirectory() as scratch:
        program = pathlib.Path(scratch, "memory_throughput")
        subprocess.run(["g++", "-std=c++20", "-O2", "-static", "-o", program, HERE / "memory_throughput.cpp"], check=True)
        pair.put("a", "/tmp/memory_throughput", program.read_bytes())
    pair.use_client("ntb_tool")
    for node in pair.nodes:
        pair.run(node, f"echo Y > /sys/kernel/debug/ntb_tool/{pair.ntb_device(node)}/link")
    peer = f"/sys/kernel/debug/ntb_tool/{pair.ntb_device('b')}/peer0"
    pair.run("b", f"echo Y > {peer}/link_event; echo {WINDOW:#x} > {peer}/mw_trans1")
    loops = json.loads(pair.run("a", f"/tmp/memory_throughput /sys/bus/pci/devices/{pair.ntb_device('a')}/resource4 {WINDOW}"))
    pair.run("b", f"echo 0 > {peer}/mw_trans1")  # ntb_tool of Linux 6.12 does not survive its removal otherwise
    rows = [Row(f"window, {name}", figures["window"] / 1e6, "MB/s", figures["memory"] / 1e6, "own RAM, same loop", ">= 0.9")
            for name, figures in loops.items()]

    run_file = pair.connect_perf("total_order=24 chunk_order=19")
    # Many short runs, of which the best counts, as in memory_throughput.
    runs = pair.run("a", f"for run in $(seq 50); do echo 0 > {run_file}; cat {run_file}; done")
    best = max(float(rate) for rate in re.findall(r"([\d.]+) MBytes/s", runs))
    return rows + [Row("ntb_perf, by CPU", best, "MB/s", loops["copy"]["memory"] / 1e6, "own RAM, rep movsl", ">= 0.9")]


def doorbell(pair):
    """A doorbell there and one back by ntb_pingpong, against a ping over virtio-net."""
    ping = _ping(pair, _lan_address(pair, "b"))
    pair.use_client("ntb_pingpong delay_ms=0 unsafe=1")
    count_file = f"/sys/kernel/debug/ntb_pingpong/{pair.ntb_device('a')}/count"
    count = lambda: int(pair.run("a", f"cat {count_file}"))
    wait_for("ntb_pingpong running", lambda: count() > 10)
    # One shell command in the guest reads count and clock twice, so that the time to get there does not count.
    script = f"read c1 < {count_file}; t1=$(date +%s%N); sleep 10; read c2 < {count_file}; t2=$(date +%s%N); echo $((c2 - c1)) $((t2 - t1))"
    rounds, nanoseconds = map(int, pair.run("a", script).split())
    return [Row("doorbell round trip, ntb_pingpong", nanoseconds / rounds / 1e3, "us", ping, "virtio-net ping, average", "<= 0.25")]


def netdev(pair):
    """TCP and ping over ntb_netdev, against virtio-net."""
    pair.use_client("ntb_netdev")
    addresses = {"ntb": "b", "virtio": _lan_address(pair, "b")}
    pair.wait_ping()
    pair.serve_iperf("b")
    tcp = {kind: [] for kind in addresses}
    ping = {kind: [] for kind in addresses}
    for _ in range(3):
        for kind, address in addresses.items():
            tcp[kind].append(json.loads(pair.run("a", f"iperf3 -J -t 5 -c {address}"))["end"]["sum_received"]["bits_per_second"] / 1e6)
            ping[kind].append(_ping(pair, address))
    pair.run("b", "pkill iperf3")
    median = statistics.median
    return [
        Row("ntb_netdev TCP, iperf3", median(tcp["ntb"]), "Mbit/s", median(tcp["virtio"]), "virtio-net TCP", ">= 2.5"),
        Row("ntb_netdev ping", median(ping["ntb"]), "us", median(ping["virtio"]), "virtio-net ping", "<= 1"),
    ]


def boot(pair):
    """Time of `ntblab up` until the link is up on both sides, and memory of each VM, of this very cluster."""
    rows = [Row("ntblab up, to link up on both sides", pair.up_seconds, "s", target="<= 7 s")]
    for node in pair.nodes:
        rollup = pathlib.Path(f"/proc/{pair.qemu_pid(node)}/smaps_rollup").read_text()
        pss = int(re.search(r"^Pss:\s+(\d+) kB", rollup, re.MULTILINE)[1])
        rows.append(Row(f"memory of VM {node} (PSS)", pss / 1024, "MiB"))
    return rows


def death(pair):
    """How long the survivor's driver takes to say "ntb link down" after its peer's QEMU was killed; the worst of five times."""
    pair.use_client("ntb_netdev")
    worst = 0.0
    for _ in range(5):
        pair.wait_link("a")
        seen = len(pair.status("a"))
        pair.kill("b")
        start = time.monotonic()
        wait_for("link down at a", lambda: any("link-down" in line for line in pair.status("a")[seen:]), interval=0.005)
        worst = max(worst, time.monotonic() - start)
        pair.ntblab("start", f"{pair.name}/b")
    return [Row("link down at the survivor, after SIGKILL of its peer", worst, "s", target="<= 2 s")]


def _lan_address(pair, node):
    return pair.run(node, "ip -4 -o addr show lan0").split()[3].split("/")[0]


def _ping(pair, address):
    """Average round trip in microseconds of 200 pings, 10 ms apart, after a first one that fills the ARP cache."""
    pair.run("a", f"ping -c 1 {address}")
    return float(re.search(r"= [\d.]+/([\d.]+)/", pair.run("a", f"ping -q -c 200 -i 0.01 {address}"))[1]) * 1e3


ALL = {"boot": boot, "window": window, "doorbell": doorbell, "netdev": netdev, "death": death}
