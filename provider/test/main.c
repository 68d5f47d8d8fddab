// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ropcie-stress: random RDMA requests between two processes, every byte checked against a model.
 *
 *	b$ ropcie-stress -t 60
 *	a$ ropcie-stress -t 60 b
 *
 * Each process is both ends: it writes, reads and changes the peer's memory, which nobody else does, and keeps a copy of
 * what must be in it; it sends messages that tell what they must consist of; and takes the peer's. Queue pairs 0, 3, 4,
 * ... are RC, 1 is UC, 2 is UD. In the end memory is read as a whole, and a key is taken back, used all the same, and
 * must be refused.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "stress.h"

void die(const char *format, ...)
{
	va_list arguments;

	fflush(stdout);
	fprintf(stderr, "ropcie-stress: ");
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fprintf(stderr, "\n");
	exit(1);
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	int i;

	for (i = 0; list && list[i] && !context; i++)
		if (!name || !strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	if (!context)
		die("no device %s", name ? name : "");
	ibv_free_device_list(list);
	return context;
}

static void parse(int argc, char **argv, struct options *options)
{
	int c;

	while ((c = getopt(argc, argv, "d:g:t:q:p:s:")) != -1) {
		switch (c) {
		case 'd': options->device = optarg; break;
		case 'g': options->gid_index = atoi(optarg); break;
		case 't': options->seconds = atoi(optarg); break;
		case 'q': options->queue_pairs = atoi(optarg); break;
		case 'p': options->port = atoi(optarg); break;
		case 's': options->seed = strtoull(optarg, NULL, 0); break;
		default:
			die("usage: [-d device] [-g gid index] [-t seconds] [-q queue pairs] "
			    "[-p port] [-s seed] [host]");
		}
	}
	if (options->queue_pairs < 1 || options->queue_pairs > 1000)
		die("-q: 1 to 1000 queue pairs");
	options->host = optind < argc ? argv[optind] : NULL;
}

static enum ibv_qp_type type_of(int index)
{
	return index == 1 ? IBV_QPT_UC : index == 2 ? IBV_QPT_UD : IBV_QPT_RC;
}

/* Until all that was asked for is done, at both ends. */
static void settle(int link, struct end *ends, int count)
{
	int i;

	for (i = 0; i < count; i++)
		while (ends[i].under_way)
			for (int k = 0; k < count; k++)
				end_poll(&ends[k]);
	/* The peer's last messages may still need receive requests. */
	link_tell(link);
	while (!link_was_told(link))
		for (i = 0; i < count; i++)
			end_poll(&ends[i]);
	for (i = 0; i < count; i++)
		end_poll(&ends[i]);
}

static void run(struct end *ends, int count, int seconds)
{
	time_t end = time(NULL) + seconds;

	while (time(NULL) < end) {
		struct end *one = &ends[random_below(count)];
		unsigned int burst = random_below(SLOTS);

		while (burst-- && one->under_way < SLOTS)
			op_post_random(one);
		end_poll(&ends[random_below(count)]);
		if (!random_below(64))
			usleep(random_below(2000));
	}
}

static void report(const struct end *ends, int count)
{
	uint64_t done = 0, received = 0;
	int i, k;

	for (i = 0; i < count; i++) {
		received += ends[i].received;
		for (k = 0; k < OP_KINDS; k++)
			done += ends[i].done[k];
	}
	printf("ok: %llu requests, %llu messages received\n", (unsigned long long)done,
	       (unsigned long long)received);
}

int main(int argc, char **argv)
{
	struct options options = { .gid_index = 1, .seconds = 10, .queue_pairs = 6, .port = 18600,
				   .seed = time(NULL) };
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct end *ends;
	int i, link;
	char byte;

	parse(argc, argv, &options);
	printf("seed %llu\n", (unsigned long long)options.seed);
	random_seed(options.seed ^ (options.host ? 0x55 : 0));
	context = open_device(options.device);
	pd = ibv_alloc_pd(context);
	ends = calloc(options.queue_pairs, sizeof(*ends));
	link = link_open(options.host, options.port);

	for (i = 0; i < options.queue_pairs; i++) {
		end_create(&ends[i], context, pd, &options, type_of(i));
		link_exchange(link, &ends[i].own, &ends[i].peer, sizeof(ends[i].own));
		end_connect(&ends[i], &options);
		/* Now the window has its key. */
		link_exchange(link, &ends[i].own, &ends[i].peer, sizeof(ends[i].own));
	}
	run(ends, options.queue_pairs, options.seconds);
	settle(link, ends, options.queue_pairs);
	for (i = 0; i < options.queue_pairs; i++)
		if (ends[i].type == IBV_QPT_RC)
			end_verify(&ends[i]);
	settle(link, ends, options.queue_pairs);
	link_exchange(link, "", &byte, 1);	/* from here on, nobody polls for ordinary messages */
	for (i = 0; i < options.queue_pairs; i++)
		if (ends[i].type == IBV_QPT_RC)
			end_check_refusal(&ends[i], !options.host);
	report(ends, options.queue_pairs);
	return 0;
}
