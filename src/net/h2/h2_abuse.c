/* SPDX-License-Identifier: Apache-2.0 */
/* h2_abuse.c -- counts what an HTTP/2 client sends against its allowances. */
#include "net/h2/h2_abuse.h"

#include "base/clock.h"
#include "net/h2/h2_head.h"

static bool take(lw_h2_abuse *abuse, lw_h2_allowance *allowance, unsigned burst, unsigned per_s,
                 int64_t now_ns)
{
    int64_t passed = now_ns - allowance->since_ns;
    if (passed >= LW_NS_PER_S) {
        int64_t left = allowance->left + passed / LW_NS_PER_S * per_s;
        allowance->left = left < burst ? (unsigned)left : burst;
        allowance->since_ns = now_ns;
    }
    if (allowance->left == 0) {
        abuse->is_flood = true;
        return false;
    }
    allowance->left--;
    return true;
}

void lw_h2_abuse_init(lw_h2_abuse *abuse, int64_t now_ns)
{
    *abuse = (lw_h2_abuse){
        .resets = { now_ns, LW_H2_RESETS_BURST },
        .oversized = { now_ns, LW_H2_OVERSIZED_BURST },
        .unauthorized = { now_ns, LW_H2_UNAUTHORIZED_BURST },
        .frames = { now_ns, LW_H2_FRAMES_BURST },
    };
}

void lw_h2_abuse_begin_block(lw_h2_abuse *abuse)
{
    abuse->fields = abuse->bytes = 0;
}

/* True if the block is larger than |times| the limit. */
static bool is_above(const lw_h2_abuse *abuse, size_t times)
{
    return abuse->fields > times * LW_H2_FIELDS_MAX || abuse->bytes > times * LW_HTTP_HEAD_MAX;
}

bool lw_h2_abuse_count_field(lw_h2_abuse *abuse, size_t size, int64_t now_ns)
{
    bool was_above = is_above(abuse, 1);
    abuse->fields++;
    abuse->bytes += size + LW_H2_FIELD_OVERHEAD;
    if (is_above(abuse, LW_H2_OVERSIZED_FACTOR)) {
        abuse->is_flood = true;
        return false;
    }
    return was_above || !is_above(abuse, 1) ||
           take(abuse, &abuse->oversized, LW_H2_OVERSIZED_BURST, LW_H2_OVERSIZED_PER_S, now_ns);
}

bool lw_h2_abuse_count_frame(lw_h2_abuse *abuse, const nghttp2_frame_hd *frame, int64_t now_ns)
{
    bool has_content = frame->type == NGHTTP2_HEADERS ||
                       (frame->type == NGHTTP2_DATA && (frame->length >= LW_H2_SMALL_DATA ||
                                                        frame->flags & NGHTTP2_FLAG_END_STREAM));
    return has_content ||
           take(abuse, &abuse->frames, LW_H2_FRAMES_BURST, LW_H2_FRAMES_PER_S, now_ns);
}

bool lw_h2_abuse_count_reset(lw_h2_abuse *abuse, int64_t now_ns)
{
    return take(abuse, &abuse->resets, LW_H2_RESETS_BURST, LW_H2_RESETS_PER_S, now_ns);
}

bool lw_h2_abuse_count_unauthorized(lw_h2_abuse *abuse, int64_t now_ns)
{
    return take(abuse, &abuse->unauthorized, LW_H2_UNAUTHORIZED_BURST, LW_H2_UNAUTHORIZED_PER_S,
                now_ns);
}

void lw_h2_abuse_reply_frame(lw_h2_abuse *abuse)
{
    unsigned left = abuse->frames.left + LW_H2_FRAMES_PER_REPLY_FRAME;
    abuse->frames.left = left < LW_H2_FRAMES_BURST ? left : LW_H2_FRAMES_BURST;
}
