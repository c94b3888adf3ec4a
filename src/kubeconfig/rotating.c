/* SPDX-License-Identifier: Apache-2.0 */
/* rotating.c -- re-reads tokens and certificates.
 * Invariant: |content| is valid or empty; a half-written file does not replace it. */
#include "kubeconfig/rotating.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "kubeconfig/field.h"
#include "kubeconfig/secret.h"
#include "kubeconfig/user.h"

/* The minimum lifetime of a token is one minute; it is read again ten seconds before. */
static const int64_t token_age_ns = 50 * LW_NS_PER_S;

void lw_rotating_init(lw_rotating *rotating, lw_rotating_kind kind)
{
    *rotating = (lw_rotating){ .kind = kind, .read_ns = INT64_MIN };
    lw_buf_init(&rotating->content, LW_WHOLE_FILE_LIMIT);
}

void lw_rotating_done(lw_rotating *rotating)
{
    lw_secret_done(&rotating->content);
    lw_free(rotating->path);
    rotating->path = NULL;
}

/* Trims a token, and returns true if the content is valid. */
static bool content_is_good(lw_rotating_kind kind, lw_buf *content)
{
    if (kind == LW_ROTATING_PEM)
        return lw_pem_is_there(lw_buf_view(content));
    lw_str token = lw_str_trim(lw_buf_view(content));
    if (!lw_token_is_usable(token))
        return false;
    memmove(content->data, token.ptr, token.len);
    lw_buf_truncate(content, token.len);
    return true;
}

static lw_status read_content(lw_rotating *rotating, lw_error *err)
{
    lw_buf fresh;
    lw_file_mark mark = { 0 };
    lw_buf_init(&fresh, rotating->kind == LW_ROTATING_TOKEN ? LW_TOKEN_LIMIT : LW_WHOLE_FILE_LIMIT);
    lw_status st = lw_whole_file_read(rotating->path, &fresh, &mark, err);
    if (st == LW_OK && !content_is_good(rotating->kind, &fresh))
        st = lw_error_set(err, LW_ERR_INVALID, "%s: %s", rotating->path,
                          rotating->kind == LW_ROTATING_TOKEN
                              ? "must contain a token (one line without spaces)"
                              : "must contain PEM data (\"-----BEGIN ...\")");
    if (st == LW_OK) {
        lw_secret_move(&rotating->content, &fresh);
        rotating->mark = mark;
    }
    lw_secret_done(&fresh);
    return st;
}

lw_status lw_rotating_open_take(lw_rotating *rotating, char *path, lw_buf *fallback,
                                const char *what, lw_error *err)
{
    lw_secret_move(&rotating->content, fallback);
    rotating->path = path;
    if (!path)
        return LW_OK;
    lw_error cause = LW_ERROR_INIT;
    lw_status st = read_content(rotating, &cause);
    if (st == LW_ERR_NOMEM)
        return lw_error_nomem(err);
    if (st < 0 && rotating->content.len == 0)
        return lw_error_set(err, st == LW_ERR_INVALID ? st : LW_ERR_IO, "cannot read the %s: %s",
                            what, cause.message);
    return LW_OK;
}

static bool is_due(const lw_rotating *rotating, int64_t now_ns, bool is_forced)
{
    lw_file_mark mark = { 0 };
    if (is_forced)
        return true;
    if (rotating->kind == LW_ROTATING_TOKEN &&
        (rotating->read_ns == INT64_MIN || now_ns - rotating->read_ns >= token_age_ns))
        return true;
    return lw_file_mark_read(rotating->path, &mark) && !lw_file_mark_equal(&mark, &rotating->mark);
}

void lw_rotating_refresh(lw_rotating *rotating, int64_t now_ns, bool is_forced)
{
    if (!rotating->path || !is_due(rotating, now_ns, is_forced))
        return;
    if (read_content(rotating, NULL) == LW_OK)
        rotating->read_ns = now_ns;
}
