/* SPDX-License-Identifier: Apache-2.0 */
/* user_names.h -- each user's name once, kept as long as the server lives.
 *
 * A request may outlive the connection and the token file that said whose it is; a name from here
 * outlives both.  Any thread. */
#ifndef LW_SERVER_USER_NAMES_H
#define LW_SERVER_USER_NAMES_H

#include "base/map.h"
#include "base/sync.h"

enum {
    LW_USER_NAMES_MAX = 65536,
};

typedef struct lw_user_names {
    lw_mutex mu; /* guards by_name */
    lw_map by_name;
} lw_user_names;

void lw_user_names_init(lw_user_names *names);
void lw_user_names_done(lw_user_names *names);

/* The kept twin of |name|.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_user_names_keep(lw_user_names *names, lw_str name, lw_str *kept);

#endif
