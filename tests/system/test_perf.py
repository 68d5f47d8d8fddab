# SPDX-License-Identifier: MIT
"""ntb_perf over the direct window, by CPU and by the DMA engine: the far side's memory holds what it sent."""

import hashlib
import re
import zlib

import pytest
from support.host_memory import guest_memory
from support.ntblab_cli import IOMMU, Cluster
from support.window import SIZE as WINDOW, in_window, wait_window

PAGE = 4096


@pytest.fixture
def perf_pair(run_dir):
    with Cluster.up("tests/system/pair-with-dma.yaml", run_dir=run_dir) as cluster:
        yield cluster


def pages_behind(pair, address):
    """Physical addresses at b of the pages that the window at bus address `address` shows, in the window's order."""
    if not IOMMU:
        return range(address, address + WINDOW, PAGE)
    in_window(pair, f"for page in range({WINDOW // PAGE}): window[page * {PAGE}:page * {PAGE} + 20] = b'window page %08d' % page")
    found = {int(match[1]): at for at, match in guest_memory(pair, "b").find(rb"window page (\d{8})")}
    assert sorted(found) == list(range(WINDOW // PAGE)) and all(at % PAGE == 0 for at in found.values())
    return [found[page] for page in sorted(found)]


@pytest.mark.parametrize("engine", ["cpu", "dma"])
def test_ntb_perf_writes_the_far_side_memory(perf_pair, engine):
    pair = perf_pair
    run_file = pair.connect_perf(f"total_order=24 chunk_order=16 max_mw_size={WINDOW} use_dma={int(engine == 'dma')}")
    memory, pages = guest_memory(pair, "b"), pages_behind(pair, wait_window(pair))
    pattern = b"\xa5ntblab\x5a" * (PAGE // 8)
    for page in pages:
        memory.write(page, pattern)
    before = pair.posted_bytes("a")
    pair.run("a", f"echo 0 > {run_file}")
    assert re.search(r"copied 16777216 bytes", pair.run("a", f"cat {run_file}"))
    assert (pair.posted_bytes("a") - before >= 16 << 20) == (engine == "dma")
    after = b"".join(memory.read(page, PAGE) for page in pages)
    assert not any(pattern == after[at:at + PAGE] for at in range(0, WINDOW, PAGE)), "a page was not written"
    assert len(zlib.compress(after)) > 0.99 * WINDOW, "ntb_perf sends random bytes; these are not"
    through_window = in_window(pair, "print(hashlib.sha256(window[:]).hexdigest())")
    assert through_window == hashlib.sha256(after).hexdigest()
