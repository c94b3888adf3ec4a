/* SPDX-License-Identifier: Apache-2.0 */
/* selector_scenarios.c -- selectors, names and Status bodies, with every allocation failing in
 * turn.
 */
#include <listwatch/field_selector.h>
#include <listwatch/key.h>
#include <listwatch/label_selector.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "object/api_errors.h"
#include "object/gvk.h"
#include "oom/oom.h"

static lw_status wrong(lw_error *err, const char *what)
{
    return lw_error_set(err, LW_ERR_INTERNAL, "%s is wrong", what);
}

static lw_status label_selector_is_parsed(lw_error *err)
{
    lw_label_selector *selector = NULL;
    lw_str text = LW_STR("tier in (b,a,c),app==web,!old,n>7");
    lw_status st = lw_label_selector_parse(&selector, text, err);
    if (st < 0)
        return st;
    if (!lw_str_equal(lw_label_selector_text(selector),
                      LW_STR("app==web,n>7,!old,tier in (a,b,c)")))
        st = wrong(err, "the printed form");
    lw_label_selector_free(selector);
    return st;
}

/* Checks that |st| is |expected|, which then is not a failure of the scenario. */
static lw_status expect(lw_status st, lw_status expected, lw_error *err)
{
    if (st == LW_ERR_NOMEM)
        return st;
    if (st != expected)
        return wrong(err, "the status");
    *err = (lw_error)LW_ERROR_INIT;
    return LW_OK;
}

static lw_status invalid_label_selector_is_rejected(lw_error *err)
{
    lw_label_selector *selector = NULL;
    lw_status st = expect(lw_label_selector_parse(&selector, LW_STR("a in (b,-,_)"), err),
                          LW_ERR_INVALID, err);
    if (st == LW_OK)
        st =
            expect(lw_label_selector_parse(&selector, LW_STR("x,a/b/c"), err), LW_ERR_INVALID, err);
    if (st == LW_OK)
        st = expect(lw_label_selector_parse(&selector, LW_STR("a in"), err), LW_ERR_SYNTAX, err);
    return st;
}

static lw_status label_selector_is_read_from_json(lw_error *err)
{
    lw_label_selector *selector = NULL;
    lw_str json = LW_STR("{\"matchLabels\":{\"app\":\"web\"},\"matchExpressions\":[{\"key\":\"a\","
                         "\"operator\":\"NotIn\",\"values\":[\"c\",\"b\"]}]}");
    lw_status st = lw_label_selector_from_json(&selector, json, err);
    if (st < 0)
        return st;
    if (!lw_str_equal(lw_label_selector_text(selector), LW_STR("a notin (b,c),app=web")))
        st = wrong(err, "the printed form");
    lw_label_selector_free(selector);
    return st;
}

static lw_status json_selector_is_refused(lw_error *err)
{
    lw_label_selector *selector = NULL;
    lw_str bad_operator = LW_STR("{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Gt\"}]}");
    lw_str bad_key = LW_STR("{\"matchLabels\":{\"ok\":\"1\",\"-\":\"1\"}}");
    lw_status st =
        expect(lw_label_selector_from_json(&selector, bad_operator, err), LW_ERR_INVALID, err);
    if (st == LW_OK)
        st = expect(lw_label_selector_from_json(&selector, bad_key, err), LW_ERR_INVALID, err);
    return st;
}

static lw_status field_selector_is_parsed(lw_error *err)
{
    lw_field_selector *selector = NULL;
    lw_status st = lw_field_selector_parse(&selector, LW_STR("b!=x\\,y,a=1"), err);
    if (st < 0)
        return st;
    if (!lw_str_equal(lw_field_selector_text(selector), LW_STR("a=1,b!=x\\,y")))
        st = wrong(err, "the printed form");
    lw_field_selector_free(selector);
    if (st == LW_OK)
        st = expect(lw_field_selector_parse(&selector, LW_STR("b=1,a"), err), LW_ERR_SYNTAX, err);
    return st;
}

