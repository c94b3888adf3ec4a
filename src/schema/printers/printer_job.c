/* SPDX-License-Identifier: Apache-2.0 */
/* printer_job.c -- the columns of jobs and cron jobs. */
#include "base/str.h"
#include "base/text/duration.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"

static bool has_condition(const lw_row *row, const char *type)
{
    lw_str condition;
    for (lw_value_walk walk = lw_value_elements(row->status, "/conditions");
         lw_value_next_element(&walk, &condition);) {
        if (lw_value_is(condition, "/type", lw_str_of(type)) &&
            lw_value_is(condition, "/status", LW_STR("True")))
            return true;
    }
    return false;
}

static const char *job_status(const lw_row *row)
{
    if (has_condition(row, "Complete"))
        return "Complete";
    if (has_condition(row, "Failed"))
        return "Failed";
    if (lw_value_at(row->metadata, "/deletionTimestamp").len > 0)
        return "Terminating";
    if (has_condition(row, "Suspended"))
        return "Suspended";
    if (has_condition(row, "FailureTarget"))
        return "FailureTarget";
    if (has_condition(row, "SuccessCriteriaMet"))
        return "SuccessCriteriaMet";
    return "Running";
}

static void cell_status(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    (void)column;
    lw_table_cell_write(w, job_status(row));
}

/* "2/5"; without completions "2/1 of 3", where 3 is the parallelism. */
static void cell_completions(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    int64_t parallelism = lw_value_int(row->spec, "/parallelism", 0);
    bool has_completions = lw_value_at(row->spec, "/completions").len > 0;
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    lw_table_cell_append_int(&text, lw_value_int(row->status, "/succeeded", 0));
    lw_buf_append_char(&text, '/');
    lw_table_cell_append_int(&text, lw_value_int(row->spec, "/completions", 1));
    if (!has_completions && parallelism > 1) {
        lw_buf_append_text(&text, " of ");
        lw_table_cell_append_int(&text, parallelism);
    }
    lw_table_cell_end(&text, "", w);
}

static void cell_duration(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    char text[LW_DURATION_TEXT_SIZE];
    lw_time start, end = lw_time_of_ns(row->now_ns);
    (void)column;
    if (!lw_value_time(row->status, "/startTime", &start)) {
        lw_table_cell_write(w, "");
        return;
    }
    (void)lw_value_time(row->status, "/completionTime", &end);
    lw_json_write_string(w, lw_duration_format(text, lw_time_seconds_between(start, end)));
}

static void cell_suspend(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    (void)column;
    if (lw_value_at(row->spec, "/suspend").len == 0)
        lw_table_cell_write(w, "<unset>");
    else
        lw_table_cell_write(w, lw_value_bool(row->spec, "/suspend", false) ? "True" : "False");
}

static void cell_last_schedule(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    if (lw_row_at(row, column->pointer).len == 0)
        lw_table_cell_write(w, "<none>");
    else
        lw_table_cell_age(column, row, w);
}

const lw_table_column lw_table_columns_job[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Status", "string", 0, NULL, cell_status, "Status of the job."),
    LW_COLUMN("Completions", "string", 0, NULL, cell_completions,
              "Number of pods that have succeeded and that must succeed."),
    LW_COLUMN("Duration", "string", 0, NULL, cell_duration, "Time that the job has been running."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_CONTAINERS(1, "/spec/template/spec/containers"),
    LW_TABLE_COLUMN_IMAGES(1, "/spec/template/spec/containers"),
    LW_COLUMN("Selector", "string", 1, "/spec/selector", lw_table_cell_selector,
              "Label selector of the pods."),
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_cronjob[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Schedule", "string", 0, "/spec/schedule", lw_table_cell_string,
              "Schedule in cron format."),
    LW_COLUMN("Timezone", "string", 0, "/spec/timeZone", lw_table_cell_string_or_none,
              "Time zone of the schedule."),
    LW_COLUMN("Suspend", "boolean", 0, NULL, cell_suspend, "Whether no further jobs are started."),
    LW_COLUMN("Active", "integer", 0, "/status/active", lw_table_cell_count,
              "Number of running jobs."),
    LW_COLUMN("Last Schedule", "string", 0, "/status/lastScheduleTime", cell_last_schedule,
              "Time since a job was last started."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_CONTAINERS(1, "/spec/jobTemplate/spec/template/spec/containers"),
    LW_TABLE_COLUMN_IMAGES(1, "/spec/jobTemplate/spec/template/spec/containers"),
    LW_COLUMN("Selector", "string", 1, "/spec/jobTemplate/spec/selector", lw_table_cell_selector,
              "Label selector of the pods of its jobs."),
    LW_TABLE_COLUMN_END,
};
