/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_informer_report.c -- an informer report: any bytes are rejected with a message, or written
 * as JSON. */
#include <stdlib.h>

#include "base/str.h"
#include "fuzz/fuzz.h"
#include "server/core/informer_reports.h"
#include "json/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static lw_informer_reports reports;
    lw_error err = LW_ERROR_INIT;
    lw_informer_reports_init(&reports);
    lw_status st =
        lw_informer_reports_take(&reports, lw_str_make((const char *)data, size), 0, &err);
    if (st < 0 && (reports.count > 0 || err.message[0] == '\0'))
        abort();
    lw_buf text;
    lw_json_writer w;
    lw_tree *tree = NULL;
    lw_buf_init(&text, 1 << 20);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    lw_informer_reports_write(&reports, 0, &w);
    if (text.st < 0 || lw_tree_parse(&tree, lw_buf_view(&text), 0, &err) < 0 ||
        lw_node_count(lw_tree_root(tree)) != reports.count)
        abort();
    lw_tree_free(tree);
    lw_buf_done(&text);
    lw_informer_reports_done(&reports);
    return 0;
}
