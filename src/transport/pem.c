/* SPDX-License-Identifier: Apache-2.0 */
/* pem.c -- checks certificates and keys: only the PEM boundaries (RFC 7468), not their content. */
#include "transport/upstream.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"

static const lw_str begin_mark = LW_STR_INIT("-----BEGIN ");
static const lw_str end_mark = LW_STR_INIT("-----END ");
static const lw_str dashes = LW_STR_INIT("-----");

static bool contains(lw_str text, lw_str part)
{
    return part.len <= text.len && memmem(text.ptr, text.len, part.ptr, part.len) != NULL;
}

/* Removes |*text| up to and including |mark|; false if it is not there. */
static bool skip_past(lw_str *text, lw_str mark)
{
    const char *at = text->len > 0 ? memmem(text->ptr, text->len, mark.ptr, mark.len) : NULL;
    if (!at)
        return false;
    *text = lw_str_skip(*text, (size_t)(at - text->ptr) + mark.len);
    return true;
}

/* Gets the next block: its label and the text between its boundaries. */
static bool next_block(lw_str *pem, lw_str *label, lw_str *inner)
{
    if (!skip_past(pem, begin_mark))
        return false;
    lw_str rest = *pem;
    if (!skip_past(&rest, dashes))
        return false;
    *label = lw_str_make(pem->ptr, (size_t)(rest.ptr - pem->ptr) - dashes.len);
    *pem = rest;
    if (!skip_past(&rest, end_mark))
        return false;
    *inner = lw_str_make(pem->ptr, (size_t)(rest.ptr - pem->ptr) - end_mark.len);
    *pem = rest;
    return lw_str_starts_with(rest, *label);
}

static lw_status find_block(lw_str pem, lw_str suffix, lw_str *label, lw_str *inner)
{
    while (next_block(&pem, label, inner))
        if (lw_str_ends_with(*label, suffix) && !lw_str_is_empty(lw_str_trim(*inner)))
            return LW_OK;
    return LW_ERR_INVALID;
}

lw_status lw_pem_check_certificate(lw_str pem, const char *what, lw_error *err)
{
    lw_str label, inner;
    if (find_block(pem, LW_STR("CERTIFICATE"), &label, &inner) < 0)
        return lw_error_set(err, LW_ERR_INVALID, "%s contains no PEM certificate", what);
    return LW_OK;
}

lw_status lw_pem_check_key(lw_str pem, const char *what, lw_error *err)
{
    lw_str label, inner;
    if (find_block(pem, LW_STR("PRIVATE KEY"), &label, &inner) < 0)
        return lw_error_set(err, LW_ERR_INVALID, "%s contains no PEM private key", what);
    if (contains(label, LW_STR("ENCRYPTED")) || contains(inner, LW_STR("Proc-Type: 4,ENCRYPTED")))
        return lw_error_set(err, LW_ERR_INVALID,
                            "%s is encrypted with a passphrase; use an unencrypted key", what);
    return LW_OK;
}
