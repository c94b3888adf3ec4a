/* SPDX-License-Identifier: Apache-2.0 */
/* flow_control_test.c -- objects become a configuration; levels lend and borrow seats. */
#include "server/flowcontrol/flow_control.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "server/flowcontrol/flow_report.h"
#include "unit/test.h"

enum {
    OBJECTS_MAX = 8,
    JSON_SIZE = 1024,
};

typedef struct control_world {
    lw_manual_clock *clock;
    lw_flow_control control;
    char level_text[OBJECTS_MAX][JSON_SIZE], schema_text[OBJECTS_MAX][JSON_SIZE];
    lw_str levels[OBJECTS_MAX], schemas[OBJECTS_MAX];
    size_t level_count, schema_count;
    lw_dlist dispatched;
} control_world;

static void begin(control_world *w, uint32_t total)
{
    *w = (control_world){ .level_count = 0 };
    lw_dlist_init(&w->dispatched);
    assert_int_equal(lw_manual_clock_new(&w->clock, 0), LW_OK);
    assert_int_equal(lw_flow_control_init(&w->control, lw_manual_clock_as_clock(w->clock), total),
                     LW_OK);
}

static void end(control_world *w)
{
    lw_flow_control_done(&w->control);
    lw_manual_clock_free(w->clock);
}

/* |more| are further members of limited, after the shares. */
static void add_level(control_world *w, const char *name, int shares, const char *more)
{
    char *text = w->level_text[w->level_count];
    (void)snprintf(text, JSON_SIZE,
                   "{\"metadata\":{\"name\":\"%s\",\"uid\":\"uid-%s\"},\"spec\":{\"type\":"
                   "\"Limited\",\"limited\":{\"nominalConcurrencyShares\":%d%s,\"limitResponse\":{"
                   "\"type\":\"Queue\",\"queuing\":{\"queues\":4,\"handSize\":2,"
                   "\"queueLengthLimit\":5}}}}}",
                   name, name, shares, more);
    w->levels[w->level_count++] = lw_str_of(text);
}

static void add_schema(control_world *w, const char *name, const char *level, int precedence,
                       const char *user)
{
    char *text = w->schema_text[w->schema_count];
    (void)snprintf(text, JSON_SIZE,
                   "{\"metadata\":{\"name\":\"%s\",\"uid\":\"uid-%s\"},\"spec\":{"
                   "\"priorityLevelConfiguration\":{\"name\":\"%s\"},\"matchingPrecedence\":%d,"
                   "\"rules\":[{\"subjects\":[{\"kind\":\"User\",\"user\":{\"name\":\"%s\"}}],"
                   "\"nonResourceRules\":[{\"verbs\":[\"*\"],\"nonResourceURLs\":[\"*\"]}]}]}}",
                   name, name, level, precedence, user);
    w->schemas[w->schema_count++] = lw_str_of(text);
}

static void apply(control_world *w)
{
    assert_int_equal(lw_flow_control_apply(&w->control, w->levels, w->level_count, w->schemas,
                                           w->schema_count, &w->dispatched),
                     LW_OK);
}

static lw_flow_level *level(const control_world *w, const char *name)
{
    for (size_t i = 0; i < w->control.level_count; i++) {
        if (strcmp(w->control.levels[i]->name, name) == 0)
            return w->control.levels[i];
    }
    return NULL;
}

static void assert_matches(const control_world *w, const char *user, const char *group,
                           const char *schema)
{
    const lw_str groups[] = { lw_str_of(group) };
    const lw_user who = { .name = lw_str_of(user), .groups = groups, .group_count = 1 };
    const lw_request_info info = { .verb = LW_STR("get"), .path = LW_STR("/x") };
    const lw_flow_entry *entry = lw_flow_config_match(w->control.config, &info, &who);
    assert_true(lw_str_equal(entry->schema.name, lw_str_of(schema)));
}

