/* SPDX-License-Identifier: Apache-2.0 */
/* controller_set.h -- which of the server's own controllers run: those that in Kubernetes belong to
 * kube-controller-manager.  Names and short names are those of its --controllers. */
#ifndef LW_API_CONTEXT_CONTROLLER_SET_H
#define LW_API_CONTEXT_CONTROLLER_SET_H

#include <listwatch/error.h>
#include <listwatch/str.h>

/* One bit each. */
typedef enum lw_controller {
    LW_CONTROLLER_GC = 1 << 0,
    LW_CONTROLLER_NAMESPACE = 1 << 1,
    LW_CONTROLLER_QUOTA = 1 << 2,
    LW_CONTROLLER_ROLE_AGGREGATION = 1 << 3,
    LW_CONTROLLER_TOKEN_SECRETS = 1 << 4,
    LW_CONTROLLER_CSR = 1 << 5,
    LW_CONTROLLER_TOKEN_CLEANER = 1 << 6,
    LW_CONTROLLER_ACCOUNTS = 1 << 7,
    LW_CONTROLLER_ROOT_CA = 1 << 8,
    LW_CONTROLLER_CLAIM_PROTECTION = 1 << 9,
    LW_CONTROLLER_VOLUME_PROTECTION = 1 << 10,
    LW_CONTROLLER_POLICY_STATUS = 1 << 11,
    LW_CONTROLLERS_ALL = (1 << 12) - 1,
} lw_controller;

/* Parses a list such as "*", "namespace,garbagecollector" or "-garbagecollector,-namespace": '*'
 * means all, a name with '-' is left out, and a list of such names alone means all others.  Empty:
 * all.  LW_ERR_INVALID: the message has the names. */
LW_MUST_CHECK lw_status lw_controller_set_parse(unsigned *set, lw_str list, lw_error *err);

#endif
