/* SPDX-License-Identifier: Apache-2.0 */
/* controller_users.h -- who the controllers of the server are to admission webhooks and policies:
 * the service accounts that the controllers of kube-controller-manager use. */
#ifndef LW_API_LIFECYCLE_CONTROLLER_USERS_H
#define LW_API_LIFECYCLE_CONTROLLER_USERS_H

#include "api/context/user.h"

extern const lw_user lw_user_garbage_collector, lw_user_namespace_controller;

#endif
