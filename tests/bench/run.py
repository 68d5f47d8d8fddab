#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Benchmarks of a running pair, of the DMA engine, and of the model of sim/pcie: prints a table of figures and ratios taken in one run, and writes them as JSON.

    tests/bench/run.py [NAME ...] [--json FILE]
"""

import argparse
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import dma  # noqa: E402
import measures  # noqa: E402
import model  # noqa: E402
import report  # noqa: E402
from support.ntblab_cli import Cluster  # noqa: E402


def main():
    alone = {"dma": dma.dma, "model": model.model}
    names = [*measures.ALL, *alone]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}; all if none is given")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path, help="write the figures there too")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in names]
    if unknown:
        parser.error(f"no benchmark named {unknown[0]}; there are {', '.join(names)}")
    wanted = arguments.names or names
    of_pair = [name for name in wanted if name in measures.ALL]
    rows = [row for name in wanted if name in alone for row in alone[name]()]
    if of_pair:
        start = time.monotonic()
        with Cluster.up("tests/bench/pair-with-lan.yaml") as pair:
            pair.up_seconds = time.monotonic() - start
            for name in of_pair:
                rows += measures.ALL[name](pair)
    print(report.table(rows))
    if arguments.json:
        arguments.json.write_text(json.dumps([row.as_json() for row in rows], indent=2) + "\n")
    missed = [row.name for row in rows if row.reached is False]
    if missed:
        print(f"not reached: {', '.join(missed)}")


if __name__ == "__main__":
    main()
