// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stress.h"

/* A peer that dies without a word is noticed within 20 seconds. */
static void watch(int link)
{
	int on = 1, seconds = 5, probes = 3;

	setsockopt(link, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(link, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof(seconds));
	setsockopt(link, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof(seconds));
	setsockopt(link, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
}

int link_open(const char *host, int port)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM,
				  .ai_flags = host ? 0 : AI_PASSIVE };
	struct addrinfo *address;
	char service[8];
	int one = 1, fd, link, tries;

	snprintf(service, sizeof(service), "%d", port);
	if (getaddrinfo(host, service, &hints, &address))
		die("no address for %s", host ? host : "*");
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (host) {
		for (tries = 0; connect(fd, address->ai_addr, address->ai_addrlen); tries++) {
			if (tries == 50)
				die("cannot connect to %s", host);
			usleep(200000);
		}
		link = fd;
	} else {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (bind(fd, address->ai_addr, address->ai_addrlen) || listen(fd, 1))
			die("cannot listen at port %d", port);
		link = accept(fd, NULL, NULL);
		close(fd);
	}
	freeaddrinfo(address);
	watch(link);
	return link;
}

void link_exchange(int link, const void *own, void *peer, size_t length)
{
	size_t got = 0;

	if (write(link, own, length) != (ssize_t)length)
		die("the peer is gone");
	while (got < length) {
		ssize_t n = read(link, (char *)peer + got, length - got);

		if (n <= 0)
			die("the peer is gone");
		got += n;
	}
}

void link_tell(int link)
{
	if (write(link, "", 1) != 1)
		die("the peer is gone");
}

bool link_was_told(int link)
{
	char byte;
	ssize_t n = recv(link, &byte, 1, MSG_DONTWAIT);

	if (!n)
		die("the peer is gone");
	return n == 1;
}
