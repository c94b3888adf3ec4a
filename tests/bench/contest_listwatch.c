/* SPDX-License-Identifier: Apache-2.0 */
/* contest_listwatch.c -- json/scan at the job; it also copies each object without managedFields. */
#include "bench/contest.h"

#include "json/scan.h"

static uint64_t hash_text(const lw_scan_item *item, lw_scan_text text)
{
    return text.is_present ? contest_hash(item->json.ptr + text.at, text.len) : 0;
}

static lw_status on_item(const lw_scan_item *item, void *arg, lw_error *err)
{
    (void)err;
    contest_item found = {
        .ns = hash_text(item, item->ns),
        .name = hash_text(item, item->name),
        .uid = hash_text(item, item->uid),
        .resource_version = hash_text(item, item->resource_version),
    };
    for (size_t i = 0; i < item->label_count; i++)
        contest_add_label(&found, hash_text(item, item->labels[i].key),
                          hash_text(item, item->labels[i].value));
    contest_add_item(arg, &found);
    return LW_OK;
}

/* |simd|: see lw_scan_use_simd. */
static bool scan_all(const contest_list *list, const lw_scan_options *options, const char *simd)
{
    lw_scan *scan = NULL;
    lw_status st = lw_scan_new(&scan, options, NULL);
    if (st == LW_OK && !lw_scan_use_simd(scan, simd))
        st = LW_ERR_UNSUPPORTED;
    for (size_t at = 0; st == LW_OK && at < list->len; at += list->chunk) {
        size_t rest = list->len - at;
        st = lw_scan_feed(scan, list->bytes + at, rest < list->chunk ? rest : list->chunk, NULL);
    }
    if (st == LW_OK)
        st = lw_scan_finish(scan, NULL);
    lw_scan_free(scan);
    return st == LW_OK;
}

bool contest_listwatch_has(const char *simd)
{
    const contest_list nothing = { "{}", 2, 2 };
    return scan_all(&nothing, &(lw_scan_options){ .shape = LW_SCAN_VALUE }, simd);
}

bool contest_listwatch_split_by(const contest_list *list, contest_answer *answer, const char *simd)
{
    return scan_all(list,
                    &(lw_scan_options){ .shape = LW_SCAN_LIST, .on_item = on_item, .arg = answer },
                    simd);
}

bool contest_listwatch_split(const contest_list *list, contest_answer *answer)
{
    return contest_listwatch_split_by(list, answer, NULL);
}

bool contest_listwatch_trusting(const contest_list *list, contest_answer *answer)
{
    return scan_all(list,
                    &(lw_scan_options){ .shape = LW_SCAN_LIST,
                                        .trusts_input = true,
                                        .on_item = on_item,
                                        .arg = answer },
                    NULL);
}

bool contest_listwatch_validate(const contest_list *list, contest_answer *answer)
{
    (void)answer;
    return scan_all(list, &(lw_scan_options){ .shape = LW_SCAN_VALUE }, NULL);
}
