/* SPDX-License-Identifier: Apache-2.0 */
/* authn_users.h -- each user once, kept as long as the server lives.
 *
 * A request may outlive the connection and the token file that said whose it is; a user from here
 * outlives both.  Any thread. */
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

/* The kept twin of |user|, who is in the group of all known ones besides.  Groups beyond
 * LW_USER_GROUPS_MAX are left out.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_authn_users_keep(lw_authn_users *users, const lw_user *user, const lw_user **kept);

#endif
