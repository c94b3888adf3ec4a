/* SPDX-License-Identifier: Apache-2.0 */
/* flow_dump.c -- the pages below /debug/api_priority_and_fairness: comma-separated values, padded
 * so that columns line up, as kube-apiserver writes them. */
#include <inttypes.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/text/time_text.h"
#include "server/flowcontrol/flow_report.h"

enum {
    COLUMNS_MAX = 18,
    CELL_MIN = 8, /* characters */
};

#define FOLDER "/debug/api_priority_and_fairness/"

/* Cells are collected with a tab after each and a newline after each row; then they are padded. */
typedef struct table {
    lw_buf cells;
} table;

typedef void (*dump_fn)(table *t, lw_flow_level *level, bool has_details);

static void cell(table *t, const char *text)
{
    lw_buf_append_text(&t->cells, text);
    lw_buf_append_text(&t->cells, ",\t");
}

static void cell_str(table *t, lw_str text)
{
    lw_buf_append_str(&t->cells, text);
    lw_buf_append_text(&t->cells, ",\t");
}

static void cell_number(table *t, int64_t number)
{
    lw_buf_printf(&t->cells, "%" PRId64 ",\t", number);
}

static void cell_bool(table *t, bool value)
{
    cell(t, value ? "true" : "false");
}

static void cell_work(table *t, lw_seat_seconds work)
{
    lw_buf_printf(&t->cells, "%" PRIu64 ".%08" PRIu64 "ss,\t", work / LW_SEAT_SECOND,
                  work % LW_SEAT_SECOND);
}

/* Takes the separator after the last cell away. */
static void end_row(table *t)
{
    if (t->cells.len >= 2)
        lw_buf_truncate(&t->cells, t->cells.len - 2);
    lw_buf_append_char(&t->cells, '\n');
}

static void header(table *t, const char *const *names)
{
    for (; *names; names++)
        cell(t, *names);
}

/* Pads the cells of each column to the width of its widest cell.  The last cell of a row is not
 * padded. */
static void write_padded(const table *t, lw_buf *out)
{
    size_t widths[COLUMNS_MAX] = { 0 };
    for (int pass = 0; pass < 2; pass++) {
        lw_str rows = lw_buf_view(&t->cells), row, text;
        while (rows.len > 0) {
            (void)lw_str_cut(rows, '\n', &row, &rows);
            for (size_t column = 0; column < COLUMNS_MAX; column++) {
                bool has_more = lw_str_cut(row, '\t', &text, &row);
                if (pass == 1)
                    lw_buf_append_str(out, text);
                if (!has_more)
                    break;
                size_t width = text.len + 1 < CELL_MIN ? CELL_MIN : text.len + 1;
                if (pass == 0 && width > widths[column])
                    widths[column] = width;
                for (size_t i = text.len; pass == 1 && i < widths[column]; i++)
                    lw_buf_append_char(out, ' ');
            }
            if (pass == 1)
                lw_buf_append_char(out, '\n');
        }
    }
}

static size_t count_active(const lw_queue_set *set)
{
    size_t count = 0;
    LW_DLIST_FOR_EACH(lw_flow_queue, queue, &set->active, active)
    count++;
    return count;
}

static void dump_level(table *t, lw_flow_level *level, bool has_details)
{
    (void)has_details;
    cell(t, level->name);
    cell_number(t, (int64_t)count_active(&level->set));
    cell_bool(t, lw_queue_set_is_idle(&level->set));
    cell_bool(t, level->is_quiescing);
    cell_number(t, (int64_t)level->set.waiting_count);
    cell_number(t, (int64_t)level->set.executing_count);
    cell_number(t, (int64_t)level->dispatched);
    cell_number(t, (int64_t)level->rejected);
    cell_number(t, (int64_t)level->timed_out);
    cell_number(t, (int64_t)level->cancelled);
    end_row(t);
}

static bool is_shown(const lw_queue_set *set, const lw_flow_queue *queue)
{
    return queue->index < set->config.queues || queue->waiting_count > 0 ||
           queue->executing_count > 0;
}

static void dump_queues(table *t, lw_flow_level *level, bool has_details)
{
    (void)has_details;
    for (size_t i = 0; i < level->set.queue_count; i++) {
        const lw_flow_queue *queue = level->set.queues[i];
        if (!is_shown(&level->set, queue))
            continue;
        cell(t, level->name);
        cell_number(t, queue->index);
        cell_number(t, queue->waiting_count);
        cell_number(t, queue->executing_count);
        cell_number(t, (int64_t)queue->seats_in_use);
        cell_work(t, queue->next_dispatch_r);
        cell_number(t, (int64_t)queue->initial_seats_waiting);
        cell_number(t, (int64_t)queue->max_seats_waiting);
        cell_work(t, queue->work_waiting);
        end_row(t);
    }
}

/* The time of day at |ns| of the monotonic clock; Go's zero time for 0. */
static void cell_time(table *t, const lw_clock *clock, int64_t ns)
{
    char text[LW_TIME_TEXT_SIZE];
    int64_t wall_ns = lw_clock_wall(clock) - (lw_clock_now(clock) - ns);
    if (ns == 0) {
        cell(t, "0001-01-01T00:00:00Z");
    } else if (lw_time_format(text, lw_time_of_ns(wall_ns)) == LW_OK) {
        lw_str seconds = lw_str_of(text);
        if (lw_str_ends_with(seconds, LW_STR("Z")))
            seconds.len--;
        lw_buf_printf(&t->cells, "%.*s.%09" PRId64 "Z,\t", LW_STR_ARG(seconds),
                      wall_ns % LW_NS_PER_S);
    } else {
        cell(t, "");
    }
}

