// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stress.h"

static uint64_t own_state;

/* splitmix64 */
uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

void random_seed(uint64_t seed)
{
	own_state = seed;
}

uint32_t random_below(uint32_t bound)
{
	return random_next(&own_state) % bound;
}

void random_fill(uint64_t seed, uint8_t *bytes, size_t length)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < length; i++) {
		if (!(i % 8))
			value = random_next(&seed);
		bytes[i] = value >> i % 8 * 8;
	}
}

uint32_t random_length(uint32_t most)
{
	static const uint32_t bounds[] = { 1, 16, 64, 513, 4097, 8193, 20000, SLOT_BYTES + 1 };
	uint32_t bound = bounds[random_below(sizeof(bounds) / sizeof(*bounds))];

	return random_below(bound < most + 1 ? bound : most + 1);
}
