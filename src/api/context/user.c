/* SPDX-License-Identifier: Apache-2.0 */
/* user.c -- copies, compares and frees users. */
#include "api/context/user.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

/* A copied user: one block.  The lists follow the struct, then all texts. */
typedef struct counted_user {
    lw_user user; /* first */
    lw_ref refs;
    uint64_t id;
} counted_user;

static atomic_uint_least64_t last_id;

/* The free parts of the block. */
typedef struct block {
    lw_user_extra *next_extra;
    lw_str *next_text;
    char *next_byte;
} block;

static lw_str copy_text(block *b, lw_str text)
{
    lw_str copy = lw_str_make(b->next_byte, text.len);
    if (text.len > 0)
        memcpy(b->next_byte, text.ptr, text.len);
    b->next_byte += text.len;
    return copy;
}

static const lw_str *copy_texts(block *b, const lw_str *texts, size_t count)
{
    lw_str *copies = b->next_text;
    b->next_text += count;
    for (size_t i = 0; i < count; i++)
        copies[i] = copy_text(b, texts[i]);
    return copies;
}

static size_t bytes_of(const lw_str *texts, size_t count)
{
    size_t bytes = count * sizeof(lw_str);
    for (size_t i = 0; i < count; i++)
        bytes += texts[i].len;
    return bytes;
}

lw_status lw_user_copy(const lw_user **out, const lw_user *user)
{
    size_t lists = user->group_count;
    size_t bytes = user->name.len + user->uid.len + bytes_of(user->groups, user->group_count) +
                   user->extra_count * sizeof(lw_user_extra);
    for (size_t i = 0; i < user->extra_count; i++) {
        bytes += user->extras[i].key.len + bytes_of(user->extras[i].values, user->extras[i].count);
        lists += user->extras[i].count;
    }
    counted_user *copy = lw_alloc(sizeof(*copy) + bytes);
    if (!copy)
        return LW_ERR_NOMEM;
    block b = { .next_extra = (lw_user_extra *)(void *)(copy + 1) };
    b.next_text = (lw_str *)(void *)(b.next_extra + user->extra_count);
    b.next_byte = (char *)(b.next_text + lists);
    lw_ref_init(&copy->refs);
    copy->id = atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1;
    copy->user = (lw_user){ .name = copy_text(&b, user->name),
                            .uid = copy_text(&b, user->uid),
                            .groups = copy_texts(&b, user->groups, user->group_count),
                            .group_count = user->group_count,
                            .extras = b.next_extra,
                            .extra_count = user->extra_count,
                            .refs = &copy->refs };
    for (size_t i = 0; i < user->extra_count; i++) {
        const lw_user_extra *extra = &user->extras[i];
        b.next_extra[i] = (lw_user_extra){ .key = copy_text(&b, extra->key),
                                           .values = copy_texts(&b, extra->values, extra->count),
                                           .count = extra->count };
    }
    *out = &copy->user;
    return LW_OK;
}

const lw_user *lw_user_ref(const lw_user *user)
{
    if (user->refs)
        lw_ref_inc(user->refs);
    return user;
}

void lw_user_unref(const lw_user *user)
{
    if (user && user->refs && lw_ref_dec(user->refs))
        lw_free((void *)(uintptr_t)user); /* the first member of its counted_user */
}

uint64_t lw_user_id(const lw_user *user)
{
    if (!user->refs)
        return 0;
    /* A struct that was assigned from a counted user points to the count of that one. */
    const counted_user *counted =
        (const counted_user *)(const void *)((const char *)user->refs -
                                             offsetof(counted_user, refs));
    return &counted->user == user ? counted->id : 0;
}

static bool equal_texts(const lw_str *a, size_t a_count, const lw_str *b, size_t b_count)
{
    if (a_count != b_count)
        return false;
    for (size_t i = 0; i < a_count; i++) {
        if (!lw_str_equal(a[i], b[i]))
            return false;
    }
    return true;
}

bool lw_user_equal(const lw_user *a, const lw_user *b)
{
    if (!lw_str_equal(a->name, b->name) || !lw_str_equal(a->uid, b->uid) ||
        !equal_texts(a->groups, a->group_count, b->groups, b->group_count) ||
        a->extra_count != b->extra_count)
        return false;
    for (size_t i = 0; i < a->extra_count; i++) {
        const lw_user_extra *x = &a->extras[i], *y = &b->extras[i];
        if (!lw_str_equal(x->key, y->key) || !equal_texts(x->values, x->count, y->values, y->count))
            return false;
    }
    return true;
}
