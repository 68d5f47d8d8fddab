#!/bin/sh
# SPDX-License-Identifier: MIT
# In a guest: rdma-core's own suite, without what is for other vendors' devices.
#	pyverbs.sh DIRECTORY DEVICE [GID INDEX]
# DIRECTORY has the tests: /usr/share/doc/rdma-core/tests of python3-pyverbs, or tests/ of rdma-core's source. Prints the suite's output,
# then counts: "ok N skipped N failed N", and the reasons for what was skipped.
directory=$(mktemp -d)
cp -r "$1"/. "$directory"
gunzip -f "$directory"/*.gz 2>/dev/null
rm -f "$directory"/test_mlx5* "$directory"/test_efa*
cd "$directory" || exit 1
# Without the garbage collector: when it takes a device and its completion queues together, pyverbs closes the device first and then uses
# it (any provider: "Failed to close CQ. Errno: 9", and at times a segmentation fault).
python3 -c '
import gc, os, runpy, sys
gc.disable()
try:
    runpy.run_path(os.path.abspath("run_tests.py"), run_name="__main__")
except SystemExit as end:
    sys.stdout.flush()
    os._exit(bool(end.code))
' -v --dev "$2" --gid "${3:-1}" > output 2>&1
code=$?
cat output
count() { grep -cE "$1" output; }
echo "ok $(count '(\.\.\. |^)ok$') skipped $(count "(\.\.\. |^)skipped '") failed $(count '\.\.\. (FAIL|ERROR)$')"
sed -n "s/.*skipped '\(.*\)'$/\1/p" output | sort | uniq -c
exit $code
