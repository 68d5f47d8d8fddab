# SPDX-License-Identifier: MIT
"""The DMA engine: its own rate, between two QEMUs without guests, and what it does for NTB clients of Linux."""

import json
import pathlib
import re
import subprocess
import tempfile
import time

from report import Row
from support import dma_engine
from support.dma_engine import ENTRIES, DmaEngine, copy
from support.nt_endpoint import Pair
from support.ntblab_cli import Cluster

HERE = pathlib.Path(__file__).resolve().parent
TOPOLOGY = "name: dma\ndefaults: {dma: 4, windows: {bar4: 128M}}\nnodes: {a: {}, b: {}}\nswitches: {sw0: {nt-pairs: [[a, b]]}}\n"
MIB = 1 << 20
SIDE = 32 * MIB     # of memory at each end
RINGS, SOURCE, FAR = 0x100000, 0x2000000, 0x4000000


def dma():
    return engine() + clients()


def engine():
    """Copies of one size after the other from a's memory to b's, against memcpy by one thread of the host."""
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        program = pathlib.Path(scratch, "copy_throughput")
        subprocess.run(["g++", "-std=c++20", "-O2", "-o", program, HERE / "copy_throughput.cpp"], check=True)
        pair = Pair(tempfile.mkdtemp(prefix="ntb-"), memory="512M", topology=TOPOLOGY, dma=4, traced=False)
        try:
            pair.b.open_direct(pair.a, 4, FAR, SIDE)
            channel = DmaEngine(pair.a, function=1).channel(0, RINGS)
            for size, target in ((MIB, ">= 0.6"), (4096, "")):
                best = memcpy = 0.0
                for _ in range(20):
                    best = max(best, _round(pair, channel, size))
                    memcpy = max(memcpy, float(subprocess.run([program, str(size), str(SIDE)], capture_output=True, check=True).stdout))
                rows.append(Row(f"DMA engine, copies of {size} bytes to the peer", best / 1e6, "MB/s", memcpy / 1e6, "memcpy of the host", target))
            rows.append(Row("DMA engine, copies of 4096 bytes, rate", rows[-1].value, "MB/s", target=">= 1000"))
        finally:
            pair.close()
    return rows


def _round(pair, channel, size):
    """Bytes per second of a ring full of copies that begins with one doorbell."""
    count = ENTRIES - 1
    channel.enable()
    entries = b"".join(
        dma_engine.submission(identifier=place, **copy(SOURCE + place * size % SIDE, pair.a.bar[4] + place * size % SIDE, size))
        for place in range(count))
    pair.a.write(RINGS, entries)
    last = channel.completions + (count - 1) * dma_engine.ENTRY_SIZE + 28
    start = time.perf_counter()
    pair.a.store(channel.hardware(4), 2, count)
    while not pair.a.load(last, 4) >> 16:
        pass
    return count * size / (time.perf_counter() - start)


def clients():
    """ntb_perf and TCP over ntb_netdev, with the engine and without."""
    perf = {0: 0.0, 1: 0.0}
    tcp = {0: 0.0, 1: 0.0}
    with Cluster.up("tests/system/pair-with-dma.yaml") as pair:
        for _ in range(3):
            for use_dma in perf:
                run_file = pair.connect_perf(f"total_order=24 chunk_order=19 use_dma={use_dma}")
                runs = pair.run("a", f"for run in $(seq 20); do echo 0 > {run_file}; cat {run_file}; done")
                perf[use_dma] = max(perf[use_dma], *(float(rate) for rate in re.findall(r"([\d.]+) MBytes/s", runs)))
            for use_dma in tcp:
                pair.use_client(f"ntb_transport use_dma={use_dma}", "ntb_netdev")
                pair.wait_ping()
                pair.serve_iperf("b")
                report = json.loads(pair.run("a", "iperf3 -J -t 5 -c b"))
                tcp[use_dma] = max(tcp[use_dma], report["end"]["sum_received"]["bits_per_second"] / 1e6)
                pair.run("b", "pkill iperf3")
    return [Row("ntb_perf of 512 KiB, by the DMA engine", perf[1], "MB/s", perf[0], "by the CPU", ">= 4"),
            Row("ntb_netdev TCP, with the DMA engine", tcp[1], "Mbit/s", tcp[0], "without", ">= 1.5")]
