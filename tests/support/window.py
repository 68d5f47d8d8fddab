# SPDX-License-Identifier: MIT
"""The direct window of node a in its BAR2, behind the LUT windows of the default topology."""

from .host_memory import window_target
from .ntblab_cli import wait_for

LUT_WINDOWS = 64 * 65536    # before the direct window
SIZE = 1 << 20              # with max_mw_size={SIZE}


def in_window(pair, statement):
    """Runs Python in node a with `window`, its direct window; returns what it prints."""
    return pair.run("a", f"""python3 - <<'PROGRAM'
import hashlib, mmap, os
file = os.open('/sys/bus/pci/devices/{pair.ntb_device("a")}/resource2', os.O_RDWR)
window = mmap.mmap(file, {SIZE}, offset={LUT_WINDOWS})
{statement}
PROGRAM""")


def wait_window(pair):
    """Waits until it is open; returns the bus address at b that it shows."""
    address, size = wait_for("a window to b", lambda: window_target(pair.inspect(), "a", bar=2, offset=LUT_WINDOWS))
    assert size == SIZE
    return address
