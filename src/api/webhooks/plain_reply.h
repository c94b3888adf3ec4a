/* SPDX-License-Identifier: Apache-2.0 */
/* plain_reply.h -- recognizes the reply that nearly all calls of webhooks end with: allowed, and
 * nothing else. */
#ifndef LW_API_WEBHOOKS_PLAIN_REPLY_H
#define LW_API_WEBHOOKS_PLAIN_REPLY_H

#include <stdbool.h>

#include <listwatch/str.h>

/* Returns true if |json| is an AdmissionReview of admission.k8s.io/v1 that allows the request |uid|
 * and has no patch, warnings or audit annotations.  False says nothing: the reply is then read as
 * a whole (reply.h), which comes to the same result for a plain one. */
bool lw_hook_reply_is_plain(lw_str json, lw_str uid);

#endif
