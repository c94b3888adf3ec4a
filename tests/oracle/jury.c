/* SPDX-License-Identifier: Apache-2.0 */
/* jury.c -- see jury.h. */
#include "oracle/jury.h"

#include <stdio.h>
#include <stdlib.h>

#include "oracle/retold.h"
#include "unit/test.h"
#include "json/text.h"

enum {
    LIMIT = 64 << 20,
};

static void put_text(const char *name, oracle_text text, void *arg)
{
    lw_buf *out = arg;
    if (!name) {
        lw_buf_append_text(out, "end\n");
        return;
    }
    lw_buf_printf(out, "%s ", name);
    if (text.bytes)
        lw_buf_printf(out, "%zu ", text.len);
    lw_buf_append(out, text.bytes, text.len);
    lw_buf_append_char(out, '\n');
}

static void put_scan_text(lw_buf *out, const char *name, lw_str json, lw_scan_text text)
{
    lw_buf decoded;
    oracle_text found = { 0 };
    lw_buf_init(&decoded, LIMIT);
    if (text.is_present) {
        lw_json_append_unescaped(&decoded, lw_str_make(json.ptr + text.at, text.len));
        found = (oracle_text){ decoded.len ? decoded.data : "", decoded.len };
    }
    put_text(name, found, out);
    lw_buf_done(&decoded);
}

static lw_status on_item(const lw_scan_item *item, void *arg, lw_error *err)
{
    jury *j = arg;
    lw_buf *out = &j->ours;
    (void)err;
    /* Nothing is dropped, so the copy is what stands in the document. */
    assert_true(item->offset + item->json.len <= j->scanned.len);
    assert_true(
        lw_str_equal(item->json, lw_str_make(j->scanned.ptr + item->offset, item->json.len)));
    put_scan_text(out, "apiVersion", item->json, item->api_version);
    put_scan_text(out, "kind", item->json, item->kind);
    put_scan_text(out, "namespace", item->json, item->ns);
    put_scan_text(out, "name", item->json, item->name);
    put_scan_text(out, "uid", item->json, item->uid);
    put_scan_text(out, "resourceVersion", item->json, item->resource_version);
    for (size_t i = 0; i < item->label_count; i++) {
        put_scan_text(out, "key", item->json, item->labels[i].key);
        put_scan_text(out, "value", item->json, item->labels[i].value);
    }
    put_text(NULL, (oracle_text){ 0 }, out);
    return LW_OK;
}

static lw_status on_document(const lw_scan_envelope *envelope, void *arg, lw_error *err)
{
    jury *j = arg;
    lw_buf *out = &j->ours;
    char remaining[32];
    int len =
        snprintf(remaining, sizeof(remaining), "%lld", (long long)envelope->remaining_item_count);
    (void)err;
    put_scan_text(out, "apiVersion", envelope->json, envelope->api_version);
    put_scan_text(out, "kind", envelope->json, envelope->kind);
    put_scan_text(out, "resourceVersion", envelope->json, envelope->resource_version);
    put_scan_text(out, "continue", envelope->json, envelope->continue_token);
    put_text("remaining", (oracle_text){ remaining, (size_t)len }, out);
    put_text("items", (oracle_text){ envelope->has_items ? "" : NULL, 0 }, out);
    put_text(NULL, (oracle_text){ 0 }, out);
    return LW_OK;
}

int jury_setup(void **state)
{
    static const char *const nothing[] = { NULL };
    jury *j = calloc(1, sizeof(*j));
    const lw_scan_options value = { .shape = LW_SCAN_VALUE, .max_depth = LW_SCAN_DEPTH_MAX };
    const lw_scan_options list = { .shape = LW_SCAN_LIST,
                                   .max_depth = LW_SCAN_DEPTH_MAX,
                                   .drop = nothing,
                                   .on_item = on_item,
                                   .on_document = on_document,
                                   .arg = j };
    if (!j)
        return -1;
    json_gen_init(&j->gen, 1);
    lw_buf_init(&j->retold, LIMIT);
    lw_buf_init(&j->ours, LIMIT);
    lw_buf_init(&j->theirs, LIMIT);
    j->simdjson = oracle_simdjson_new(LW_SCAN_DEPTH_MAX);
    *state = j;
    if (lw_scan_new(&j->value_scan, &value, NULL) < 0 ||
        lw_scan_new(&j->list_scan, &list, NULL) < 0)
        return -1;
    return j->simdjson ? 0 : -1;
}

