#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""count_tests.py FILE...: prints how many tests of these JUnit files passed, failed and were skipped."""

import sys
import xml.etree.ElementTree as ElementTree


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
        return "failed"
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return "skipped"
    return "passed"


def main():
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for path in sys.argv[1:]:
        for case in ElementTree.parse(path).iter("testcase"):
            counts[outcome(case)] += 1
    print(*counts.values())


if __name__ == "__main__":
    main()
