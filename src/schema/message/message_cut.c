/* SPDX-License-Identifier: Apache-2.0 */
/* message_cut.c -- cuts a stream into pieces whose heads say how long they are. */
#include "schema/message/message_cut.h"

#include "base/error.h"
#include "base/str.h"

void lw_message_cut_init(lw_message_cut *cut, size_t limit)
{
    *cut = (lw_message_cut){ .wanted = 0 };
    lw_buf_init(&cut->pending, limit + LW_MESSAGE_HEAD_MAX);
}

void lw_message_cut_done(lw_message_cut *cut)
{
    lw_buf_done(&cut->pending);
}

bool lw_message_cut_is_inside(const lw_message_cut *cut)
{
    return cut->pending.len > 0 && !cut->is_given;
}

/* Moves |count| bytes to the pending piece. */
static lw_status take(lw_message_cut *cut, lw_str *bytes, size_t count, lw_error *err)
{
    lw_buf_append(&cut->pending, bytes->ptr, count);
    *bytes = lw_str_skip(*bytes, count);
    return cut->pending.st < 0 ? lw_error_nomem(err) : LW_OK;
}

/* Completes the head of the pending piece, byte by byte: it may end anywhere. */
static lw_status take_head(lw_message_cut *cut, lw_str *bytes, lw_message_head_fn head, void *arg,
                           lw_error *err)
{
    lw_status st = LW_OK;
    while (st == LW_OK && cut->wanted == 0 && bytes->len > 0) {
        st = take(cut, bytes, 1, err);
        if (st == LW_OK)
            st = head(lw_buf_view(&cut->pending), &cut->wanted, arg, err);
    }
    return st;
}

static lw_status take_rest(lw_message_cut *cut, lw_str *bytes, lw_error *err)
{
    size_t missing = cut->wanted - cut->pending.len;
    size_t count = missing < bytes->len ? missing : bytes->len;
    return take(cut, bytes, count, err);
}

lw_status lw_message_cut_next(lw_message_cut *cut, lw_str *bytes, lw_message_head_fn head,
                              void *arg, lw_str *piece, lw_error *err)
{
    size_t size = 0;
    lw_status st = LW_OK;
    if (cut->is_given) {
        lw_buf_reset(&cut->pending);
        cut->is_given = false;
        cut->wanted = 0;
    }
    if (bytes->len == 0)
        return LW_ERR_NOT_FOUND;
    if (cut->pending.len == 0) {
        st = head(*bytes, &size, arg, err);
        if (st < 0)
            return st;
        if (size > 0 && size <= bytes->len) {
            *piece = lw_str_make(bytes->ptr, size);
            *bytes = lw_str_skip(*bytes, size);
            return LW_OK;
        }
        cut->wanted = size;
        st = take(cut, bytes, bytes->len, err);
        return st < 0 ? st : LW_ERR_NOT_FOUND;
    }
    if (cut->wanted == 0)
        st = take_head(cut, bytes, head, arg, err);
    if (st == LW_OK && cut->wanted > cut->pending.len)
        st = take_rest(cut, bytes, err);
    if (st < 0)
        return st;
    if (cut->wanted == 0 || cut->pending.len < cut->wanted)
        return LW_ERR_NOT_FOUND;
    cut->is_given = true;
    *piece = lw_buf_view(&cut->pending);
    return LW_OK;
}
