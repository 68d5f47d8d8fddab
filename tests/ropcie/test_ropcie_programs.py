# SPDX-License-Identifier: MIT
"""Every program of programs.py between two hosts."""

import pytest
from programs import CASES, MINUTES, run_program
from support.repeat import BEFORE_RELEASE


@pytest.mark.parametrize("case", [*CASES, *(MINUTES if BEFORE_RELEASE else ())])
def test_program(pair, case):
    run_program(pair, case)
