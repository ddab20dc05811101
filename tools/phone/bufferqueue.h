/* SPDX-License-Identifier: Apache-2.0 */
/* What Android 9 and 11 have in common: the layers' BufferQueues live in SurfaceFlinger. */
#ifndef JANKD_TOOLS_PHONE_BUFFERQUEUE_H
#define JANKD_TOOLS_PHONE_BUFFERQUEUE_H

#include "tools/phone/simulation.h"

/* See struct vocabulary. Names count up among living namesakes, "title#0". */
void bufferqueue_name_layer(struct scene *scene, struct layer *layer, unsigned int instance);
void bufferqueue_draw(struct scene *scene, const struct frame *frame, uint64_t start_ns,
		      uint64_t queue_ns);

/* On the main thread: takes the frame's buffer, so that the layer's counter falls. */
void bufferqueue_latch(struct scene *scene, const struct frame *frame);

/* On the main thread: the GPU's part of a composition goes through SurfaceFlinger's own queue. */
void bufferqueue_framebuffer(struct scene *scene, const struct beat *beat);

/* On the main thread: applies the layer's transaction, if one waits. */
void bufferqueue_transaction(struct scene *scene, const struct beat *beat);

/* On the main thread: gives the buffers of the frames before back. */
void bufferqueue_release(struct scene *scene, const struct beat *beat);

#endif
