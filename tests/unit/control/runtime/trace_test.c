/* SPDX-License-Identifier: Apache-2.0 */
/* trace_test.c -- each step is reported with the informer whose event caused it, and the time
 * since. */
#include "control/runtime/trace.h"

#include <listwatch/sys/clock.h>

#include "unit/test.h"

typedef struct seen {
    unsigned count;
    char informer[32];
    int64_t after_ns;
} seen;

static void on_step(const lw_control_step *step, void *arg)
{
    seen *s = arg;
    s->count++;
    (void)strncpy(s->informer, step->informer, sizeof(s->informer) - 1);
    s->after_ns = step->after_ns;
}

static void a_step_has_the_first_cause_since_the_key_was_last_begun(void **state)
{
    (void)state;
    seen s = { 0, "", 0 };
    lw_manual_clock *clock = NULL;
    lw_trace *trace = NULL;
    const lw_key key = lw_key_make("ns", "web");
    assert_int_equal(lw_manual_clock_new(&clock, 0), LW_OK);
    assert_int_equal(lw_trace_new(&trace, on_step, &s, lw_manual_clock_as_clock(clock), NULL),
                     LW_OK);

    lw_trace_note(trace, "replicaset", "replicasets.apps", "ns/web");
    lw_manual_clock_advance(clock, 5);
    lw_trace_note(trace, "replicaset", "pods", "ns/web");
    lw_trace_begin(trace, "replicaset", key);
    lw_trace_note(trace, "replicaset", "pods", "ns/web"); /* for the next time */
    lw_manual_clock_advance(clock, 2);
    lw_trace_step(trace, "replicaset", "created", "Pod", key, NULL);
    assert_string_equal(s.informer, "replicasets.apps");
    assert_int_equal(s.after_ns, 7);

    lw_trace_begin(trace, "replicaset", key);
    lw_trace_step(trace, "replicaset", "created", "Pod", key, NULL);
    assert_string_equal(s.informer, "pods");
    assert_int_equal(s.after_ns, 2);

    lw_trace_begin(trace, "deployment", key); /* it was not recorded */
    lw_trace_step(trace, "deployment", "created", "ReplicaSet", key, NULL);
    assert_string_equal(s.informer, "");
    assert_int_equal(s.count, 3);
    lw_trace_free(trace);
    lw_manual_clock_free(clock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_step_has_the_first_cause_since_the_key_was_last_begun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
