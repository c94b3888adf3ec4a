/* SPDX-License-Identifier: Apache-2.0 */
/* account_check.h -- checks of a verified token that are made with each use: its times, and the
 * objects that it names.
 *
 * LW_ERR_EXPIRED means that the token will never be valid again; LW_ERR_INVALID that it is not
 * valid now.  The message says why. */
#ifndef LW_SERVER_AUTHN_ACCOUNT_CHECK_H
#define LW_SERVER_AUTHN_ACCOUNT_CHECK_H

#include "server/authn/account_authn.h"
#include "server/authn/account_cache.h"

LW_MUST_CHECK lw_status lw_account_check_times(const lw_account_claims *claims, int64_t now_s,
                                               lw_error *err);

/* Checks that the account and the object that |entry| is bound to exist, with the same UID, and
 * were not deleted before; and that the Secret of a legacy token has this |token|.  Also the errors
 * of lw_token_objects. */
LW_MUST_CHECK lw_status lw_account_check_objects(const lw_token_objects *objects,
                                                 lw_verified_token *entry, lw_str token,
                                                 int64_t now_s, lw_error *err);

#endif
