/* SPDX-License-Identifier: Apache-2.0 */
/* authn_users.h -- stores each user once, for the lifetime of the server.
 *
 * A request may outlive its connection and the version of the token file that identified its user;
 * users stored here outlive both.  Any thread. */
#ifndef LW_SERVER_AUTHN_AUTHN_USERS_H
#define LW_SERVER_AUTHN_AUTHN_USERS_H

#include "api/context/user.h"
#include "base/map.h"
#include "base/sync.h"

enum {
    LW_USERS_MAX = 65536,
};

typedef struct lw_authn_users {
    lw_mutex mu; /* guards all */
    lw_map all;
} lw_authn_users;

void lw_authn_users_init(lw_authn_users *users);
void lw_authn_users_done(lw_authn_users *users);

/* Returns the stored copy of |user|, with the group system:authenticated added.  Groups beyond
 * LW_USER_GROUPS_MAX are left out.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_authn_users_keep(lw_authn_users *users, const lw_user *user, const lw_user **kept);

#endif