/* Lets |count| requests of one seat arrive at a level, which has room for them. */
static void occupy(lw_flow_level *at, lw_flow_ticket *tickets, size_t count, lw_dlist *dispatched)
{
    static const lw_request_info info = { .verb = LW_STR_INIT("get") };
    int64_t retry_after_s;
    for (size_t i = 0; i < count; i++) {
        tickets[i] = (lw_flow_ticket){ .item = { .work = { .initial_seats = 1 } },
                                       .stats = lw_flow_level_stats(at, LW_STR("s")),
                                       .info = &info };
        assert_true(lw_flow_level_arrive(at, &tickets[i], i, dispatched, &retry_after_s) <=
                    LW_FLOW_WAIT);
    }
}

static void leave(lw_flow_level *at, lw_flow_ticket *tickets, size_t count, lw_dlist *dispatched)
{
    int64_t retry_after_s;
    for (size_t i = 0; i < count; i++) {
        if (tickets[i].item.state == LW_FLOW_ITEM_WAITING)
            (void)lw_flow_level_cancel(at, &tickets[i], true, dispatched, &retry_after_s);
    }
    for (size_t i = 0; i < count; i++) {
        if (tickets[i].item.state == LW_FLOW_ITEM_EXECUTING)
            (void)lw_flow_level_finish(at, &tickets[i], dispatched);
    }
    while (lw_dlist_pop_front(dispatched)) {
    }
}

static void the_mandatory_objects_are_in_force_without_any_object(void **state)
{
    (void)state;
    control_world w;
    begin(&w, 600);
    assert_non_null(level(&w, "exempt"));
    assert_non_null(level(&w, "catch-all"));
    assert_matches(&w, "root", "system:masters", "exempt");
    assert_matches(&w, "x", "system:authenticated", "catch-all");
    assert_matches(&w, "x", "no-group-of-the-rules", "catch-all");
    end(&w);
}

static void seats_are_shared_out_by_shares_and_rounded_up(void **state)
{
    (void)state;
    control_world w;
    begin(&w, 100);
    add_level(&w, "a", 10, ",\"lendablePercent\":50");
    add_level(&w, "b", 15, ",\"borrowingLimitPercent\":10");
    apply(&w);
    assert_int_equal(level(&w, "a")->nominal, 34); /* 100 * 10 / 30, catch-all has 5 */
    assert_int_equal(level(&w, "b")->nominal, 50);
    assert_int_equal(level(&w, "catch-all")->nominal, 17);
    assert_int_equal(level(&w, "exempt")->nominal, 0);
    assert_int_equal(level(&w, "a")->lower, 17);
    assert_int_equal(level(&w, "a")->upper, 134);
    assert_int_equal(level(&w, "b")->lower, 50);
    assert_int_equal(level(&w, "b")->upper, 55);
    end(&w);
}

static void schemas_match_in_the_order_of_their_precedence(void **state)
{
    (void)state;
    control_world w;
    begin(&w, 100);
    add_level(&w, "a", 10, "");
    add_schema(&w, "late", "a", 20, "alice");
    add_schema(&w, "early", "a", 10, "alice");
    add_schema(&w, "b-same", "a", 5, "bob");
    add_schema(&w, "a-same", "a", 5, "bob");
    apply(&w);
    assert_matches(&w, "alice", "g", "early");
    assert_matches(&w, "bob", "g", "a-same");
    assert_matches(&w, "carol", "g", "catch-all");
    end(&w);
}

static void a_schema_without_its_level_is_ignored(void **state)
{
    (void)state;
    control_world w;
    begin(&w, 100);
    add_schema(&w, "s", "missing", 10, "alice");
    apply(&w);
    assert_matches(&w, "alice", "g", "catch-all");
    assert_false(lw_flow_config_has_level(w.control.config, LW_STR("missing")));
    add_level(&w, "missing", 10, "");
    apply(&w);
    assert_matches(&w, "alice", "g", "s");
    end(&w);
}

