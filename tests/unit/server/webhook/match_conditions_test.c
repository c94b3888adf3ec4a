/* SPDX-License-Identifier: Apache-2.0 */
/* match_conditions_test.c -- which requests the match conditions of a webhook choose. */
#include "server/webhook/match_conditions.h"

#include "base/str.h"
#include "unit/test.h"

static const char pods[] =
    "{\"resourceAttributes\":{\"namespace\":\"default\",\"verb\":\"list\",\"resource\":\"pods\","
    "\"fieldSelector\":{\"requirements\":[{\"key\":\"metadata.name\",\"operator\":\"In\","
    "\"values\":[\"x\"]}]}},\"user\":\"ann\",\"groups\":[\"team\"],\"extra\":{\"k\":[\"v\"]}}";
static const char path[] = "{\"nonResourceAttributes\":{\"path\":\"/api\",\"verb\":\"get\"}}";

static lw_match_result eval(const char *spec, const char *first, const char *second, lw_buf *error)
{
    const lw_str expressions[] = { lw_str_of(first), lw_str_of(second ? second : "") };
    lw_match_conditions *conditions = NULL;
    size_t failed = 0;
    lw_buf why;
    lw_buf_init(&why, 4096);
    lw_status st = lw_match_conditions_new(&conditions, expressions, second ? 2 : 1, &failed, &why);
    if (st < 0)
        fail_msg("%s: %.*s", first, LW_STR_ARG(lw_buf_view(&why)));
    lw_match_result result = lw_match_conditions_eval(conditions, lw_str_of(spec), error);
    lw_match_conditions_free(conditions);
    lw_buf_done(&why);
    return result;
}

static void requests_match_by_what_they_are(void **state)
{
    static const struct {
        const char *spec, *expression;
        lw_match_result result;
    } rows[] = {
        { pods, "has(request.resourceAttributes)", LW_MATCH_YES },
        { path, "has(request.resourceAttributes)", LW_MATCH_NO },
        { path, "request.nonResourceAttributes.path == '/api'", LW_MATCH_YES },
        { pods, "request.resourceAttributes.namespace == 'default'", LW_MATCH_YES },
        { pods, "request.resourceAttributes.subresource == ''", LW_MATCH_YES },
        { pods, "request.resourceAttributes.resource in ['pods', 'nodes']", LW_MATCH_YES },
        { pods, "'team' in request.groups && request.uid == ''", LW_MATCH_YES },
        { path, "request.groups.size() == 0 && request.extra.size() == 0", LW_MATCH_YES },
        { pods, "request.extra['k'] == ['v']", LW_MATCH_YES },
        { pods, "request.resourceAttributes.fieldSelector.requirements[0].values[0] == 'x'",
          LW_MATCH_YES },
        { pods, "has(request.resourceAttributes.labelSelector)", LW_MATCH_NO },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (eval(rows[i].spec, rows[i].expression, NULL, NULL) != rows[i].result)
            fail_msg("%s", rows[i].expression);
    }
}

static void an_error_counts_unless_another_condition_is_false(void **state)
{
    lw_buf error;
    (void)state;
    lw_buf_init(&error, 4096);
    assert_int_equal(eval(path, "request.extra['x'] == ['y']", "true", &error), LW_MATCH_FAILED);
    assert_true(lw_str_equal(lw_buf_view(&error),
                             LW_STR("cel evaluation error: expression 'request.extra['x'] == "
                                    "['y']' resulted in error: no such key: x")));
    lw_buf_reset(&error);
    assert_int_equal(eval(path, "request.extra['x'] == ['y']", "false", &error), LW_MATCH_NO);
    assert_int_equal(error.len, 0);
    lw_buf_done(&error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_match_by_what_they_are),
        cmocka_unit_test(an_error_counts_unless_another_condition_is_false),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
