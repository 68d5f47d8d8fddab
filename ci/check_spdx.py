#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks that every source file says its licence in an SPDX line near its top, and the licence that LICENSES/README.md
gives its folder."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SUFFIXES = {".c", ".cpp", ".h", ".sh", ".py", ".yaml", ".yml", ".build", ".mak", ".cmake", ".conf", ".config", ".def", ".patch"}
NAMES = {"CMakeLists.txt", "Kbuild", "Kconfig", "Makefile", "trace-events"}
SKIPPED = {"build", ".git", "corpus", "__pycache__", ".pytest_cache"}
BY_FOLDER = {
    "ci/guest/debug-patches": "GPL-2.0-only",
    "docs/labs": "GPL-2.0-only",
    "qemu-ntb-device/qemu": "GPL-2.0-or-later",
    "guest-driver/ropcie/include/uapi": "(GPL-2.0-only WITH Linux-syscall-note) OR BSD-2-Clause",
    "guest-driver": "GPL-2.0-only",
    "provider": "GPL-2.0-only OR BSD-2-Clause",
}
TAG = re.compile(r"SPDX-License-Identifier: (.+?)\s*(?:\*/|-->)?$")


def sources(folder):
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or path.name in SKIPPED or path.name.endswith(".mod.c"):  # what Kbuild makes
            continue
        if path.is_dir():
            yield from sources(path)
        elif path.suffix in SUFFIXES or path.name in NAMES or (not path.suffix and is_script(path)):
            yield path


def is_script(path):
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def complaint(path):
    name = path.relative_to(ROOT)
    wanted = next((licence for folder, licence in BY_FOLDER.items() if name.is_relative_to(folder)), "MIT")
    text = path.read_text()
    if not text:
        return None
    for line in text.splitlines()[:25]:
        if found := TAG.search(line):
            return None if found[1] == wanted else f"{name}: is {found[1]}, expected {wanted} in this folder"
    return f"{name}: no SPDX line in its first 25 lines, expected 'SPDX-License-Identifier: {wanted}'"


def main():
    complaints = list(filter(None, map(complaint, sources(ROOT))))
    print(*complaints, sep="\n")
    sys.exit(bool(complaints))


if __name__ == "__main__":
    main()