static void a_level_that_contradicts_itself_is_ignored(void **state)
{
    (void)state;
    control_world w;
    begin(&w, 100);
    w.levels[w.level_count++] =
        LW_STR("{\"metadata\":{\"name\":\"odd\"},\"spec\":{\"type\":\"Exempt\",\"exempt\":{}}}");
    w.levels[w.level_count++] = LW_STR("{\"metadata\":{\"name\":\"void\"},\"spec\":{\"type\":"
                                       "\"Limited\"}}");
    apply(&w);
    assert_null(level(&w, "odd"));
    assert_null(level(&w, "void"));
    end(&w);
}

static void a_busy_level_borrows_what_others_lend(void **state)
{
    (void)state;
    enum {
        DEMAND = 10,
    };
    control_world w;
    lw_flow_ticket tickets[DEMAND];
    begin(&w, 20);
    add_level(&w, "idle", 10, ",\"lendablePercent\":50");
    add_level(&w, "busy", 5, "");
    apply(&w);
    lw_flow_level *busy = level(&w, "busy"), *idle = level(&w, "idle");
    assert_int_equal(idle->nominal, 10);
    assert_int_equal(busy->nominal, 5);
    occupy(busy, tickets, DEMAND, &w.dispatched);
    lw_manual_clock_advance(w.clock, LW_FLOW_ADJUST_NS);
    lw_flow_control_adjust(&w.control, &w.dispatched);
    assert_true(busy->current > busy->nominal);
    assert_true(idle->current < idle->nominal);
    assert_true(idle->current >= idle->lower);
    assert_int_equal(idle->current + busy->current + level(&w, "catch-all")->current, 20);
    leave(busy, tickets, DEMAND, &w.dispatched);
    end(&w);
}

static void a_level_takes_its_own_seats_back_when_it_needs_them(void **state)
{
    (void)state;
    enum {
        DEMAND = 15,
    };
    control_world w;
    lw_flow_ticket first[DEMAND], second[DEMAND];
    begin(&w, 20);
    add_level(&w, "lender", 10, ",\"lendablePercent\":50");
    add_level(&w, "borrower", 5, "");
    apply(&w);
    lw_flow_level *lender = level(&w, "lender"), *borrower = level(&w, "borrower");
    occupy(borrower, first, DEMAND, &w.dispatched);
    lw_manual_clock_advance(w.clock, LW_FLOW_ADJUST_NS);
    lw_flow_control_adjust(&w.control, &w.dispatched);
    assert_true(lender->current < 10);
    occupy(lender, second, DEMAND, &w.dispatched);
    lw_manual_clock_advance(w.clock, LW_FLOW_ADJUST_NS);
    lw_flow_control_adjust(&w.control, &w.dispatched);
    assert_int_equal(lender->current, 10);
    assert_int_equal(borrower->current, 5);
    leave(borrower, first, DEMAND, &w.dispatched);
    leave(lender, second, DEMAND, &w.dispatched);
    end(&w);
}

static void a_borrowing_limit_is_kept(void **state)
{
    (void)state;
    enum {
        DEMAND = 10,
    };
    control_world w;
    lw_flow_ticket tickets[DEMAND];
    begin(&w, 20);
    add_level(&w, "idle", 10, ",\"lendablePercent\":100");
    add_level(&w, "busy", 5, ",\"borrowingLimitPercent\":20");
    apply(&w);
    lw_flow_level *busy = level(&w, "busy");
    occupy(busy, tickets, DEMAND, &w.dispatched);
    lw_manual_clock_advance(w.clock, LW_FLOW_ADJUST_NS);
    lw_flow_control_adjust(&w.control, &w.dispatched);
    assert_int_equal(busy->current, 6);
    leave(busy, tickets, DEMAND, &w.dispatched);
    end(&w);
}

