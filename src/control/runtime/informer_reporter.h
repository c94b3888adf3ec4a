/* SPDX-License-Identifier: Apache-2.0 */
/* informer_reporter.h -- tells the server every two seconds how the informers are, so that its page can show
 * it.  A server that has no such page is told no more. */
#ifndef LW_CONTROL_RUNTIME_INFORMER_REPORTER_H
#define LW_CONTROL_RUNTIME_INFORMER_REPORTER_H

#include "runtime/controller.h"

typedef struct lw_herald lw_herald;

/* Begins, on a thread of its own.  LW_ERR_NOMEM, LW_ERR_IO (no thread). */
lw_status lw_herald_start(lw_herald **out, const lw_control_env *env, lw_error *err);

/* Ends it, after the request it is at.  NULL does nothing. */
void lw_herald_stop(lw_herald *herald);

#endif
