/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_scan.c -- the scanner gives the same result however its input is split, with every code
 * path, and with trusted input if it is valid; and the objects it copies equal their source.
 *
 * The first three bytes of an input select: shape and plan; chunk; code path and limits. */
#include "fuzz/fuzz.h"
#include "support/scan_transcript.h"
#include "json/scan.h"

enum {
    HEADER = 3,
    PLANS = 6,
};

static const char *const nothing[] = { NULL };
static const char *const drop[] = { "/metadata/managedFields", "/status", "/spec/a", NULL };
static const char *const drop_stars[] = { "/spec/*/name", "/status/*", "/metadata/labels/*",
                                          "/*/*/a", NULL };
static const char *const keep[] = { "/spec/a", "/status", "/metadata/annotations/b", NULL };
static const char *const keep_stars[] = { "/spec/*/name", "/*/a", "/status/*/*", NULL };

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void choose(const uint8_t *header, lw_scan_options *options, size_t *chunk,
                   const char **simd)
{
    static const char *const *const drops[PLANS] = { NULL, nothing, drop, drop_stars, NULL, NULL };
    static const char *const *const keeps[PLANS] = { NULL, NULL, NULL, NULL, keep, keep_stars };
    unsigned plan = header[0] / 8 % PLANS;
    *options = (lw_scan_options){
        .shape = (lw_scan_shape)(header[0] % 4),
        .is_stream = header[0] & 4,
        .drop = drops[plan],
        .keep = keeps[plan],
        .max_item = header[2] & 8 ? 64 : 0,
        .max_depth = header[2] & 16 ? 4 : 0,
    };
    *chunk = header[1];
    *simd = header[2] % 8 < TRANSCRIPT_SIMDS ? transcript_simds[header[2] % 8] : NULL;
}

/* Writes the transcript of |input| to |out|, which is initialized here. */
static lw_status transcribe(lw_buf *out, const lw_scan_options *options, const char *simd,
                            lw_str input, size_t chunk)
{
    lw_buf_init(out, TRANSCRIPT_LIMIT);
    lw_scan *scan = transcript_scan_new(options, simd, out);
    if (!scan)
        scan = transcript_scan_new(options, NULL, out);
    lw_status st = transcript_write(out, scan, input, chunk);
    lw_scan_free(scan);
    return st;
}

/* Writes one object without its position. */
static lw_status on_copy(const lw_scan_item *item, void *arg, lw_error *err)
{
    lw_scan_item at_zero = *item;
    at_zero.offset = 0;
    return transcript_on_item(&at_zero, arg, err);
}

/* Checks that the copy of an object is valid, and that scanning it gives the same result. */
static lw_status check_item(const lw_scan_item *item, void *arg, lw_error *err)
{
    lw_scan *again = NULL;
    (void)arg;
    (void)err;
    expect(lw_json_validate(item->json, LW_SCAN_DEPTH_MAX, NULL) == LW_OK);
    lw_buf first, second;
    lw_buf_init(&first, TRANSCRIPT_LIMIT);
    lw_buf_init(&second, TRANSCRIPT_LIMIT);
    (void)on_copy(item, &first, NULL);
    const lw_scan_options options = {
        .shape = LW_SCAN_OBJECT,
        .drop = nothing,
        .max_depth = LW_SCAN_DEPTH_MAX,
        .on_item = on_copy,
        .arg = &second,
    };
    expect(lw_scan_new(&again, &options, NULL) == LW_OK);
    expect(lw_scan_feed(again, item->json.ptr, item->json.len, NULL) == LW_OK);
    expect(lw_scan_finish(again, NULL) == LW_OK);
    expect(lw_str_equal(lw_buf_view(&first), lw_buf_view(&second)));
    lw_scan_free(again);
    lw_buf_done(&first);
    lw_buf_done(&second);
    return LW_OK;
}

static void check_items(const lw_scan_options *options, lw_str input)
{
    lw_scan_options own = *options;
    lw_scan *scan = NULL;
    own.on_item = check_item;
    expect(lw_scan_new(&scan, &own, NULL) == LW_OK);
    if (lw_scan_feed(scan, input.ptr, input.len, NULL) == LW_OK)
        (void)lw_scan_finish(scan, NULL);
    lw_scan_free(scan);
}

/* Checks that the scanner and lw_json_validate agree on validity, and on the position of an
 * error. */
static void check_verdict(const lw_scan_options *options, lw_str input)
{
    lw_error scan_err = LW_ERROR_INIT, err = LW_ERROR_INIT;
    lw_scan *scan = NULL;
    if (options->is_stream)
        return;
    expect(lw_scan_new(&scan, options, NULL) == LW_OK);
    lw_status scan_st = lw_scan_feed(scan, input.ptr, input.len, &scan_err);
    if (scan_st == LW_OK)
        scan_st = lw_scan_finish(scan, &scan_err);
    lw_scan_free(scan);
    lw_status st = lw_json_validate(input, options->max_depth, &err);
    if (options->shape == LW_SCAN_VALUE || scan_st == LW_ERR_SYNTAX || scan_st == LW_OK)
        expect(scan_st == st && scan_err.offset == err.offset &&
               strcmp(scan_err.message, err.message) == 0);
    if (options->shape == LW_SCAN_VALUE)
        expect(scan_st != LW_ERR_INVALID);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_scan_options options;
    const char *simd;
    size_t chunk;
    lw_buf whole, cut;
    if (size < HEADER)
        return 0;
    choose(data, &options, &chunk, &simd);
    lw_str input = lw_str_make((const char *)data + HEADER, size - HEADER);

    lw_status st = transcribe(&whole, &options, NULL, input, 0);
    (void)transcribe(&cut, &options, simd, input, chunk);
    expect(lw_str_equal(lw_buf_view(&whole), lw_buf_view(&cut)));
    lw_buf_done(&cut);
    check_verdict(&options, input);
    check_items(&options, input);

    /* For invalid input that is trusted, any result is allowed, but no memory error. */
    options.trusts_input = true;
    (void)transcribe(&cut, &options, simd, input, chunk);
    expect(st < 0 || lw_str_equal(lw_buf_view(&whole), lw_buf_view(&cut)));
    lw_buf_done(&cut);
    lw_buf_done(&whole);
    return 0;
}
