# SPDX-License-Identifier: MIT
"""Programs of rdma-core, perftest and qperf, as Debian has them, between two hosts.

    run_program(pair, "rping")                       # its server on b
    run_program(mesh, "rping", nodes=("c", "a"))     # on c; its client on a
"""

DEVICE = "-d ropcie0"
GID = 1         # RoCE v2 of the IPv4 address
PINGPONG = f"{DEVICE} -g {GID} -n 200"
PERFTEST = f"{DEVICE} -x {GID} -F -n 200"


def verbs(command):
    """Server and client of a program whose client is told the server's address; they exchange the rest by TCP."""
    return command, f"{command} {{server}}", "tcp"


def managed(server, client):
    """Server and client of a program that uses the RDMA connection manager."""
    return server, client, "cm"


def perftest_cases():
    for kind in ("send", "write", "read", "atomic"):
        for figure in ("bw", "lat"):
            program = f"ib_{kind}_{figure}"
            yield program, verbs(f"{program} {PERFTEST}")
            yield f"{program} -R", managed(f"{program} -R -F -n 100", f"{program} -R -F -n 100 {{server}}")
            if kind != "atomic":
                yield f"{program} -a", verbs(f"{program} {DEVICE} -x {GID} -F -n 10 -a")
            if kind in ("send", "write"):
                yield f"{program} UC", verbs(f"{program} -c UC {PERFTEST}")
    for figure in ("bw", "lat"):
        yield f"ib_send_{figure} UD", verbs(f"ib_send_{figure} -c UD {PERFTEST}")
        yield f"ib_send_{figure} -e", verbs(f"ib_send_{figure} -e {PERFTEST}")
    for kind in ("send", "write"):
        yield f"ib_{kind}_lat inline", verbs(f"ib_{kind}_lat -I 512 -s 512 {PERFTEST}")
        yield f"ib_{kind}_lat not inline", verbs(f"ib_{kind}_lat -I 0 -s 64 {PERFTEST}")
    yield "ib_send_bw XRC", verbs(f"ib_send_bw -c XRC {PERFTEST}")
    yield "ib_send_bw --use-srq", verbs(f"ib_send_bw --use-srq -q 8 {PERFTEST}")
    for kind in ("send", "write", "read"):
        yield f"ib_{kind}_bw both ways", verbs(f"ib_{kind}_bw -b {PERFTEST}")
        yield f"ib_{kind}_bw -q 64", verbs(f"ib_{kind}_bw -q 64 -s 4096 {DEVICE} -x {GID} -F -n 50")


CASES = {
    **{f"ibv_{kind}_pingpong": verbs(f"ibv_{kind}_pingpong {PINGPONG}") for kind in ("rc", "uc", "ud", "srq")},
    "ibv_rc_pingpong, events, checked": verbs(f"ibv_rc_pingpong {PINGPONG} -e -c -s 70001"),
    "ibv_rc_pingpong, ibv_wr_*": verbs(f"ibv_rc_pingpong {PINGPONG} -N"),
    "ibv_rc_pingpong, timestamps": verbs(f"ibv_rc_pingpong {PINGPONG} -t"),
    "ibv_xsrq_pingpong": (f"ibv_xsrq_pingpong {PINGPONG} -c 1", f"ibv_xsrq_pingpong {PINGPONG} {{server}}", "tcp"),
    "rping": managed("rping -s -a {server} -C 50 -V", "rping -c -a {server} -C 50 -V"),
    "rping, persistent, 64 KiB": managed("rping -s -a {server} -C 20 -V -S 65000", "rping -c -a {server} -C 20 -V -S 65000"),
    "ucmatose": managed("ucmatose -b {server}", "ucmatose -s {server}"),
    "cmtime": managed("cmtime -b {server} -c 100", "cmtime -s {server} -c 100"),
    "udaddy": managed("udaddy -b {server}", "udaddy -s {server}"),
    "rdma_server": managed("rdma_server -p 7471", "rdma_client -s {server} -p 7471"),
    "rstream": managed("rstream -b {server} -S 65536 -C 50", "rstream -s {server} -S 65536 -C 50"),
    "riostream": managed("riostream -b {server} -S 65536 -C 50", "riostream -s {server} -S 65536 -C 50"),
    "rcopy": managed("rcopy", "head -c 4000001 /dev/urandom > /tmp/sent; rcopy /tmp/sent {server}:/tmp/copied"),
    # The sender goes on until the receiver, which has joined the group meanwhile, has all of it.
    "mckey": ("mckey -b {server} -m 239.1.2.3 -C 5", "until mckey -b {client} -m 239.1.2.3 -s -C 5 && ! ssh {server} pgrep mckey; do :; done", None),
    **dict(perftest_cases()),
    # Those of its tests that have a connection manager; the others cannot name a RoCE peer. 0.4.11 asks before its server listens.
    "qperf": ("qperf", "for test in rc_lat rc_bw rc_bi_bw rc_rdma_read_lat rc_rdma_read_bw rc_rdma_write_lat rc_rdma_write_bw"
              " rc_rdma_write_poll_lat; do until qperf -cm1 -t 1 {server} $test; do sleep 0.2; done; done", "tcp"),
}
# Servers that go on after their client.
UNENDING = {"rcopy", "qperf"}
MINUTES = {f"ib_{kind}_bw for a minute": verbs(f"ib_{kind}_bw -D 60 {DEVICE} -x {GID} -F") for kind in ("send", "write", "read", "atomic")}


def run_program(cluster, case, nodes=("b", "a")):
    """Server and client of the case, on these nodes; both have to succeed, and what is copied to arrive whole."""
    server, client, meeting = {**CASES, **MINUTES}[case]
    for attempt in range(3):
        try:
            cluster.meet(server, client, meeting, ends=case not in UNENDING, nodes=nodes)
            break
        except AssertionError as failure:
            # perftest's client may ask before its server listens anew; it means to try again, and crashes (25.01, 4.5).
            if attempt == 2 or "RDMA_CM_EVENT_REJECTED; error: 8" not in str(failure):
                raise
    if case == "rcopy":
        there, here = nodes
        assert cluster.run(there, "sha256sum < /tmp/copied") == cluster.run(here, "sha256sum < /tmp/sent")