static void a_level_that_was_deleted_drains_and_then_ends(void **state)
{
    (void)state;
    control_world w;
    lw_flow_ticket ticket;
    begin(&w, 100);
    add_level(&w, "a", 10, "");
    apply(&w);
    lw_flow_level *gone = lw_flow_level_ref(level(&w, "a"));
    occupy(gone, &ticket, 1, &w.dispatched);
    w.level_count = 0;
    apply(&w);
    assert_true(gone->is_quiescing);
    assert_ptr_equal(level(&w, "a"), gone);
    assert_false(lw_flow_config_has_level(w.control.config, LW_STR("a")));
    leave(gone, &ticket, 1, &w.dispatched);
    lw_flow_control_adjust(&w.control, &w.dispatched);
    assert_null(level(&w, "a"));
    lw_flow_level_unref(gone);
    end(&w);
}

static void a_configuration_lives_as_long_as_somebody_uses_it(void **state)
{
    (void)state;
    control_world w;
    begin(&w, 100);
    add_level(&w, "a", 10, "");
    add_schema(&w, "s", "a", 10, "alice");
    apply(&w);
    lw_flow_config *before = lw_flow_control_config_ref(&w.control);
    w.level_count = w.schema_count = 0;
    apply(&w);
    assert_true(lw_str_equal(before->entries[1].schema.name, LW_STR("s")));
    assert_string_equal(before->entries[1].level->name, "a");
    lw_flow_config_unref(before);
    end(&w);
}

static bool has_counters(const lw_flow_level *at, const char *schema)
{
    LW_DLIST_FOR_EACH(lw_flow_stats, stats, &at->stats, link)
    {
        if (strcmp(stats->schema, schema) == 0)
            return true;
    }
    return false;
}

static void the_counters_of_a_deleted_schema_go_with_its_last_request(void **state)
{
    (void)state;
    static const lw_request_info info = { .verb = LW_STR_INIT("get") };
    control_world w;
    int64_t retry_after_s;
    begin(&w, 100);
    add_level(&w, "a", 10, "");
    add_schema(&w, "s", "a", 10, "alice");
    apply(&w);
    lw_flow_level *at = level(&w, "a");
    const lw_flow_entry *entry = &w.control.config->entries[1];
    lw_flow_ticket ticket = { .item = { .work = { .initial_seats = 1 } },
                              .stats = entry->stats,
                              .info = &info };
    assert_int_equal(lw_flow_level_arrive(at, &ticket, 0, &w.dispatched, &retry_after_s),
                     LW_FLOW_EXECUTE);
    w.schema_count = 0;
    apply(&w);
    lw_flow_control_adjust(&w.control, &w.dispatched);
    assert_true(has_counters(at, "s"));
    leave(at, &ticket, 1, &w.dispatched);
    lw_flow_control_adjust(&w.control, &w.dispatched);
    assert_false(has_counters(at, "s"));
    end(&w);
}

static void numbers_out_of_range_are_bounded(void **state)
{
    (void)state;
    control_world w;
    begin(&w, 100);
    add_level(&w, "a", -5, ",\"lendablePercent\":300");
    add_level(&w, "b", 15, ",\"lendablePercent\":-1,\"borrowingLimitPercent\":99999999999");
    apply(&w);
    assert_int_equal(level(&w, "a")->nominal, 0);
    assert_int_equal(level(&w, "a")->lower, 0);
    assert_int_equal(level(&w, "b")->nominal, 75);
    assert_int_equal(level(&w, "b")->lower, 75);
    assert_true(level(&w, "b")->upper > 75);
    end(&w);
}

static void many_rejections_double_the_time_to_retry(void **state)
{
    (void)state;
    lw_flow_retry retry = { .second = 0 };
    for (int i = 0; i < 5; i++)
        assert_int_equal(lw_flow_retry_note(&retry, 100), 1);
    assert_int_equal(lw_flow_retry_note(&retry, 101), 2);
    for (int i = 0; i < 10; i++)
        (void)lw_flow_retry_note(&retry, 102);
    assert_int_equal(lw_flow_retry_note(&retry, 103), 4);
    assert_int_equal(lw_flow_retry_note(&retry, 200), 3); /* a quiet time: it falls again */
    assert_int_equal(lw_flow_retry_note(&retry, 300), 2);
    assert_int_equal(lw_flow_retry_note(&retry, 400), 1);
    assert_int_equal(lw_flow_retry_note(&retry, 500), 1);
}

