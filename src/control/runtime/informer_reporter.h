/* SPDX-License-Identifier: Apache-2.0 */
/* informer_reporter.h -- reports the state of the informers to the server every two seconds, for
 * its page.  Stops if the server does not support it. */
#ifndef LW_CONTROL_RUNTIME_INFORMER_REPORTER_H
#define LW_CONTROL_RUNTIME_INFORMER_REPORTER_H

#include "runtime/controller.h"

typedef struct lw_informer_reporter lw_informer_reporter;

/* Starts the reporter's thread.  LW_ERR_NOMEM, LW_ERR_IO (no thread). */
lw_status lw_informer_reporter_start(lw_informer_reporter **out, const lw_control_env *env,
                                     lw_error *err);

/* Stops it after the current request.  NULL does nothing. */
void lw_informer_reporter_stop(lw_informer_reporter *reporter);

#endif
