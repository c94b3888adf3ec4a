/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c -- the interface of the scanner: options, feeding, the end of the input. */
#include "json/scan.h"

#include "base/alloc.h"
#include "base/error.h"
#include "json/scan_walk.h"
#include "json/simd.h"

static lw_status scan_result(const lw_scan *s, lw_error *err)
{
    if (s->st < 0 && err)
        *err = s->error;
    return s->st;
}

lw_status lw_scan_feed(lw_scan *s, const char *bytes, size_t len, lw_error *err)
{
    if (s->st < 0 || len == 0)
        return scan_result(s, err);
    s->chunk = bytes;
    if (s->extract.copy_from)
        s->extract.copy_from = bytes;
    s->walk(s, bytes, len);
    if (s->st >= 0)
        s->st = lw_extract_flush(&s->extract, bytes + len, &s->error);
    s->offset += len;
    return scan_result(s, err);
}

lw_status lw_scan_finish(lw_scan *s, lw_error *err)
{
    if (s->st < 0)
        return scan_result(s, err);
    const char *why = NULL;
    if (s->lexer.in_string)
        why = "the document ends inside a string";
    else if (s->lexer.in_word && !s->trusts_input && !lw_word_is_complete(s->lexer.word))
        why = "the document ends inside a number or word";
    else if (s->expect == LW_EXPECT_ROOT && !s->is_stream)
        why = "the document is empty";
    if (why)
        s->st = lw_error_set_at(&s->error, LW_ERR_SYNTAX, s->offset, "%s", why);
    else if (s->expect != LW_EXPECT_NOTHING && s->expect != LW_EXPECT_ROOT)
        s->st = lw_error_set_at(&s->error, LW_ERR_SYNTAX, s->offset,
                                "unexpected end of the document, expected %s",
                                lw_grammar_expected(s->expect));
    return scan_result(s, err);
}

bool lw_scan_use_simd(lw_scan *s, const char *name)
{
    const lw_simd *simd = name ? lw_simd_find(name) : lw_simd_best();
    if (simd)
        s->walk = simd->walk;
    return simd != NULL;
}

static void scan_init(lw_scan *s, lw_plan *plan, const lw_scan_options *options)
{
    s->plan = plan;
    (void)lw_scan_use_simd(s, NULL);
    s->max_depth = options->max_depth ? options->max_depth : LW_SCAN_DEPTH;
    s->is_stream = options->is_stream;
    s->trusts_input = options->trusts_input && plan;
    lw_extract_init(&s->extract, plan, options);
    lw_scan_reset(s);
}

void lw_scan_reset(lw_scan *s)
{
    s->lexer = (lw_lexer){ 0 };
    s->expect = LW_EXPECT_ROOT;
    s->nest.depth = 0;
    s->nest.types = 0;
    s->floor = 0;
    s->is_deep = s->plan == NULL;
    s->in_key = false;
    s->offset = 0;
    s->st = LW_OK;
    s->error = (lw_error)LW_ERROR_INIT;
    lw_extract_reset(&s->extract);
}

static lw_status options_check(const lw_scan_options *options, lw_error *err)
{
    if (options->max_depth > LW_SCAN_DEPTH_MAX)
        return lw_error_set(err, LW_ERR_INVALID, "max_depth is %u; the limit is %d",
                            options->max_depth, LW_SCAN_DEPTH_MAX);
    if (options->max_item > LW_SCAN_ITEM_LIMIT_MAX)
        return lw_error_set(err, LW_ERR_INVALID, "max_item is %zu; the limit is %d",
                            options->max_item, LW_SCAN_ITEM_LIMIT_MAX);
    return LW_OK;
}

lw_status lw_scan_new(lw_scan **out, const lw_scan_options *options, lw_error *err)
{
    lw_plan *plan = NULL;
    lw_status st = options_check(options, err);
    if (st >= 0 && options->shape != LW_SCAN_VALUE)
        st = lw_plan_new(&plan, options, err);
    if (st < 0)
        return st;
    lw_scan *s = lw_alloc(sizeof(*s));
    if (!s) {
        lw_plan_free(plan);
        return lw_error_nomem(err);
    }
    scan_init(s, plan, options);
    *out = s;
    return LW_OK;
}

void lw_scan_free(lw_scan *s)
{
    if (!s)
        return;
    lw_extract_done(&s->extract);
    lw_plan_free(s->plan);
    lw_free(s);
}

lw_status lw_json_validate(lw_str json, unsigned max_depth, lw_error *err)
{
    const lw_scan_options options = { .shape = LW_SCAN_VALUE, .max_depth = max_depth };
    lw_status st = options_check(&options, err);
    if (st < 0)
        return st;
    lw_scan s;
    scan_init(&s, NULL, &options);
    st = lw_scan_feed(&s, json.ptr, json.len, err);
    return st < 0 ? st : lw_scan_finish(&s, err);
}
