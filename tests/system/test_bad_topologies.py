# SPDX-License-Identifier: MIT
"""Bad topologies: of each kind the exact message, the exit code, and nothing started, by `check` and by `up`."""

import os
import pathlib

import pytest
from support.ntblab_cli import ntblab, strays

NODES = "name: t\nnodes: {a: {}, b: {}, c: {}}\n"


def node(fields):
    return f"name: t\nnodes:\n  a: {{{fields}}}\n"


def switch(fields):
    return f"{NODES}switches:\n  s: {{{fields}}}\n"


def pairs(items):
    return f"{NODES}switches:\n  s:\n    nt-pairs: [{items}]\n"


def step(fields):
    return f"{NODES}validate:\n- {{{fields}}}\n"


NAME_RULE = "lower-case letters, digits and inner hyphens, at most 32 characters"
SIZE = "expected a size: digits with an optional K, M, G or T, such as 64M or 1G"
# kind: (file, what follows "FILE:" in each line of the message)
TABLE = {
    # YAML
    "empty": ("", ["1:1: the file is empty; expected a topology (name, nodes, switches)"]),
    "only a comment": ("# later\n", ["1:1: the file is empty; expected a topology (name, nodes, switches)"]),
    "unclosed bracket": ("name: [t\n", ["2:1: not YAML: end of sequence flow not found"]),
    "unclosed quote": ("name: \"t\nnodes: {a: {}}\n", [
        "1:1: the topology has no 'nodes'; add nodes: {a: {}, b: {}}", f"1:7: 'name' is 't nodes: {{a: {{}}}} '; expected {NAME_RULE}"]),
    "tab": ("name: t\nnodes:\n\ta: {}\n", ["3:3: not YAML: illegal map value; YAML is indented by spaces, this line begins with a tab"]),
    "unknown alias": ("name: *x\n", ["1:7: not YAML: the referenced anchor is not defined"]),
    "two documents": (NODES + "---\nname: u\n", ["4:1: a second YAML document begins; such a file has one"]),
    "a list": ("- a\n- b\n", ["1:1: the topology is a list; expected a mapping (key: value)"]),
    "a text": ("a pair, please\n", ["1:1: the topology is the text 'a pair, please'; expected a mapping (key: value)"]),
    # keys
    "no name": ("nodes: {a: {}}\n", ["1:1: the topology has no 'name'; add a line such as name: pair"]),
    "no nodes": ("name: t\n", ["1:1: the topology has no 'nodes'; add nodes: {a: {}, b: {}}"]),
    "unknown key at the top": (NODES + "swiches: {}\n", ["3:1: unknown key 'swiches' in the topology; did you mean 'switches'?"]),
    "unknown key of a node": (node("Memry: 1G"), ["3:7: unknown key 'Memry' in node 'a'; did you mean 'memory'?"]),
    "unknown key without a near one": (node("colour: red"), [
        "3:7: unknown key 'colour' in node 'a'; expected one of cpus, memory, cmdline, iommu, modules, link, windows, vectors, dma, "
        "rid-protection"]),
    "unknown key of a switch": (switch("nt_pair: [[a, b]]"), [
        "4:3: switch 's' has no 'nt-pairs'; add nt-pairs: [[a, b]]", "4:7: unknown key 'nt_pair' in switch 's'; did you mean 'nt-pairs'?"]),
    "unknown key of windows": (node("windows: {bar3: 1M}"), ["3:17: unknown key 'bar3' in windows of node 'a'; did you mean 'bar2'?"]),
    "key given twice": (node("cpus: 1, cpus: 2"), ["3:16: 'cpus' is given twice in node 'a'; the first is at line 3: keep one of them"]),
    "number as a key": ("name: t\nnodes: {1: {}}\n", ["2:9: a key of 'nodes' is the number 1; expected text (quote it if it is meant so)"]),
    "unknown Debian": (NODES + "guest-suite: sid\n", ["3:14: 'guest-suite' is 'sid'; expected bookworm or trixie"]),
    "mistyped Debian": (NODES + "guest-suite: trixi\n", ["3:14: 'guest-suite' is 'trixi'; did you mean 'trixie'?"]),
    # names
    "duplicate node": ("name: t\nnodes:\n  a: {}\n  a: {}\n", ["4:3: 'a' is given twice in 'nodes'; the first is at line 3: keep one of them"]),
    "duplicate switch": (NODES + "switches:\n  s: {nt-pairs: [[a, b]]}\n  s: {nt-pairs: [[b, c]]}\n",
                         ["5:3: 's' is given twice in 'switches'; the first is at line 4: keep one of them"]),
    "localhost": ("name: t\nnodes: {localhost: {}}\n",
                  ["2:9: a node cannot be named 'localhost', which is every guest's name for itself; choose another"]),
    "upper-case node": ("name: t\nnodes: {Host: {}}\n", [f"2:9: 'Host' cannot name a node; use {NAME_RULE}"]),
    "long name": (f"name: {'n' * 33}\nnodes: {{a: {{}}}}\n", [f"1:7: 'name' is '{'n' * 33}'; expected {NAME_RULE}"]),
    "path as a name": ("name: ../t\nnodes: {a: {}}\n", [f"1:7: 'name' is '../t'; expected {NAME_RULE}"]),
    "number as a name": ("name: 12\nnodes: {a: {}}\n", ["1:7: 'name' is the number 12; expected text (quote it if it is meant so)"]),
    # nodes
    "no node": ("name: t\nnodes: {}\n", ["2:8: 'nodes' has 0 nodes; expected 1 to 250"]),
    "251 nodes": ("name: t\nnodes: {" + ", ".join(f"n{i}: {{}}" for i in range(251)) + "}\n",
                  ["2:8: 'nodes' has 251 nodes; expected 1 to 250"]),
    "nodes as a list": ("name: t\nnodes: [a, b]\n", ["2:8: 'nodes' is a list; expected a mapping (key: value)"]),
    "no CPU": (node("cpus: 0"), ["3:13: cpus of node 'a' is 0; expected 1 to 64"]),
    "half a CPU": (node("cpus: 0.5"), ["3:13: cpus of node 'a' is the number 0.5; expected a whole number from 1 to 64"]),
    "memory 0": (node("memory: 0"), ["3:15: memory of node 'a' is 0; expected 128M to 1T, a multiple of 1M"]),
    "memory of an odd size": (node("memory: 1000000000"), [
        "3:15: memory of node 'a' is 1000000000; expected 128M to 1T, a multiple of 1M"]),
    "memory of an unknown unit": (node("memory: 1GB"), [f"3:15: memory of node 'a' is the text '1GB'; {SIZE}"]),
    "memory beyond 64 bits": (node("memory: 99999999999T"), [
        "3:15: memory of node 'a' is 99999999999T; that is more than 64 bits hold"]),
    "module with a path": (node("modules: [../x]"), [
        "3:17: modules of node 'a' has the text '../x', which is no module's name; expected letters, digits, '_' and '-'"]),
    "command line of two lines": (node('cmdline: "a\\nb"'), [
        "3:16: cmdline of node 'a' has 3 bytes; expected at most 1024, all of them printable ASCII"]),
    # endpoints
    "BAR of no power of two": (node("windows: {bar2: 48M}"), [
        "3:23: bar2 of node 'a' is 48M; a BAR's size is a power of two, such as 32M"]),
    "small BAR": (node("windows: {bar4: 4K}"), ["3:23: bar4 of node 'a' is 4K; expected 64K to 256G, or 0 for none"]),
    "no BAR": (NODES + "defaults: {windows: {bar2: 0, bar4: 0}}\nswitches:\n  s:\n    nt-pairs: [[a, b]]\n", [
        "6:17: the endpoint of node 'a' has neither bar2 nor bar4; give one a size",
        "6:20: the endpoint of node 'b' has neither bar2 nor bar4; give one a size"]),
    "513 LUT windows": (node("windows: {lut-entries: 513}"), ["3:30: lut-entries of node 'a' is 513; expected 1 to 512"]),
    "three lanes": (node("link: {width: x3}"), ["3:21: link width of node 'a' is the text 'x3'; expected x1, x2, x4, x8 or x16"]),
    "generation 6": (node("link: {generation: 6}"), ["3:26: link generation of node 'a' is 6; expected 1 to 5"]),
    "33 vectors": (node("vectors: 33"), ["3:16: vectors of node 'a' is 33; expected 4 to 32"]),
    "65 DMA channels": (node("dma: 65"), ["3:12: dma of node 'a' is 65; expected 0 to 64"]),
    "unknown protection": (node("rid-protection: none"), ["3:23: rid-protection of node 'a' is 'none'; expected firmware or strict"]),
    "DMA engine of a Gen3 switch": (switch("model: pfx-48xg3, link: {generation: 3}, dma: 2, nt-pairs: [[a, b]]"), [
        f"4:3: switch 's' (pfx-48xg3) is a Gen3 switch, which has no DMA engine, but node '{node_}' has 'dma: 2'; leave 'dma' out or take a "
        "newer model" for node_ in ("a", "b")]),
    # switches
    "49 partitions": (switch("partitions: 49, nt-pairs: [[a, b]]"), ["4:19: partitions of switch 's' is 49; expected 2 to 48"]),
    "fewer partitions than the pairs have": (switch("partitions: 2, link: {width: x4}, nt-pairs: [[a, b], [b, c]]"), [
        "4:3: switch 's' has 2 partitions, but its NT pairs and management hosts need 4; raise 'partitions' or leave it out"]),
    "unknown model": (switch("model: pfx-52gx4, nt-pairs: [[a, b]]"), [
        "4:3: switch 's' is of the unknown model 'pfx-52gx4'; did you mean 'pfx-52xg4'?"]),
    "more lanes than the model has": (switch("model: pfx-28xg4, nt-pairs: [[a, b]]"), [
        "4:3: switch 's' (pfx-28xg4) has 28 lanes, but its links need 32; make links narrower or take a larger model"]),
    "generation of another model": (switch("link: {generation: 5, width: x8}, nt-pairs: [[a, b]]"), [
        f"4:3: switch 's' (pfx-52xg4) is a Gen4 switch, but its link to node '{name}' is of generation 5; lower the generation or take a "
        "newer model" for name in "ab"]),
    # pairs
    "unknown node": (pairs("[a, x]"), ["5:20: an NT pair of switch 's' names the unknown node 'x'; add it to 'nodes'"]),
    "pair with itself": (pairs("[a, a]"), ["5:16: nt-pairs[0] of switch 's' joins 'a' to itself; name two different nodes"]),
    "three in a pair": (pairs("[a, b, c]"), ["5:16: nt-pairs[0] of switch 's' has 3 items; expected a list of 2 items"]),
    "one in a pair": (pairs("[a]"), ["5:16: nt-pairs[0] of switch 's' has 1 items; expected a list of 2 items"]),
    "no pair": (pairs(""), ["5:15: nt-pairs of switch 's' has 0 items; expected a list of 1 to 24 items"]),
    "pair without nodes": (pairs("{partitions: [0, 1]}"), ["5:16: nt-pairs[0] of switch 's' has no 'nodes'; add nodes: [a, b]"]),
    "overlapping partitions": (pairs("[a, b], {nodes: [b, c], partitions: [1, 2]}"), [
        "5:33: partition 1 of switch 's' is already that of node 'b'; choose another by partitions: [.., ..]"]),
    "one partition for both sides": (pairs("{nodes: [a, b], partitions: [3, 3]}"), [
        "5:25: both sides of an NT pair of switch 's' are partition 3; give each side its own"]),
    "partition 48": (pairs("{nodes: [a, b], partitions: [0, 48]}"), [
        "5:48: a partition of nt-pairs[0] of switch 's' is 48; expected 0 to 47"]),
    # steps
    "step for an unknown node": (step("node: d, command: x"), ["4:10: validate[0] is for the unknown node 'd'; add it to 'nodes'"]),
    "step without a command": (step("node: a"), ["4:3: validate[0] has no 'command'; add it"]),
    "step with exit code 256": (step("node: a, command: x, exit-code: 256"), ["4:36: exit-code of validate[0] is 256; expected 0 to 255"]),
    "step with a wrong pattern": (step("node: a, command: x, output: {regex: '('}"), [
        "4:41: regex of output of validate[0] is '(', which is no POSIX extended regular expression: Unmatched ( or \\("]),
    # several
    "errors of every kind at once": (
        "name: t\nlan: maybe\nnodes:\n  a: {cpu: 2}\n  b: {memory: 1}\nswitches:\n  s:\n    nt-pairs: [[a, z], [b, b]]\n",
        ["2:6: 'lan' is the text 'maybe'; expected true or false", "4:7: unknown key 'cpu' in node 'a'; did you mean 'cpus'?",
         "5:15: memory of node 'b' is 1; expected 128M to 1T, a multiple of 1M",
         "8:20: an NT pair of switch 's' names the unknown node 'z'; add it to 'nodes'",
         "8:24: nt-pairs[1] of switch 's' joins 'b' to itself; name two different nodes"]),
}