/* A duration as Go writes it, for the ones that occur: whole and half milliseconds. */
static void cell_duration(table *t, int64_t ns)
{
    if (ns == 0)
        cell(t, "0s");
    else if (ns % LW_NS_PER_MS == 0)
        lw_buf_printf(&t->cells, "%" PRId64 "ms,\t", ns / LW_NS_PER_MS);
    else
        lw_buf_printf(&t->cells, "%" PRId64 ".%06" PRId64 "ms,\t", ns / LW_NS_PER_MS,
                      ns % LW_NS_PER_MS);
}

static void cell_details(table *t, const lw_flow_ticket *ticket)
{
    const lw_request_info *info = ticket->info;
    cell_str(t, ticket->user->name);
    cell_str(t, info->verb);
    cell_str(t, info->path);
    cell_str(t, info->ns);
    cell_str(t, info->name);
    if (info->group.len > 0)
        lw_buf_printf(&t->cells, "%.*s/", LW_STR_ARG(info->group));
    cell_str(t, info->version);
    cell_str(t, info->resource);
    cell_str(t, info->subresource);
}

static void dump_request(table *t, const lw_flow_level *level, const lw_flow_item *item,
                         int64_t position, bool has_details)
{
    const lw_flow_ticket *ticket = (const lw_flow_ticket *)(const void *)item;
    cell(t, level->name);
    cell(t, ticket->stats->schema);
    cell_number(t, item->queue ? (int64_t)item->queue->index : -1);
    cell_number(t, position);
    cell_str(t, ticket->distinguisher);
    cell_time(t, level->clock, item->arrival_ns);
    cell_number(t, item->work.initial_seats);
    cell_number(t, item->work.final_seats);
    cell_duration(t, item->work.additional_ns);
    cell_time(t, level->clock, position < 0 ? item->start_ns : 0);
    if (has_details)
        cell_details(t, ticket);
    end_row(t);
}

static void dump_requests(table *t, lw_flow_level *level, bool has_details)
{
    LW_DLIST_FOR_EACH(lw_flow_queue, queue, &level->set.active, active)
    {
        int64_t position = 0;
        LW_DLIST_FOR_EACH(lw_flow_item, item, &queue->waiting, link)
        dump_request(t, level, item, position++, has_details);
    }
    LW_DLIST_FOR_EACH(lw_flow_item, item, &level->set.executing, link)
    dump_request(t, level, item, -1, has_details);
}

static const char *const level_columns[] = { "PriorityLevelName",
                                             "ActiveQueues",
                                             "IsIdle",
                                             "IsQuiescing",
                                             "WaitingRequests",
                                             "ExecutingRequests",
                                             "DispatchedRequests",
                                             "RejectedRequests",
                                             "TimedoutRequests",
                                             "CancelledRequests",
                                             NULL };
static const char *const queue_columns[] = {
    "PriorityLevelName", "Index",           "PendingRequests", "ExecutingRequests", "SeatsInUse",
    "NextDispatchR",     "InitialSeatsSum", "MaxSeatsSum",     "TotalWorkSum",      NULL
};
/* "FlowDistingsher" is how kube-apiserver spells it. */
static const char *const request_columns[] = { "PriorityLevelName",
                                               "FlowSchemaName",
                                               "QueueIndex",
                                               "RequestIndexInQueue",
                                               "FlowDistingsher",
                                               "ArriveTime",
                                               "InitialSeats",
                                               "FinalSeats",
                                               "AdditionalLatency",
                                               "StartTime",
                                               NULL };
static const char *const detail_columns[] = { "UserName",  "Verb",        "APIPath",
                                              "Namespace", "Name",        "APIVersion",
                                              "Resource",  "SubResource", NULL };

static const struct dump_page {
    lw_str path;
    const char *const *columns;
    dump_fn fn;
} pages[] = {
    { LW_STR_INIT(FOLDER "dump_priority_levels"), level_columns, dump_level },
    { LW_STR_INIT(FOLDER "dump_queues"), queue_columns, dump_queues },
    { LW_STR_INIT(FOLDER "dump_requests"), request_columns, dump_requests },
};

static const struct dump_page *find_page(lw_str path)
{
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        if (lw_str_equal(pages[i].path, path))
            return &pages[i];
    }
    return NULL;
}

bool lw_flow_is_dump(lw_str path)
{
    return find_page(path) != NULL;
}

void lw_flow_write_dump(lw_flow_control *control, lw_str path, lw_str query, lw_buf *out)
{
    const struct dump_page *page = find_page(path);
    lw_str value;
    size_t count;
    table t;
    bool has_details = page->fn == dump_requests &&
                       lw_query_raw(query, LW_STR("includeRequestDetails"), &value) &&
                       value.len > 0;
    lw_flow_level **levels = lw_flow_control_levels(control, &count);
    lw_buf_init(&t.cells, LW_FLOW_DUMP_MAX);
    header(&t, page->columns);
    if (has_details)
        header(&t, detail_columns);
    end_row(&t);
    for (size_t i = 0; i < count; i++) {
        lw_mutex_lock(&levels[i]->mu);
        page->fn(&t, levels[i], has_details);
        lw_mutex_unlock(&levels[i]->mu);
    }
    write_padded(&t, out);
    if (t.cells.st < 0)
        out->st = t.cells.st;
    lw_buf_done(&t.cells);
    lw_flow_levels_free(levels, count);
}
