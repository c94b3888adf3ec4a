/* SPDX-License-Identifier: Apache-2.0 */
/* controller_users.c -- the users; static, so that nothing counts references to them. */
#include "api/lifecycle/controller_users.h"

#define GROUP "system:serviceaccounts"
#define SPACE "kube-system"

static const lw_str groups[] = { LW_STR_INIT(GROUP), LW_STR_INIT(GROUP ":" SPACE),
                                 LW_STR_INIT(LW_GROUP_AUTHENTICATED) };

enum {
    GROUPS = sizeof(groups) / sizeof(groups[0]),
};

const lw_user lw_user_garbage_collector = {
    .name = LW_STR_INIT("system:serviceaccount:" SPACE ":generic-garbage-collector"),
    .groups = groups,
    .group_count = GROUPS,
};
const lw_user lw_user_namespace_controller = {
    .name = LW_STR_INIT("system:serviceaccount:" SPACE ":namespace-controller"),
    .groups = groups,
    .group_count = GROUPS,
};