@pytest.mark.parametrize("kind", TABLE)
def test_a_bad_topology_is_refused(run_dir, tmp_path, kind):
    text, errors = TABLE[kind]
    file = tmp_path / "t.yaml"
    file.write_text(text)
    message = "".join(f"{file}:{error}\n" for error in errors)
    checked = ntblab("check", file, run_dir=run_dir, check=False)
    assert (checked.returncode, checked.stdout, checked.stderr) == (1, "", message)
    started = ntblab("up", file, run_dir=run_dir, check=False)
    assert (started.returncode, started.stdout, started.stderr) == (1, "", f"ntblab: {message}")
    assert strays(run_dir) == []


@pytest.mark.parametrize("path, reason", [
    ("/nonexistent/t.yaml", "No such file or directory; give the path of a topology file"),
    ("/", "is a directory; give the path of a topology file in it"),
    ("/dev/zero", "is larger than 1M; is it a topology file?"),
])
def test_what_is_no_file_is_refused(run_dir, path, reason):
    checked = ntblab("check", path, run_dir=run_dir, check=False)
    assert (checked.returncode, checked.stdout, checked.stderr) == (1, "", f"{path}: {reason}\n")
    assert ntblab("up", path, run_dir=run_dir, check=False).returncode == 1


def test_more_memory_than_the_host_has_is_refused(run_dir, tmp_path):
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    mebibytes = (memory >> 20) + 1024
    file = tmp_path / "t.yaml"
    file.write_text(f"name: t\nnodes: {{a: {{memory: {mebibytes}M}}}}\n")
    assert ntblab("check", file, run_dir=run_dir).stdout == f"ok {file}\n"  # it may be meant for another machine
    started = ntblab("up", file, run_dir=run_dir, check=False)
    assert started.returncode == 1
    assert "the nodes of 't' may take" in started.stderr and "lower 'memory' in the topology" in started.stderr
    assert strays(run_dir) == []


