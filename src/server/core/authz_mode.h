/* SPDX-License-Identifier: Apache-2.0 */
/* authz_mode.h -- which authorization modes a server uses, and where it remembers them.
 *
 *     the option authorization_config is set       ──▶ none: see webhooks.h
 *     the option authorization_mode is set         ──▶ these
 *     DIR/authorization-mode exists                ──▶ those of the last start
 *     DIR has data of a version without this file  ──▶ AlwaysAllow, as it was
 *     otherwise (a new DIR, or none)               ──▶ Node,RBAC */
#ifndef LW_SERVER_CORE_AUTHZ_MODE_H
#define LW_SERVER_CORE_AUTHZ_MODE_H

#include <listwatch/server.h>

#include "api/authz/authz.h"

typedef struct lw_server_modes {
    lw_authz_mode modes[LW_AUTHZ_MODES_MAX];
    size_t count;
    bool is_inherited; /* the data directory is of an older version */
    bool is_new;       /* modes are to be remembered before anything is stored */
    bool is_kept;      /* the file has these modes */
} lw_server_modes;

/* Chooses the modes; before the store is opened, which creates files.  LW_ERR_INVALID: the option
 * or the file has an unknown mode.  LW_ERR_IO, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_server_choose_modes(lw_server_modes *out,
                                               const lw_server_options *options, lw_error *err);

bool lw_server_has_mode(const lw_server_modes *modes, lw_authz_mode mode);

/* Remembers the modes in a new data directory, before anything else is stored in it: a start that
 * is killed in the middle must not leave what looks like data of an older version.  With
 * authorization_config and no file yet, remembers Node,RBAC for a later start without that option.
 * Does nothing for others. */
LW_MUST_CHECK lw_status lw_server_begin_modes(lw_server_modes *modes,
                                              const lw_server_options *options, lw_error *err);

/* Remembers the modes in the data directory, if there is one, and logs them. */
LW_MUST_CHECK lw_status lw_server_keep_modes(const lw_server_modes *modes,
                                             const lw_server_options *options, lw_error *err);

#endif
