#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the source of a library that has a C header's functions as symbols, to link against.

    make-import-library.py endpoint.h import.c
"""
import re
import sys
from pathlib import Path


def main() -> None:
    header, source = map(Path, sys.argv[1:3])
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
    names = re.findall(r"^\w[\w \*]*?\b(ntb_endpoint_\w+)\(", text, flags=re.MULTILINE)
    if not names:
        sys.exit(f"{header}: declares no function ntb_endpoint_*")
    lines = ["/* Link-time stand-in for libntb-endpoint.so: never loaded. */", "#include <stdlib.h>"]
    lines += [f"void {name}(void);\nvoid {name}(void) {{ abort(); }}" for name in names]
    source.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
