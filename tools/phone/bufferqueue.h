/* SPDX-License-Identifier: Apache-2.0 */
/* Markers common to Android 9 and 11: the BufferQueues of the layers are in SurfaceFlinger. */
#ifndef JANKD_TOOLS_PHONE_BUFFERQUEUE_H
#define JANKD_TOOLS_PHONE_BUFFERQUEUE_H

#include "tools/phone/simulation.h"

/* For struct vocabulary. Layers of the same title are numbered: "title#0", "title#1". */
void bufferqueue_name_layer(struct simulation *sim, struct layer *layer, unsigned int same_title);
void bufferqueue_draw(struct simulation *sim, const struct frame *frame, uint64_t start_ns,
		      uint64_t queue_ns);

/* All functions below write markers of SurfaceFlinger's main thread. */

/* Latches the buffer of @frame: the counter of its layer goes down. */
void bufferqueue_latch(struct simulation *sim, const struct frame *frame);

/* The buffer that the GPU composed goes through SurfaceFlinger's own queue. */
void bufferqueue_framebuffer(struct simulation *sim, const struct vsync *vsync);

/* Presents and waits for fences, inside a slice postFramebuffer, and ends that slice. */
void bufferqueue_end_post(struct simulation *sim);

/* Applies the waiting transactions of the layers. */
void bufferqueue_apply_transactions(struct simulation *sim, const struct vsync *vsync);

/* Releases the buffers of the previous frames. */
void bufferqueue_release(struct simulation *sim, const struct vsync *vsync);

#endif