static lw_status invalid_key_is_rejected(lw_error *err)
{
    lw_key key;
    return expect(lw_key_parse(LW_STR("a/b/c"), &key, err), LW_ERR_INVALID, err);
}

static lw_status path_is_built(lw_error *err)
{
    lw_api_path path = { .gvr = lw_gvr_make("apps", "v1", "deployments"), .name = LW_STR("a b") };
    lw_buf buf;
    lw_buf_init(&buf, 1000);
    lw_status st = lw_api_path_append(&buf, &path);
    if (st == LW_ERR_NOMEM)
        (void)lw_error_nomem(err);
    else if (!lw_str_equal(lw_buf_view(&buf), LW_STR("/apis/apps/v1/deployments/a%20b")))
        st = wrong(err, "the path");
    lw_buf_done(&buf);
    return st;
}

/* Writes |status|, frees it, and decodes the result. */
static lw_status write_and_decode(lw_api_status *status, lw_status expected, lw_error *err)
{
    lw_buf buf;
    lw_json_writer w;
    lw_buf_init(&buf, 1 << 20);
    lw_json_writer_init(&w, &buf, LW_JSON_COMPACT);
    lw_status st = lw_api_status_write(status, &w);
    if (st == LW_OK)
        st = expect(lw_api_error_decode(lw_buf_view(&buf), 0, LW_STR(""), err), expected, err);
    else
        (void)lw_error_set(err, st, "writing");
    lw_buf_done(&buf);
    lw_api_status_done(status);
    return st;
}

static lw_status status_is_written_and_decoded(lw_error *err)
{
    lw_api_status status;
    lw_api_status_not_found(&status, lw_gvr_make("apps", "v1", "deployments"), LW_STR("web"));
    lw_status st = write_and_decode(&status, LW_ERR_NOT_FOUND, err);
    if (st < 0)
        return st;
    lw_api_status_too_large_rv(&status, 99, 79);
    return write_and_decode(&status, LW_ERR_TOO_LARGE_RV, err);
}

static lw_status invalid_object_is_reported(lw_error *err)
{
    lw_api_status status;
    lw_api_status_init(&status);
    for (int i = 0; i < 9; i++)
        lw_api_status_add_field_error(&status, LW_FIELD_INVALID, LW_STR("metadata.name"),
                                      LW_STR("A_b"), i % 2 ? LW_STR("odd") : LW_STR("even"));
    lw_api_status_complete_invalid(&status, lw_gvk_make("", "v1", "Pod"), LW_STR("A_b"));
    if (lw_api_status_state(&status) == LW_OK && status.cause_count != 9) {
        lw_api_status_done(&status);
        return wrong(err, "the number of causes");
    }
    return write_and_decode(&status, LW_ERR_INVALID, err);
}

static lw_status reply_that_is_not_a_status_is_decoded(lw_error *err)
{
    return expect(lw_api_error_decode(LW_STR("<html>bad gateway</html>"), 502, LW_STR("3"), err),
                  LW_ERR_UNAVAILABLE, err);
}

const oom_scenario selector_scenarios[] = {
    { "label selector is parsed", label_selector_is_parsed },
    { "invalid label selector is rejected", invalid_label_selector_is_rejected },
    { "label selector is read from JSON", label_selector_is_read_from_json },
    { "label selector in JSON is refused", json_selector_is_refused },
    { "field selector is parsed", field_selector_is_parsed },
    { "invalid key is rejected", invalid_key_is_rejected },
    { "path is built", path_is_built },
    { "status is written and decoded", status_is_written_and_decoded },
    { "invalid object is reported", invalid_object_is_reported },
    { "reply that is not a status is decoded", reply_that_is_not_a_status_is_decoded },
};
const size_t selector_scenario_count = sizeof(selector_scenarios) / sizeof(selector_scenarios[0]);
