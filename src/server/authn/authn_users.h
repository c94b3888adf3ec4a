/* SPDX-License-Identifier: Apache-2.0 */
/* authn_users.h -- stores each user once, however many requests it has.
 *
 * A request may outlive its connection and the version of the token file that identified its user:
 * it holds a reference.  Users that nobody holds make room when the table is full.  Any thread. */
#ifndef LW_SERVER_AUTHN_AUTHN_USERS_H
#define LW_SERVER_AUTHN_AUTHN_USERS_H

#include "api/context/user.h"
#include "base/map.h"
#include "base/sync.h"

enum {
    LW_USERS_MAX = 65536, /* with requests at the same time */
};

typedef struct lw_authn_users {
    lw_mutex mu; /* guards all */
    lw_map all;  /* of lw_user, one reference each */
} lw_authn_users;

void lw_authn_users_init(lw_authn_users *users);
void lw_authn_users_done(lw_authn_users *users);

/* Returns the stored copy of |user|, with the group system:authenticated added, which the caller
 * unrefs.  Groups beyond LW_USER_GROUPS_MAX are left out.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_authn_users_keep(lw_authn_users *users, const lw_user *user, const lw_user **kept);

/* As lw_authn_users_keep, with the groups as they are. */
lw_status lw_authn_users_keep_exactly(lw_authn_users *users, const lw_user *user,
                                      const lw_user **kept);

#endif