static void rejections_without_end_reach_32_seconds(void **state)
{
    (void)state;
    lw_flow_retry retry = { .second = 0 };
    int64_t after_s = 0;
    for (int64_t second = 1; second < 500; second++) {
        for (int i = 0; i < 1000; i++)
            after_s = lw_flow_retry_note(&retry, second);
    }
    assert_int_equal(after_s, 32);
}

static void metrics_and_dumps_show_levels_and_requests(void **state)
{
    (void)state;
    control_world w;
    lw_flow_ticket ticket;
    const lw_user user = { .name = LW_STR("alice") };
    lw_buf out;
    begin(&w, 100);
    add_level(&w, "a", 10, "");
    add_schema(&w, "s", "a", 10, "alice");
    apply(&w);
    occupy(level(&w, "a"), &ticket, 1, &w.dispatched);
    ticket.user = &user;
    lw_buf_init(&out, 1 << 20);
    lw_flow_write_metrics(&w.control, &out);
    lw_buf_append_char(&out, '\0');
    assert_non_null(strstr(out.data, "apiserver_flowcontrol_nominal_limit_seats{priority_level="
                                     "\"a\"} 67\n"));
    assert_non_null(strstr(out.data, "apiserver_flowcontrol_current_executing_requests{flow_schema="
                                     "\"s\",priority_level=\"a\"} 1\n"));
    assert_non_null(strstr(out.data, "apiserver_flowcontrol_request_wait_duration_seconds_bucket{"
                                     "execute=\"true\",flow_schema=\"s\",priority_level=\"a\",le="
                                     "\"0\"} 1\n"));
    lw_buf_reset(&out);
    lw_flow_write_dump(&w.control, LW_STR("/debug/api_priority_and_fairness/dump_priority_levels"),
                       LW_STR(""), &out);
    lw_buf_append_char(&out, '\0');
    assert_non_null(strstr(out.data, "\na,                 0,            false,  false,       0,  "
                                     "             1,                 1, "));
    lw_buf_reset(&out);
    lw_flow_write_dump(&w.control, LW_STR("/debug/api_priority_and_fairness/dump_requests"),
                       LW_STR("includeRequestDetails=1"), &out);
    lw_buf_append_char(&out, '\0');
    assert_non_null(strstr(out.data, "\na,                 s,              "));
    assert_non_null(strstr(out.data, "alice,"));
    lw_buf_done(&out);
    leave(level(&w, "a"), &ticket, 1, &w.dispatched);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_mandatory_objects_are_in_force_without_any_object),
        TEST(seats_are_shared_out_by_shares_and_rounded_up),
        TEST(schemas_match_in_the_order_of_their_precedence),
        TEST(a_schema_without_its_level_is_ignored),
        TEST(a_level_that_contradicts_itself_is_ignored),
        TEST(a_busy_level_borrows_what_others_lend),
        TEST(a_level_takes_its_own_seats_back_when_it_needs_them),
        TEST(a_borrowing_limit_is_kept),
        TEST(a_level_that_was_deleted_drains_and_then_ends),
        TEST(a_configuration_lives_as_long_as_somebody_uses_it),
        TEST(the_counters_of_a_deleted_schema_go_with_its_last_request),
        TEST(numbers_out_of_range_are_bounded),
        TEST(many_rejections_double_the_time_to_retry),
        TEST(rejections_without_end_reach_32_seconds),
        TEST(metrics_and_dumps_show_levels_and_requests),
    };
    return cmocka_run_group_tests_name("flow_control", tests, NULL, NULL);
}
