/* SPDX-License-Identifier: Apache-2.0 */
/* informer_reports.h -- what informers say of themselves, so that a page can show it.
 *
 * The wings of the house meet only on the wire: a server knows its watches, but not what became of
 * their events.  So a program that wants to be seen tells it, by POST to
 * /debug/listwatch/informers every few seconds:
 *
 *     {"reporter":"controllers","informers":[{"resource":"pods","is_synced":true,"objects":12}]}
 *
 * A report replaces the reporter's last one and is forgotten after LW_REPORT_LIFE_S.  Any thread.
 */
#ifndef LW_SERVER_INFORMER_REPORTS_H
#define LW_SERVER_INFORMER_REPORTS_H

#include "base/sync.h"
#include "json/writer.h"

enum {
    LW_REPORT_MAX = 64 * 1024, /* bytes of a report */
    LW_REPORT_INFORMERS = 256, /* of all reporters together */
    LW_REPORT_NAME_SIZE = 128, /* of a reporter, a resource, a namespace; with the NUL */
    LW_REPORT_LIFE_S = 10,
    LW_REPORT_FIGURES = 7,
};

/* One informer, as it was told. */
typedef struct lw_informer_report {
    char reporter[LW_REPORT_NAME_SIZE];
    char resource[LW_REPORT_NAME_SIZE];
    char ns[LW_REPORT_NAME_SIZE]; /* "": all */
    bool is_synced;
    int64_t figures[LW_REPORT_FIGURES]; /* objects, revision and so on */
    int64_t at_ns;
} lw_informer_report;

typedef struct lw_informer_reports {
    lw_mutex mu; /* guards what follows */
    size_t count;
    lw_informer_report items[LW_REPORT_INFORMERS];
} lw_informer_reports;

void lw_informer_reports_init(lw_informer_reports *reports);
void lw_informer_reports_done(lw_informer_reports *reports);

/* Takes a report.  LW_ERR_SYNTAX and LW_ERR_INVALID say what is wrong with it; LW_ERR_LIMIT: there
 * are too many informers, or it is too long; LW_ERR_NOMEM.  Then the last one stays. */
lw_status lw_informer_reports_take(lw_informer_reports *reports, lw_str json, int64_t now_ns,
                                   lw_error *err);

/* Writes those that are not too old as an array, each as it came and with its "age_ms". */
void lw_informer_reports_write(lw_informer_reports *reports, int64_t now_ns, lw_json_writer *w);

#endif
