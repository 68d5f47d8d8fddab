# SPDX-License-Identifier: MIT
"""How long tests go on that hunt for races: NTBLAB_REPEAT_PERCENT of what is wanted before a release."""

import os

PERCENT = int(os.environ.get("NTBLAB_REPEAT_PERCENT", "10"))
BEFORE_RELEASE = PERCENT >= 100     # then there is time for what takes minutes


def repeat(times):
    """`times`, as wanted before a release, in this run; at least 1."""
    return max(1, times * PERCENT // 100)
