#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the source of a library that has the functions of C headers as symbols, to link against.

    make-import-library.py import.c endpoint.h engine.h
"""
import re
import sys
from pathlib import Path


def main() -> None:
    source, *headers = map(Path, sys.argv[1:])
    names = []
    for header in headers:
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
        declared = re.findall(r"^\w[\w \*]*?\b(ntb_\w+)\(", text, flags=re.MULTILINE)
        if not declared:
            sys.exit(f"{header}: declares no function ntb_*")
        names += declared
    lines = ["/* Link-time stand-in for libntb-endpoint.so: never loaded. */", "#include <stdlib.h>"]
    lines += [f"void {name}(void);\nvoid {name}(void) {{ abort(); }}" for name in names]
    source.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
