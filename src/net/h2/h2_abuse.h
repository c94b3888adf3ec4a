/* SPDX-License-Identifier: Apache-2.0 */
/* h2_abuse.h -- limits for clients that make the server work without making progress.
 *
 * Frames and header blocks that are cheap to send may be expensive to receive (RFC 9113, 10.5).  A
 * connection has an allowance for each kind, which is refilled over time.  When one is used up, the
 * connection ends with GOAWAY(ENHANCE_YOUR_CALM). */
#ifndef LW_NET_H2_H2_ABUSE_H
#define LW_NET_H2_H2_ABUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nghttp2/nghttp2.h>

enum {
    LW_H2_RESETS_BURST = 500, /* streams that a client may reset in a burst */
    LW_H2_RESETS_PER_S = 100, /* and on average */
    /* Header blocks that are larger than LW_HTTP_HEAD_MAX or have too many fields.  They get a
     * reply with status 431, or none if they are trailers. */
    LW_H2_OVERSIZED_BURST = 10,
    LW_H2_OVERSIZED_PER_S = 1,
    /* A header block that is this many times larger ends the connection: decoding stops. */
    LW_H2_OVERSIZED_FACTOR = 2,
    /* Replies with status 401: each costs the client a few bytes. */
    LW_H2_UNAUTHORIZED_BURST = 500,
    LW_H2_UNAUTHORIZED_PER_S = 50,
    /* Frames without content: PING, SETTINGS, WINDOW_UPDATE, PRIORITY, RST_STREAM, CONTINUATION,
     * unknown types, and DATA with little in it. */
    LW_H2_FRAMES_BURST = 10000,
    LW_H2_FRAMES_PER_S = 1000,
    /* Added for each frame of a reply: a client may answer each with several WINDOW_UPDATE. */
    LW_H2_FRAMES_PER_REPLY_FRAME = 8,
    LW_H2_SMALL_DATA = 16, /* DATA with fewer bytes counts as a frame without content */
};

/* A token bucket. */
typedef struct lw_h2_allowance {
    int64_t since_ns; /* when it was last refilled */
    unsigned left;
} lw_h2_allowance;

/* What one connection has left. */
typedef struct lw_h2_abuse {
    lw_h2_allowance resets, oversized, unauthorized, frames;
    size_t fields; /* of the header block that is being read */
    size_t bytes;
    bool is_flood; /* an allowance is used up: the connection ends */
} lw_h2_abuse;

void lw_h2_abuse_init(lw_h2_abuse *abuse, int64_t now_ns);

/* A header block begins. */
void lw_h2_abuse_begin_block(lw_h2_abuse *abuse);

/* The functions below count something that the client has sent.  False: the connection must end;
 * |is_flood| is then set. */

/* A field of a header block with |size| bytes of name and value. */
bool lw_h2_abuse_count_field(lw_h2_abuse *abuse, size_t size, int64_t now_ns);
bool lw_h2_abuse_count_frame(lw_h2_abuse *abuse, const nghttp2_frame_hd *frame, int64_t now_ns);
bool lw_h2_abuse_count_reset(lw_h2_abuse *abuse, int64_t now_ns);
/* A request that was refused with status 401. */
bool lw_h2_abuse_count_unauthorized(lw_h2_abuse *abuse, int64_t now_ns);

/* A frame of a reply was sent. */
void lw_h2_abuse_reply_frame(lw_h2_abuse *abuse);

#endif