int jury_teardown(void **state)
{
    jury *j = *state;
    print_message("# %llu documents asked about, %llu of them valid\n",
                  (unsigned long long)j->asked, (unsigned long long)j->valid);
    oracle_simdjson_free(j->simdjson);
    lw_scan_free(j->value_scan);
    lw_scan_free(j->list_scan);
    lw_buf_done(&j->retold);
    lw_buf_done(&j->ours);
    lw_buf_done(&j->theirs);
    json_gen_done(&j->gen);
    free(j);
    return 0;
}

static void fail_with(const char *what, lw_str document)
{
    print_error("%s:\n%.*s\n", what, document.len < 4096 ? (int)document.len : 4096, document.ptr);
    for (size_t i = 0; i < document.len; i++)
        print_error("%02x", (unsigned char)document.ptr[i]);
    fail_msg("\n%zu bytes", document.len);
}

void jury_check(bool is_good, const char *what, lw_str document)
{
    if (!is_good)
        fail_with(what, document);
}

static lw_status scan_in_chunks(lw_scan *scan, lw_str document, size_t chunk)
{
    lw_status st = LW_OK;
    lw_scan_reset(scan);
    for (size_t at = 0; st >= 0 && at < document.len; at += chunk)
        st = lw_scan_feed(scan, document.ptr + at,
                          chunk < document.len - at ? chunk : document.len - at, NULL);
    return st >= 0 ? lw_scan_finish(scan, NULL) : st;
}

static size_t any_chunk(jury *j)
{
    return 1 + (size_t)json_gen_below(&j->gen, json_gen_below(&j->gen, 2) ? 70 : 3000);
}

lw_status jury_ask(jury *j, lw_str document)
{
    lw_status st = lw_json_validate(document, LW_SCAN_DEPTH_MAX, NULL);
    jury_check(st == LW_OK || st == LW_ERR_SYNTAX, "neither valid nor invalid", document);
    jury_check(scan_in_chunks(j->value_scan, document, any_chunk(j)) == st,
               "in chunks the verdict is another", document);

    lw_status as_retold = st;
    if (retold_by_yajl(&j->retold, document))
        as_retold = lw_json_validate(lw_buf_view(&j->retold), LW_SCAN_DEPTH_MAX, NULL);
    jury_check(oracle_yajl_accepts(document.ptr, document.len, any_chunk(j)) ==
                   (as_retold == LW_OK),
               st < 0 ? "yajl accepts it" : "yajl refuses it", document);

    lw_str retold = document;
    if (retold_for_simdjson(&j->retold, document))
        retold = lw_buf_view(&j->retold);
    jury_check(oracle_simdjson_accepts(j->simdjson, retold.ptr, retold.len) == (st == LW_OK),
               st < 0 ? "simdjson accepts it" : "simdjson refuses it", document);
    j->asked++;
    j->valid += st == LW_OK;
    return st;
}

lw_status jury_ask_list(jury *j, lw_str document)
{
    lw_status st = jury_ask(j, document);
    if (retold_for_simdjson(&j->retold, document))
        document = lw_buf_view(&j->retold);
    lw_buf_reset(&j->ours);
    lw_buf_reset(&j->theirs);
    j->scanned = document;
    lw_status list_st = scan_in_chunks(j->list_scan, document, any_chunk(j));
    oracle_verdict verdict =
        oracle_simdjson_list(j->simdjson, document.ptr, document.len, put_text, &j->theirs);
    switch (verdict) {
    case ORACLE_REFUSED:
        /* What has the wrong type may stand before what is malformed. */
        jury_check(list_st == LW_ERR_SYNTAX || list_st == LW_ERR_INVALID, "accepted", document);
        break;
    case ORACLE_MISSHAPEN:
        jury_check(list_st == LW_ERR_INVALID, "wrong types are accepted", document);
        break;
    case ORACLE_ACCEPTED:
        jury_check(list_st == LW_OK, "a good list is refused", document);
        if (!lw_str_equal(lw_buf_view(&j->ours), lw_buf_view(&j->theirs))) {
            print_error("ours:\n%.*s\ntheirs:\n%.*s\n", (int)j->ours.len, j->ours.data,
                        (int)j->theirs.len, j->theirs.data);
            fail_with("the metadata differ", document);
        }
        break;
    }
    return st;
}
