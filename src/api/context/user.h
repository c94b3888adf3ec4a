/* SPDX-License-Identifier: Apache-2.0 */
/* user.h -- the identity of an authenticated user. */
#ifndef LW_API_CONTEXT_USER_H
#define LW_API_CONTEXT_USER_H

#include <stddef.h>

#include <listwatch/str.h>

#define LW_USER_ADMIN            "system:admin"
#define LW_USER_ANONYMOUS        "system:anonymous"

#define LW_GROUP_MASTERS         "system:masters"
#define LW_GROUP_AUTHENTICATED   "system:authenticated"
#define LW_GROUP_UNAUTHENTICATED "system:unauthenticated"

enum {
    LW_USER_GROUPS_MAX = 64,
};

typedef struct lw_user {
    lw_str name;
    lw_str uid; /* may be empty */
    const lw_str *groups;
    size_t group_count; /* at most LW_USER_GROUPS_MAX */
} lw_user;

#endif
