/* SPDX-License-Identifier: Apache-2.0 */
/* pod_security_open.h -- from the option --admission-control-config-file to the configuration of
 * the admission plugin PodSecurity. */
#ifndef LW_SERVER_SETUP_POD_SECURITY_OPEN_H
#define LW_SERVER_SETUP_POD_SECURITY_OPEN_H

#include <listwatch/server.h>

#include "api/podsecurity/pod_security_policy.h"

/* Sets |*out| to the configuration in the file that |options| (may be NULL) name; NULL: the
 * defaults.  LW_ERR_INVALID, LW_ERR_IO, LW_ERR_NOT_FOUND with the reason; LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_pod_security_open(lw_pod_security_config **out,
                                             const lw_server_webhooks *options, lw_error *err);

#endif
