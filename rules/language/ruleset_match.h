/* SPDX-License-Identifier: Apache-2.0 */
/* Matches names in the trace with the rules of a rule set. ruleset.c fills the tables of struct
 * ruleset from the text; after that they do not change. */
#ifndef JANKD_RULES_LANGUAGE_RULESET_MATCH_H
#define JANKD_RULES_LANGUAGE_RULESET_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/language/pattern.h"
#include "rules/language/surface.h"

#define RULES_MAX 200
#define RULE_CONTEXTS_MAX 24

enum rule_event {
	EVENT_NONE,
	EVENT_SLICE,
	EVENT_INSTANT,
	EVENT_COUNTER, /* any write */
	EVENT_RISE,    /* a write of a greater value than the last */
	EVENT_FALL,    /* a write of a smaller value than the last, or the first write */
	EVENT_LAYER,   /* no event: the name of a layer */
};

#define EVENT_BIT(event) (1U << (event))
#define ON_SLICE EVENT_BIT(EVENT_SLICE)
#define ON_INSTANT EVENT_BIT(EVENT_INSTANT)
#define ON_COUNTER EVENT_BIT(EVENT_COUNTER)
#define ON_LAYER EVENT_BIT(EVENT_LAYER)
#define ON_ANY_COUNTER (ON_COUNTER | EVENT_BIT(EVENT_RISE) | EVENT_BIT(EVENT_FALL))
#define ON_ANY (ON_ANY_COUNTER | ON_INSTANT | ON_SLICE)

/* The roles: name here, name in a rule file, events that it takes, what the pattern must have (of
 * counters their value instead of a time). Those from RULE_TICK to RULE_TARGET are about the
 * display's vsyncs, and up to RULE_TRANSACTION they show which process is SurfaceFlinger.
 * default.rules describes them. */
