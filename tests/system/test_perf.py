# SPDX-License-Identifier: MIT
"""ntb_perf over the direct window: the far side's memory holds what it sent."""

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
    address, size = wait_for("a window to b", lambda: window_target(pair.inspect(), "a", bar=2, offset=LUT_WINDOWS))
    assert size == WINDOW
    pattern = b"\xa5ntblab\x5a" * (WINDOW // 8)
    guest_memory(pair, "b").write(address, pattern)
    pair.run("a", f"echo 0 > {run_file}")
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
