/* SPDX-License-Identifier: Apache-2.0 */
/* key.c -- keys of objects. */
#include "object/key.h"

#include "base/error.h"
#include "base/str.h"
#include "object/quote.h"

int lw_key_compare(lw_key a, lw_key b)
{
    int order = lw_str_compare(a.ns, b.ns);
    return order != 0 ? order : lw_str_compare(a.name, b.name);
}

static lw_status refuse(lw_str text, lw_error *err)
{
    lw_buf quoted;
    lw_buf_init(&quoted, 2 * LW_ERROR_MESSAGE_SIZE);
    lw_quote_append(&quoted,
                    lw_str_make(text.ptr, text.len > LW_ERROR_MESSAGE_SIZE ? LW_ERROR_MESSAGE_SIZE
                                                                           : text.len));
    lw_status st = quoted.st == LW_ERR_NOMEM
                       ? lw_error_nomem(err)
                       : lw_error_set(err, LW_ERR_INVALID, "unexpected key format: %.*s",
                                      LW_STR_ARG(lw_buf_view(&quoted)));
    lw_buf_done(&quoted);
    return st;
}

lw_status lw_key_parse(lw_str text, lw_key *key, lw_error *err)
{
    lw_str head, tail;
    if (!lw_str_cut(text, '/', &head, &tail)) {
        key->ns = lw_str_make(NULL, 0);
        key->name = text;
        return LW_OK;
    }
    if (tail.len > 0 && memchr(tail.ptr, '/', tail.len))
        return refuse(text, err);
    key->ns = head;
    key->name = tail;
    return LW_OK;
}

static size_t put(char *dst, size_t size, size_t at, lw_str s)
{
    if (at + 1 < size && s.len > 0)
        memcpy(dst + at, s.ptr, s.len < size - 1 - at ? s.len : size - 1 - at);
    return at + s.len;
}

size_t lw_key_print(lw_key key, char *dst, size_t size)
{
    size_t len = 0;
    if (key.ns.len > 0) {
        len = put(dst, size, len, key.ns);
        len = put(dst, size, len, LW_STR("/"));
    }
    len = put(dst, size, len, key.name);
    if (size > 0)
        dst[len < size ? len : size - 1] = '\0';
    return len;
}

uint64_t lw_key_hash(lw_hash_seed seed, lw_key key)
{
    /* The name is hashed with a seed that depends on the namespace, so that "a" in "bc" and "ab" in
     * "c" have different hashes. */
    seed.k1 ^= lw_hash_str(seed, key.ns);
    return lw_hash_str(seed, key.name);
}