#define RULE_ROLES(ROLE)                                                                           \
	ROLE(TICK, "tick", ON_COUNTER, 0)                                                          \
	ROLE(APP_TICK, "apptick", ON_COUNTER, 0)                                                   \
	ROLE(SF_TICK, "sftick", ON_COUNTER, 0)                                                     \
	ROLE(HWVSYNC, "hwvsync", ON_COUNTER, 0)                                                    \
	ROLE(PERIOD, "period", ON_COUNTER, 0)                                                      \
	ROLE(NOMINAL, "nominal", ON_COUNTER | ON_SLICE, PATTERN_TIME)                              \
	ROLE(RATE, "rate", ON_COUNTER, 0)                                                          \
	ROLE(ASKED, "asked", ON_COUNTER, 0)                                                        \
	ROLE(RENDER, "render", ON_COUNTER, 0)                                                      \
	ROLE(TARGET, "target", ON_INSTANT, PATTERN_TIME)                                           \
	ROLE(COMMIT, "commit", ON_SLICE, 0)                                                        \
	ROLE(PRESENT, "present", ON_SLICE, 0)                                                      \
	ROLE(COMPOSITE, "composite", ON_SLICE, 0)                                                  \
	ROLE(LATCH, "latch", ON_ANY, PATTERN_LAYER)                                                \
	ROLE(QUEUE, "queue", ON_ANY, PATTERN_LAYER)                                                \
	ROLE(DROP, "drop", ON_ANY, PATTERN_LAYER)                                                  \
	ROLE(TRANSACTION, "transaction", ON_ANY_COUNTER, PATTERN_LAYER)                            \
	ROLE(CLIENT, "client", ON_COUNTER, 0)                                                      \
	ROLE(MISSED, "missed", ON_COUNTER, 0)                                                      \
	ROLE(GPU_MISSED, "gpumissed", ON_COUNTER, 0)                                               \
	ROLE(APP_TIME, "apptime", ON_COUNTER, 0)                                                   \
	ROLE(SF_TIME, "sftime", ON_COUNTER, 0)                                                     \
	ROLE(WORK, "work", ON_SLICE, 0)                                                            \
	ROLE(TOKEN, "token", ON_SLICE, 0)                                                          \
	ROLE(PLAN, "plan", ON_SLICE, PATTERN_TIME)                                                 \
	ROLE(REPLAN, "replan", ON_SLICE, PATTERN_TIME)                                             \
	ROLE(CALLBACK, "callback", ON_SLICE, 0)                                                    \
	ROLE(RESYNC, "resync", ON_SLICE, 0)                                                        \
	ROLE(INPUT, "input", ON_SLICE, 0)                                                          \
	ROLE(ANIMATION, "animation", ON_SLICE, 0)                                                  \
	ROLE(INSETS, "insets", ON_SLICE, 0)                                                        \
	ROLE(TRAVERSAL, "traversal", ON_SLICE, 0)                                                  \
	ROLE(FINISH, "finish", ON_SLICE, 0)                                                        \
	ROLE(DRAW, "draw", ON_SLICE, 0)                                                            \
	ROLE(DRAW_FRAME, "drawframe", ON_SLICE, 0)                                                 \
	ROLE(ENQUEUE, "enqueue", ON_SLICE, 0)                                                      \
	ROLE(SEND, "send", ON_SLICE, PATTERN_FRAME)                                                \
	ROLE(GPU_QUEUED, "gpuqueued", ON_SLICE, PATTERN_FRAME)                                     \
	ROLE(GPU_DONE, "gpudone", ON_SLICE, PATTERN_FRAME)                                         \
	ROLE(GPU_WAIT, "gpuwait", ON_SLICE, PATTERN_FRAME)                                         \
	ROLE(RELEASE_QUEUED, "releasequeued", ON_SLICE, PATTERN_FRAME)                             \
	ROLE(RELEASE_DONE, "releasedone", ON_SLICE, PATTERN_FRAME)                                 \
	ROLE(RELEASE_WAIT, "releasewait", ON_SLICE, PATTERN_FRAME)                                 \
	ROLE(RENDER_QUEUED, "renderqueued", ON_SLICE, PATTERN_FRAME)                               \
	ROLE(RENDER_DONE, "renderdone", ON_SLICE, PATTERN_FRAME)                                   \
	ROLE(RENDER_WAIT, "renderwait", ON_SLICE, PATTERN_FRAME)                                   \
	ROLE(PRODUCER, "producer", ON_COUNTER, PATTERN_LAYER)                                      \
	ROLE(ANSWER, "answer", ON_INSTANT, PATTERN_FRAME)                                          \
	ROLE(IGNORE, "ignore", ON_COUNTER | ON_LAYER, 0)                                           \
	ROLE(RENAME, "rename", ON_LAYER, 0)                                                        \
	ROLE(ENGINE, "engine", 0, 0)

enum rule_role {
	RULE_NONE,
#define ROLE(name, word, events, needs) RULE_##name,
	RULE_ROLES(ROLE)
#undef ROLE
		RULE_N_ROLES,
};

struct rule {
	enum rule_role role;
	enum rule_event event;
	struct pattern pattern;
	uint32_t context; /* mask of the slice that must be open on the thread, 0: none; of a
			     composite rule: its own slice */
	uint32_t bits;	  /* of the mask of a slice that it matches */
	bool fallback;	  /* used only while no other latch rule matches */
	bool since_14;	  /* names of that kind are of Android 14 or later */
	struct span text; /* of a rename: the new name */
};

/* Meanings of a slice's name, as bits of a mask. The higher bits are contexts: slices that a rule
 * names after "inside", and composites. */
#define SLICE_PRESENT (UINT32_C(1) << 0)
#define SLICE_COMPOSITE (UINT32_C(1) << 1)
#define SLICE_WORK (UINT32_C(1) << 2) /* also of each callback */
#define SLICE_CALLBACK (UINT32_C(1) << 3)
#define SLICE_TOKEN (UINT32_C(1) << 4)
#define SLICE_COMMIT (UINT32_C(1) << 5)
#define SLICE_NOMINAL (UINT32_C(1) << 6)
#define SLICE_WAIT (UINT32_C(1) << 7) /* for a fence */
#define SLICE_CONTEXT_SHIFT 8

/* The number after the first blank of their name is that of a vsync. */
#define SLICE_NUMBERED (SLICE_COMMIT | SLICE_COMPOSITE | SLICE_TOKEN | SLICE_CALLBACK)

/* Names whose first bytes are the same modulo this share a list. */
#define RULE_LISTS 64

