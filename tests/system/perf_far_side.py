# SPDX-License-Identifier: MIT
"""The far side's bytes after ntb_perf. Not collected yet (its name does not begin with test_): about one run in two, ntb_perf of
Linux 6.12 gets stuck after the second ring of Cluster.connect_perf, which this test must learn to see and to start over from.

    /usr/bin/python3 -m pytest tests/system/perf_far_side.py
"""

import hashlib
import re
import zlib

import pytest
from support.host_memory import guest_memory, window_target
from support.ntblab_cli import Cluster, wait_for

WINDOW = 1 << 20
LUT_WINDOWS = 64 * 65536  # before the direct window in BAR2


@pytest.fixture
def perf_pair(run_dir):
    with Cluster.up("tests/system/pair-without-clients.yaml", run_dir=run_dir) as cluster:
        yield cluster


def test_ntb_perf_writes_the_far_side_memory(perf_pair):
    pair = perf_pair
    run_file = pair.connect_perf(f"total_order=24 chunk_order=16 max_mw_size={WINDOW}")
    # A pattern of ours first, so that every byte that ntb_perf did not write would be seen. Once more if ntb_perf got a second
    # first command meanwhile (see connect_perf) and opened its window anew, elsewhere.
    pattern = b"\xa5ntblab\x5a" * (WINDOW // 8)
    before = after_run = None
    for _ in range(10):
        before = wait_for("a window to b", lambda: window_target(pair.inspect(), "a", bar=2, offset=LUT_WINDOWS))
        guest_memory(pair, "b").write(before[0], pattern)
        pair.run("a", f"echo 0 > {run_file}")
        after_run = window_target(pair.inspect(), "a", bar=2, offset=LUT_WINDOWS)
        if after_run == before:
            break
    address, size = after_run
    assert after_run == before and size == WINDOW
    assert re.search(r"copied 16777216 bytes", pair.run("a", f"cat {run_file}"))
    after = guest_memory(pair, "b").read(address, WINDOW)
    page = 4096
    assert not any(pattern[:page] == after[at:at + page] for at in range(0, WINDOW, page)), "a page was not written"
    assert len(zlib.compress(after)) > 0.99 * WINDOW, "ntb_perf sends random bytes; these are not"
    through_window = pair.run("a", f"""python3 - <<'PROGRAM'
import hashlib, mmap, os
fd = os.open('/sys/bus/pci/devices/{pair.ntb_device("a")}/resource2', os.O_RDWR)
window = mmap.mmap(fd, {WINDOW}, offset={LUT_WINDOWS})
print(hashlib.sha256(window[:]).hexdigest())
PROGRAM""")
    assert through_window == hashlib.sha256(after).hexdigest()
