/* SPDX-License-Identifier: Apache-2.0 */
/* crew.h -- a few threads that do the same work at the same time. */
#ifndef LW_TESTS_THREAD_CREW_H
#define LW_TESTS_THREAD_CREW_H

#include "base/sync.h"
#include "unit/test.h"

enum {
    CREW_SIZE = 4,
};

/* Runs |work(arg)| in CREW_SIZE threads and waits for all of them.  cmocka's assertions belong to
 * the test's own thread: workers note what they see, the test judges it afterwards. */
static inline void crew_run(void (*work)(void *arg), void *arg)
{
    lw_thread crew[CREW_SIZE];
    for (int i = 0; i < CREW_SIZE; i++)
        assert_int_equal(lw_thread_start(&crew[i], "crew", work, arg, NULL), LW_OK);
    for (int i = 0; i < CREW_SIZE; i++)
        lw_thread_join(&crew[i]);
}

#endif
