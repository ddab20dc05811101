/* SPDX-License-Identifier: Apache-2.0 */
/* The writers of the packets of a perfetto trace: their default clocks, and what they lost.
 *
 * The first pass follows them packet by packet. Then a packet is asked for by its number, in any
 * order.
 */
#ifndef JANKD_DAEMON_TRACE_PERFETTO_SEQUENCES_H
#define JANKD_DAEMON_TRACE_PERFETTO_SEQUENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/perfetto.h"

/* Writers that are followed. A device has some dozens. */
#define PERFETTO_SEQUENCES 1024

/* Changes of a writer's default clock. One gets it with its first packet, and keeps it. */
#define PERFETTO_CHANGES 2048

#define PERFETTO_CPUS 256

/* Bundles of events before which others may be missing. */
#define PERFETTO_GAPS 16384

struct perfetto_sequence {
	uint64_t id;	/* 0: unused */
	uint64_t clock; /* of its packets that name none; 0: no default */
	bool is_begun, has_ftrace;
	bool has_first; /* its first packet was there: it says that packets were lost before it */
};

struct perfetto_change {
	uint64_t number; /* of the packet from which on it counts */
	unsigned int sequence;
	uint64_t clock;
};

/* At a bundle: events of that CPU may be missing before it, or up to its end. */
struct perfetto_gap {
	uint64_t number;
	int32_t cpu;
	bool at_end;
};

/* Initialise with zeros. */
struct perfetto_sequences {
	uint64_t lost; /* times that a writer lost packets */
	struct perfetto_sequence entries[PERFETTO_SEQUENCES];
	unsigned int n_changes;
	struct perfetto_change changes[PERFETTO_CHANGES];

	uint64_t n_losses; /* of packets of a writer of bundles */
	bool is_after_loss;
	uint64_t after_loss; /* number of the first bundle after the last loss */
	struct {
		bool is_known;
		uint64_t n_losses; /* at its last bundle */
		uint64_t first_ns; /* of its earliest bundle */
	} cpus[PERFETTO_CPUS];
	unsigned int n_gaps;
	struct perfetto_gap gaps[PERFETTO_GAPS];
};

/* The next packet of the first pass. @number: larger than that of the packet before. */
void perfetto_sequences_follow(struct perfetto_sequences *sequences,
			       const struct perfetto_packet *packet, uint64_t number);

/* The same of a packet with a bundle of events. @first_ns: of its first event; 0: it has none. */
void perfetto_sequences_follow_bundle(struct perfetto_sequences *sequences,
				      const struct perfetto_packet *packet, uint64_t number,
				      int32_t cpu, uint64_t first_ns);

/* The first pass is over. */
void perfetto_sequences_end(struct perfetto_sequences *sequences);

/* The clock of the time of a packet. */
uint64_t perfetto_sequences_clock(const struct perfetto_sequences *sequences,
				  const struct perfetto_packet *packet, uint64_t number);

/* The gaps at a bundle; *n: how many. */
const struct perfetto_gap *perfetto_sequences_gaps(const struct perfetto_sequences *sequences,
						   uint64_t number, unsigned int *n);

#endif
