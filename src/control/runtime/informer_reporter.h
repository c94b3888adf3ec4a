/* SPDX-License-Identifier: Apache-2.0 */
/* informer_reporter.h -- tells the server every two seconds how the informers are, so that its page
 * can show it.  A server that has no such page is told no more. */
#ifndef LW_CONTROL_RUNTIME_INFORMER_REPORTER_H
#define LW_CONTROL_RUNTIME_INFORMER_REPORTER_H

#include "runtime/controller.h"

typedef struct lw_informer_reporter lw_informer_reporter;

/* Begins, on a thread of its own.  LW_ERR_NOMEM, LW_ERR_IO (no thread). */
lw_status lw_informer_reporter_start(lw_informer_reporter **out, const lw_control_env *env,
                                     lw_error *err);

/* Ends it, after the request it is at.  NULL does nothing. */
void lw_informer_reporter_stop(lw_informer_reporter *reporter);

#endif
