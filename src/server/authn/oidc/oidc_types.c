/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_types.c -- the types of |claims| and |user|. */
#include "server/authn/oidc/oidc_types.h"

static const lw_cel_type claim = {
    .kind = LW_CEL_DYN, .elem = &claim, .has_doubles = true, .max_size = LW_CEL_UNBOUNDED
};
static const lw_cel_type claims = {
    .kind = LW_CEL_MAP, .key = &lw_cel_string, .elem = &claim, .max_size = LW_CEL_UNBOUNDED
};
const lw_cel_variable lw_oidc_claims_variable = { LW_STR_INIT("claims"), &claims };

static const lw_cel_type texts = { .kind = LW_CEL_LIST,
                                   .elem = &lw_cel_string,
                                   .max_size = LW_CEL_UNBOUNDED };
static const lw_cel_type extra = {
    .kind = LW_CEL_MAP, .key = &lw_cel_string, .elem = &texts, .max_size = LW_CEL_UNBOUNDED
};
static const lw_cel_field user_fields[] = {
    { LW_STR_INIT("extra"), LW_STR_INIT("extra"), &extra },
    { LW_STR_INIT("groups"), LW_STR_INIT("groups"), &texts },
    { LW_STR_INIT("uid"), LW_STR_INIT("uid"), &lw_cel_string },
    { LW_STR_INIT("username"), LW_STR_INIT("username"), &lw_cel_string },
};
static const lw_cel_type user = { .kind = LW_CEL_OBJECT,
                                  .fields = user_fields,
                                  .field_count = sizeof(user_fields) / sizeof(user_fields[0]),
                                  .max_size = LW_CEL_UNBOUNDED };
const lw_cel_variable lw_oidc_user_variable = { LW_STR_INIT("user"), &user };
