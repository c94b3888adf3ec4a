/* SPDX-License-Identifier: Apache-2.0 */
/* service_account.h -- gives a new pod its service account: the name, the volume with a token, and
 * the image pull secrets.  Names and messages are those of kube-apiserver's admission plugin
 * ServiceAccount. */
#ifndef LW_API_ADMISSION_SERVICE_ACCOUNT_H
#define LW_API_ADMISSION_SERVICE_ACCOUNT_H

#include "api/pending/pending_object.h"

/* Changes a new pod named |name|.  False: its account does not exist, or cannot be looked up;
 * |status| has the reason (403, 500, 503). */
bool lw_service_account_admits(lw_pending_object *pending, lw_str name, lw_api_status *status);

#endif