/* The rules of a kind of event. */
struct rule_index {
	struct rule_list {
		/* In ruleset.rules, in their order. */
		uint8_t numbers[RULES_MAX + RULE_CONTEXTS_MAX];
		uint8_t n;
	} lists[RULE_LISTS];
	/* By the first byte of a name: the second bytes of names that can match, each as bit
	 * byte % 64, and their lengths, the last bit being that of longer ones, too. Of counters
	 * and instants without the rules that need an open slice. */
	uint64_t seconds[256], lengths[256];
	uint32_t contexts; /* that its rules need */
	bool has_digits;   /* a literal of its patterns has one */
};

struct ruleset {
	unsigned int n_rules;
	unsigned int layers_begin, layers_end; /* all of EVENT_LAYER are between these */
	unsigned int n_contexts;
	/* From RULES_MAX on rules without a role give slices their contexts. */
	struct rule rules[RULES_MAX + RULE_CONTEXTS_MAX];
	uint32_t entered_once; /* mask of the contexts that never contain themselves */
	uint32_t composites;   /* mask of the contexts that are composites */
	struct rule_index counters;
	struct rule_index instants;
	struct rule_index slices;
	bool layers_in_slices; /* there are latch, queue or drop rules for slices */
	bool last_counter;     /* engine last-counter, see gfx2019.h */
	char *text;	       /* owned; the spans point into it */
};

/* The last step of building a rule set: fills the indexes from the rules and contexts. */
void ruleset_build_indexes(struct ruleset *rules);

/* True: only SurfaceFlinger writes names that match, and they show that it is. This is not true of
 * a layer's bare name: apps write it, too. */
static inline bool rule_is_unique(const struct rule *rule)
{
	return rule->role <= RULE_TRANSACTION && rule->pattern.parts[0].kind == PATTERN_LITERAL;
}

static inline bool rule_is_tick(const struct rule *rule)
{
	return rule->role >= RULE_TICK && rule->role <= RULE_SF_TICK;
}

/* What a slice means, by its name. */
struct slice_meaning {
	uint32_t mask; /* SLICE_PRESENT and others, and contexts */
	enum rule_role
		role;	/* of the first rule from RULE_PLAN on, of which a name has one; or none */
	bool since_14;	/* as of the rules that match */
	int64_t number; /* -1: it has none, as for the next ones */
	int64_t newer;
	int64_t time_ns;
};

/* Of a slice that no rule names, as most. */
extern const struct slice_meaning slice_unnamed;

/* What the slice @name means, in @meaning, which it returns. */
const struct slice_meaning *ruleset_match_slice(const struct ruleset *rules, struct span name,
						struct slice_meaning *meaning);

/* False: no rule matches in the slices @open. */
static inline bool rule_index_may_match(const struct rule_index *index, struct span name,
					uint32_t open)
{
	return open != 0 || name.len < 2 ||
	       ((index->seconds[(uint8_t)name.ptr[0]] >> ((uint8_t)name.ptr[1] % 64) & 1) &&
		(index->lengths[(uint8_t)name.ptr[0]] >> (name.len < 63 ? name.len : 63) & 1));
}

/**
 * ruleset_match() - the first rule of the file that matches an event
 * @index: that of the kind of event
 * @name: the event's name
 * @open: mask of the slices open on its thread
 * @capture: set by the pattern of the rule
 *
 * Returns the rule or NULL.
 */
const struct rule *ruleset_match(const struct ruleset *rules, const struct rule_index *index,
				 struct span name, uint32_t open, struct pattern_capture *capture);

/* True: according to the rules @layer is no layer's name. */
bool ruleset_ignores_layer(const struct ruleset *rules, struct span layer);

/* The name that the rules give to a Surface; @name itself if no rule renames it. */
struct span ruleset_rename(const struct ruleset *rules, struct span name);

/* The Surface of the layer of that name, renamed by the rules. Borrows from @rules, @layer or
 * @copy. */
static inline struct span ruleset_surface(const struct ruleset *rules, struct span layer,
					  char copy[SURFACE_MAX])
{
	return ruleset_rename(rules, surface_of_layer(layer, copy));
}

#endif
