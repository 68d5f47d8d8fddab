#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""clang-tidy over the files of a compilation database whose path matches a pattern; those found clean before are passed over.

    ci/tidy.py BUILD_DIR REGEX

What a file is compiled from, as the preprocessor puts it together, is the key under which the cache remembers that it was clean."""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "ntblab" / "tidy"


def key(entry, rules):
    """Of all that clang-tidy sees: code with its comments (NOLINT), without the places it comes from."""
    words = shlex.split(entry["command"])
    del words[words.index("-o"):words.index("-o") + 2]
    words.remove("-c")
    code = subprocess.run([*words, "-E", "-C", "-P"], cwd=entry["directory"], capture_output=True, check=True).stdout
    return hashlib.sha256(rules + entry["file"].removeprefix(str(ROOT)).encode() + code).hexdigest()


def check(build, entry, rules):
    """Returns whether a file is clean, and what to print about it."""
    start = time.monotonic()
    seen = CACHE / key(entry, rules)
    if seen.exists():
        seen.touch()
        return True, ""
    tidy = subprocess.run(["clang-tidy", "-quiet", "-p", build, entry["file"]], capture_output=True, text=True)
    name = os.path.relpath(entry["file"], ROOT)
    if tidy.returncode != 0:
        return False, f"{name}\n{tidy.stdout}{tidy.stderr}"
    seen.touch()
    return True, f"{name}: clean, {time.monotonic() - start:.0f} s\n"


def main(build, pattern):
    CACHE.mkdir(parents=True, exist_ok=True)
    rules = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout + (ROOT / ".clang-tidy").read_bytes()
    database = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
    # A file that several targets compile is looked at once.
    entries = {entry["file"]: entry for entry in database if re.match(pattern, os.path.relpath(entry["file"], ROOT))}
    if not entries:
        sys.exit(f"{sys.argv[0]}: no file of {build}/compile_commands.json matches {pattern}")
    clean = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for passed, text in pool.map(lambda entry: check(build, entry, rules), entries.values()):
            clean += passed
            print(text, end="", flush=True)
    print(f"{clean} of {len(entries)} files are clean")
    return clean != len(entries)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
