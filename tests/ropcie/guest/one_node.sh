#!/bin/sh
# SPDX-License-Identifier: MIT
# In a guest: programs of rdma-core and perftest, both ends on this node.
#	one_node.sh DEVICE ADDRESS [GID INDEX] [examples|cm|perftest ...]
# Prints "ok NAME", or "FAIL NAME" and what the programs said last. The exit code is the number of failures.
device=$1 address=$2 gid=${3:-1}
shift 3 2>/dev/null || shift $#
sets=${*:-examples cm perftest}
directory=$(mktemp -d)
failures=0

run() {	# name, server, client
	timeout 60 sh -c "$2" > "$directory/server" 2>&1 &
	server=$!
	sleep 1.5
	timeout 50 sh -c "$3" > "$directory/client" 2>&1
	client_code=$?
	wait "$server"
	server_code=$?
	if [ "$client_code" = 0 ] && [ "$server_code" = 0 ]; then
		echo "ok $1"
	else
		echo "FAIL $1 (client $client_code, server $server_code)"
		for log in client server; do tail -n 4 "$directory/$log" | sed "s/^/  $log: /"; done
		failures=$((failures + 1))
	fi
}

both() {	# name, command of both; the client has the address beside
	run "$1" "$2" "$2 ${3:-127.0.0.1}"
}

examples() {
	for type in rc uc ud srq; do
		both "ibv_${type}_pingpong" "ibv_${type}_pingpong -d $device -g $gid -n 200"
	done
	both "ibv_rc_pingpong, events, checked" "ibv_rc_pingpong -d $device -g $gid -n 200 -e -c -s 70001"
	both "ibv_rc_pingpong, ibv_wr_*" "ibv_rc_pingpong -d $device -g $gid -n 200 -N"
	both "ibv_rc_pingpong, timestamps" "ibv_rc_pingpong -d $device -g $gid -n 200 -t"
	run ibv_xsrq_pingpong "ibv_xsrq_pingpong -d $device -g $gid -n 200 -c 1" \
		"ibv_xsrq_pingpong -d $device -g $gid -n 200 127.0.0.1"
}

cm() {
	run rping "rping -s -a $address -C 50 -V" "rping -c -a $address -C 50 -V"
	run ucmatose "ucmatose -b $address" "ucmatose -s $address"
	run udaddy "udaddy -b $address" "udaddy -s $address"
	run mckey "mckey -b $address -m 239.1.2.3 -C 5" "mckey -b $address -m 239.1.2.3 -s -C 5"
	run rdma_server "rdma_server -p 7471" "rdma_client -s $address -p 7471"
	run rstream "rstream -b $address -S 65536 -C 50" "rstream -s $address -S 65536 -C 50"
	run riostream "riostream -b $address -S 65536 -C 50" "riostream -s $address -b $address -S 65536 -C 50"
	head -c 4000001 /dev/urandom > "$directory/sent"
	run rcopy "timeout -s INT 20 rcopy || true" \
		"rcopy $directory/sent $address:$directory/copied && cmp $directory/sent $directory/copied"
}

perftest() {
	common="-d $device -x $gid -F -n 200"
	for kind in send write read atomic; do
		for figure in bw lat; do
			both "ib_${kind}_$figure" "ib_${kind}_$figure $common"
			both "ib_${kind}_$figure -R" "ib_${kind}_$figure -R -F -n 100" "$address"
		done
	done
	for figure in bw lat; do
		both "ib_send_$figure UC" "ib_send_$figure -c UC $common"
		both "ib_write_$figure UC" "ib_write_$figure -c UC $common"
		both "ib_send_$figure UD" "ib_send_$figure -c UD $common"
	done
	both "ib_send_bw XRC" "ib_send_bw -c XRC $common"
	both "ib_send_bw --use-srq" "ib_send_bw --use-srq -q 8 $common"
	both "ib_send_bw -e" "ib_send_bw -e $common"
	both "ib_send_bw -I" "ib_send_bw -I 256 -s 256 $common"
	both "ib_write_bw -b" "ib_write_bw -b $common"
	both "ib_write_bw -q 64" "ib_write_bw -q 64 $common"
}

for set in $sets; do $set; done
rm -rf "$directory"
exit $failures
