/* SPDX-License-Identifier: Apache-2.0 */
/* informer_reports.h -- reports that informers send about themselves, for the page.
 *
 * The server knows its watches, but not what clients do with the events.  A program whose informers
 * should be visible on the page sends a report to /debug/listwatch/informers (POST) every few
 * seconds:
 *
 *     {"reporter":"controllers","informers":[{"resource":"pods","is_synced":true,"objects":12}]}
 *
 * A report replaces the previous one of the same reporter and is dropped after LW_REPORT_LIFE_S.
 * Any thread. */
#ifndef LW_SERVER_CORE_INFORMER_REPORTS_H
#define LW_SERVER_CORE_INFORMER_REPORTS_H

#include "base/sync.h"
#include "json/writer.h"

enum {
    LW_REPORT_MAX = 64 * 1024, /* maximum size of a report in bytes */
    LW_REPORT_INFORMERS = 256, /* maximum number of informers of all reporters */
    /* Of the names of reporters, resources and namespaces, including the NUL. */
    LW_REPORT_NAME_SIZE = 128,
    LW_REPORT_LIFE_S = 10,
    LW_REPORT_VALUES = 7,
};

/* The report of one informer. */
typedef struct lw_informer_report {
    char reporter[LW_REPORT_NAME_SIZE];
    char resource[LW_REPORT_NAME_SIZE];
    char ns[LW_REPORT_NAME_SIZE]; /* "": all namespaces */
    bool is_synced;
    int64_t values[LW_REPORT_VALUES]; /* number of objects, revision etc. */
    int64_t at_ns;
} lw_informer_report;

typedef struct lw_informer_reports {
    lw_mutex mu; /* guards the members below */
    size_t count;
    lw_informer_report items[LW_REPORT_INFORMERS];
} lw_informer_reports;

void lw_informer_reports_init(lw_informer_reports *reports);
void lw_informer_reports_done(lw_informer_reports *reports);

/* Stores a report.  LW_ERR_SYNTAX, LW_ERR_INVALID: the message says what is wrong; LW_ERR_LIMIT:
 * too many informers or too long; LW_ERR_NOMEM.  After an error the previous report is kept. */
lw_status lw_informer_reports_take(lw_informer_reports *reports, lw_str json, int64_t now_ns,
                                   lw_error *err);

/* Writes the reports that are not too old as an array, each with its "age_ms". */
void lw_informer_reports_write(lw_informer_reports *reports, int64_t now_ns, lw_json_writer *w);

#endif
