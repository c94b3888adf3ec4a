/* SPDX-License-Identifier: Apache-2.0 */
/* until.h -- watches one object until it is as expected, for `wait` and `rollout status`. */
#ifndef LISTWATCH_CLI_UNTIL_H
#define LISTWATCH_CLI_UNTIL_H

#include <stdint.h>

#include "connection.h"
#include "targets.h"

typedef enum until_verdict {
    UNTIL_DONE,
    UNTIL_NOT_YET,
    UNTIL_FAILED, /* it will never be; the callback has printed why */
} until_verdict;

/* Looks at the object; NULL: it does not exist. */
typedef until_verdict (*until_fn)(const lw_object *obj, void *arg);

/* Returns the time in milliseconds of a clock that only moves forward. */
int64_t until_now_ms(void);

/* Calls |look| with the object |t| as it is now and after each change, until it is done (LW_OK),
 * has failed (LW_ERR_STOPPED), or the time |deadline_ms| has come (LW_ERR_TIMEOUT; -1: never).
 * Otherwise the error of a request, which does not help to repeat. */
lw_status until(connection *conn, const target *t, int64_t deadline_ms, until_fn look, void *arg,
                lw_error *err);

#endif
