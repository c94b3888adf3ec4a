/* SPDX-License-Identifier: Apache-2.0 */
/* token_cleaner.h -- deletes bootstrap tokens when they expire.
 *
 * Threads: those of the port's loop. */
#ifndef LW_API_CERTIFICATES_TOKEN_CLEANER_H
#define LW_API_CERTIFICATES_TOKEN_CLEANER_H

#include "api/context/port.h"

typedef struct lw_token_cleaner lw_token_cleaner;

LW_MUST_CHECK lw_status lw_token_cleaner_new(lw_token_cleaner **out, lw_api_port *port);

/* In all of them, a cleaner that is NULL does nothing. */

/* Sees a change of any object.  LW_ERR_NOMEM: the change is lost; forget, and begin again. */
LW_MUST_CHECK lw_status lw_token_cleaner_observe(lw_token_cleaner *cleaner, const lw_kind *kind,
                                                 const lw_cache_event *event);

/* Starts what is due. */
void lw_token_cleaner_pump(lw_token_cleaner *cleaner);

/* Changes were missed: forgets all tokens. */
void lw_token_cleaner_forget(lw_token_cleaner *cleaner);

/* Starts nothing from now on. */
void lw_token_cleaner_stop(lw_token_cleaner *cleaner);

/* After its writes are over. */
void lw_token_cleaner_free(lw_token_cleaner *cleaner);

#endif