def test_windows_that_overlap_are_warned_of(run_dir, tmp_path):
    file = tmp_path / "t.yaml"
    file.write_text(NODES + "switches:\n  s:\n    windows: {bar2: 32M, lut-entries: 512}\n    nt-pairs: [[a, b]]\n")
    warnings = "".join(
        f"warning: {file}:6:{column}: 512 LUT windows of 64K and a direct window need 64M of node '{name}', whose first window BAR has 32M: "
        "mainline ntb_hw_switchtec will find no direct window there, or fail to set up; lower lut-entries or enlarge the BAR\n"
        for column, name in ((17, "a"), (20, "b")))
    checked = ntblab("check", file, run_dir=run_dir)
    assert (checked.stdout, checked.stderr) == (f"ok {file}\n", warnings)
    strict = ntblab("check", "--strict", file, run_dir=run_dir, check=False)
    assert (strict.returncode, strict.stdout, strict.stderr) == (1, "", warnings)


def test_several_files_are_all_checked(run_dir, tmp_path):
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(NODES)
    bad.write_text("name: t\n")
    checked = ntblab("check", bad, good, run_dir=run_dir, check=False)
    assert (checked.returncode, checked.stdout) == (1, f"ok {good}\n")
    assert checked.stderr.startswith(f"{bad}:1:1: ")


def test_the_shipped_topologies_are_good(run_dir):
    shipped = sorted((pathlib.Path(__file__).resolve().parents[2] / "topologies").glob("*.yaml"))
    assert ntblab("check", "--strict", *shipped, run_dir=run_dir).stderr == ""
