/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_remote_discovery.c -- documents of another API server: what is taken from them is valid JSON
 * and can be merged into the documents of this server. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "fuzz/fuzz.h"
#include "server/aggregator/discovery_merge.h"
#include "server/aggregator/remote_discovery.h"
#include "json/tree.h"

static const lw_str group = LW_STR_INIT("x.example"), version = LW_STR_INIT("v1");

static void check_json(lw_str json)
{
    lw_tree *tree = NULL;
    if (lw_tree_parse(&tree, json, 0, NULL) < 0 || !lw_node_is(lw_tree_root(tree), LW_JSON_OBJECT))
        abort();
    lw_tree_free(tree);
}

/* Merges |discovery| as if it were of a service. */
static void check_merged(char *discovery)
{
    lw_apiservice service = { .group = group,
                              .version = version,
                              .group_priority = 1000,
                              .version_priority = 1,
                              .discovery = discovery };
    lw_apiservice_table *table = lw_alloc_zero(1, sizeof(*table) + sizeof(table->at[0]));
    lw_buf json;
    if (!table)
        return;
    table->count = 1;
    table->at[0] = &service;
    lw_buf_init(&json, 16 << 20);
    lw_buf_append_text(&json, "{\"items\":[]}");
    if (lw_discovery_merge(table, LW_AGGREGATED_DISCOVERY, LW_STR(""), &json) == LW_OK)
        check_json(lw_buf_view(&json));
    lw_buf_done(&json);
    lw_free(table);
}

static void check(lw_status st, lw_buf *picked)
{
    if (st == LW_OK) {
        check_json(lw_buf_view(picked));
        char *text = lw_buf_take_text(picked);
        if (text)
            check_merged(text);
        lw_free(text);
    }
    lw_buf_done(picked);
    lw_buf_init(picked, LW_REMOTE_DISCOVERY_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_str input = lw_str_make((const char *)data, size);
    lw_buf picked;
    lw_buf_init(&picked, LW_REMOTE_DISCOVERY_MAX);
    check(lw_remote_discovery_pick(input, group, version, &picked), &picked);
    check(lw_remote_discovery_convert(input, group, version, &picked), &picked);
    if (lw_remote_openapi_pick(input, group, version, &picked) == LW_OK &&
        !lw_str_starts_with(lw_buf_view(&picked), LW_STR("/openapi/v3/")))
        abort();
    lw_buf_done(&picked);
    return 0;
}
