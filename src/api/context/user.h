/* SPDX-License-Identifier: Apache-2.0 */
/* user.h -- the identity of an authenticated user.
 *
 * Users are immutable.  Those that outlive the function that makes them are shared by references;
 * static ones and those on a stack have no reference count, and ref and unref do nothing. */
#ifndef LW_API_CONTEXT_USER_H
#define LW_API_CONTEXT_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/ref.h"

#define LW_USER_ADMIN            "system:admin"
#define LW_USER_ANONYMOUS        "system:anonymous"

#define LW_GROUP_MASTERS         "system:masters"
#define LW_GROUP_AUTHENTICATED   "system:authenticated"
#define LW_GROUP_UNAUTHENTICATED "system:unauthenticated"

enum {
    LW_USER_GROUPS_MAX = 256, /* tokens of Microsoft Entra ID have up to 200 */
    LW_USER_EXTRAS_MAX = 64,  /* keys; and values of each */
};

/* Something else that is known about a user: "authentication.kubernetes.io/pod-name". */
typedef struct lw_user_extra {
    lw_str key;
    const lw_str *values;
    size_t count;
} lw_user_extra;

typedef struct lw_user {
    lw_str name;
    lw_str uid; /* may be empty */
    const lw_str *groups;
    size_t group_count; /* at most LW_USER_GROUPS_MAX */
    const lw_user_extra *extras;
    size_t extra_count; /* at most LW_USER_EXTRAS_MAX */
    lw_ref *refs;       /* NULL: not counted */
} lw_user;

/* Copies |user| into a block of its own, with one reference.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_user_copy(const lw_user **out, const lw_user *user);
const lw_user *lw_user_ref(const lw_user *user);
void lw_user_unref(const lw_user *user); /* NULL does nothing */

/* Returns the number of a user that was made by lw_user_copy, which no other user has, now or
 * later; 0: |user| has none, because it is another struct, even one with the same contents. */
uint64_t lw_user_id(const lw_user *user);

/* Returns true if everything about |a| and |b| is equal, in the same order. */
bool lw_user_equal(const lw_user *a, const lw_user *b);

#endif
