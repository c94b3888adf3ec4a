/* SPDX-License-Identifier: Apache-2.0 */
/* scanned.h -- run the scanner over a text and keep what it said, for the tests of the scanner.
 *
 * JSON in these tests is written with ' for ", so that it can be read.  Every text that is scanned
 * here is also scanned in small chunks by every code path of the machine, which must all say the
 * same. */
#ifndef LW_TESTS_UNIT_JSON_SCANNED_H
#define LW_TESTS_UNIT_JSON_SCANNED_H

#include <stdio.h>

#include "support/scan_transcript.h"
#include "unit/test.h"
#include "json/text.h"

enum {
    SCANNED_ITEMS = 16,
    SCANNED_LABELS = 16,
    SCANNED_DOCUMENTS = 8,
};

typedef struct scanned_item {
    lw_scan_item item; /* json and labels are copies */
    lw_scan_label labels[SCANNED_LABELS];
} scanned_item;

/* What one scan said. */
typedef struct scanned {
    lw_status st;
    lw_error err;
    scanned_item items[SCANNED_ITEMS];
    size_t item_count;
    lw_scan_envelope documents[SCANNED_DOCUMENTS];
    size_t document_count;
    lw_str text; /* the input, ' already turned into " */
} scanned;

static inline lw_str scanned_copy(lw_str s)
{
    char *copy = calloc(s.len + 1, 1);
    assert_non_null(copy);
    if (s.len > 0)
        memcpy(copy, s.ptr, s.len);
    return lw_str_make(copy, s.len);
}

/* |text| with " for '; free the bytes. */
static inline lw_str scanned_quote(const char *text)
{
    lw_str copy = scanned_copy(lw_str_of(text));
    char *bytes = (char *)(uintptr_t)copy.ptr;
    for (size_t i = 0; i < copy.len; i++) {
        if (bytes[i] == '\'')
            bytes[i] = '"';
    }
    return copy;
}

static inline void scanned_drop(lw_str s)
{
    free((char *)(uintptr_t)s.ptr);
}

static inline lw_status scanned_on_item(const lw_scan_item *item, void *arg, lw_error *err)
{
    scanned *r = arg;
    (void)err;
    assert_true(r->item_count < SCANNED_ITEMS);
    assert_true(item->label_count <= SCANNED_LABELS);
    scanned_item *copy = &r->items[r->item_count++];
    copy->item = *item;
    copy->item.json = scanned_copy(item->json);
    if (item->label_count > 0)
        memcpy(copy->labels, item->labels, item->label_count * sizeof(*item->labels));
    copy->item.labels = copy->labels;
    return LW_OK;
}

static inline lw_status scanned_on_document(const lw_scan_envelope *envelope, void *arg,
                                            lw_error *err)
{
    scanned *r = arg;
    (void)err;
    assert_true(r->document_count < SCANNED_DOCUMENTS);
    lw_scan_envelope *copy = &r->documents[r->document_count++];
    *copy = *envelope;
    copy->json = scanned_copy(envelope->json);
    return LW_OK;
}

/* All code paths say the same of |input|, in chunks of these sizes. */
static inline void assert_scanned_alike(const lw_scan_options *options, lw_str input)
{
    static const size_t chunks[] = { 0, 1, 2, 7, 63, 64, 65 };
    transcript_crew crew;
    transcript_crew_init(&crew, options);
    (void)transcript_crew_begin(&crew, input);
    for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
        if (!transcript_crew_agrees(&crew, input, chunks[i]))
            fail_msg("%s: %.*s\nbut whole: %.*s", crew.difference, (int)crew.text.len,
                     crew.text.data, (int)crew.expected.len, crew.expected.data);
    }
    transcript_crew_done(&crew);
}

/* Scans |input| with |options|, whose callbacks are replaced; scanned_done |r|. */
static inline void scan_bytes(scanned *r, const lw_scan_options *options, lw_str input)
{
    lw_scan_options own = *options;
    lw_scan *scan = NULL;
    memset(r, 0, sizeof(*r));
    r->err = (lw_error)LW_ERROR_INIT;
    r->text = scanned_copy(input);
    own.on_item = scanned_on_item;
    own.on_document = scanned_on_document;
    own.arg = r;
    assert_int_equal(lw_scan_new(&scan, &own, NULL), LW_OK);
    r->st = lw_scan_feed(scan, r->text.ptr, r->text.len, &r->err);
    if (r->st >= 0)
        r->st = lw_scan_finish(scan, &r->err);
    lw_scan_free(scan);
    assert_scanned_alike(options, input);
}

/* Scans |text|, in which ' means ". */
static inline void scan_text(scanned *r, const lw_scan_options *options, const char *text)
{
    lw_str quoted = scanned_quote(text);
    scan_bytes(r, options, quoted);
    scanned_drop(quoted);
}

static inline void scan_list(scanned *r, const char *text)
{
    scan_text(r, &(lw_scan_options){ .shape = LW_SCAN_LIST }, text);
}

static inline void scan_object(scanned *r, const char *text)
{
    scan_text(r, &(lw_scan_options){ .shape = LW_SCAN_OBJECT }, text);
}

static inline void scanned_done(scanned *r)
{
    for (size_t i = 0; i < r->item_count; i++)
        scanned_drop(r->items[i].item.json);
    for (size_t i = 0; i < r->document_count; i++)
        scanned_drop(r->documents[i].json);
    scanned_drop(r->text);
}

/* The scan ended well. */
static inline void assert_scanned_at(const scanned *r, size_t items, const char *file, int line)
{
    if (r->st < 0)
        print_error("%s: %s at %llu: %.*s\n", lw_status_name(r->st), r->err.message,
                    (unsigned long long)r->err.offset, (int)r->text.len, r->text.ptr);
    _assert_int_equal((uintmax_t)(int)r->st, LW_OK, file, line);
    _assert_int_equal(r->item_count, items, file, line);
}
#define assert_scanned(r, items) assert_scanned_at((r), (items), __FILE__, __LINE__)

/* The scan failed with |st| at |offset|. */
static inline void assert_refused_at(const scanned *r, lw_status st, uint64_t offset,
                                     const char *file, int line)
{
    if (r->st != st || r->err.code != st || r->err.offset != offset) {
        print_error("got %s at %llu (%s), not %s at %llu: %.*s\n", lw_status_name(r->st),
                    (unsigned long long)r->err.offset, r->err.message, lw_status_name(st),
                    (unsigned long long)offset, (int)r->text.len, r->text.ptr);
        _fail(file, line);
    }
}
#define assert_refused(r, st, offset) assert_refused_at((r), (st), (offset), __FILE__, __LINE__)

/* Where |needle| (with ' for ") begins in what was scanned. */
static inline uint64_t scanned_offset(const scanned *r, const char *needle)
{
    lw_str quoted = scanned_quote(needle);
    const char *found = strstr(r->text.ptr, quoted.ptr);
    scanned_drop(quoted);
    assert_non_null(found);
    return (uint64_t)(found - r->text.ptr);
}

/* The copy of item |i| is |json| (with ' for "). */
static inline void assert_item_at(const scanned *r, size_t i, const char *json, const char *file,
                                  int line)
{
    lw_str quoted = scanned_quote(json);
    _assert_int_equal(i < r->item_count, 1, file, line);
    assert_str_equal_at(r->items[i].item.json, quoted.ptr, file, line);
    scanned_drop(quoted);
}
#define assert_item(r, i, json) assert_item_at((r), (i), (json), __FILE__, __LINE__)

/* |text| is a span of |json| that decodes to |wanted|; NULL: it is absent. */
static inline void assert_text_at(lw_str json, lw_scan_text text, const char *wanted,
                                  const char *file, int line)
{
    _assert_int_equal(text.is_present, wanted != NULL, file, line);
    if (!wanted)
        return;
    _assert_int_equal(text.at + text.len < json.len, 1, file, line);
    lw_str raw = lw_str_make(json.ptr + text.at, text.len);
    _assert_int_equal(text.is_escaped, raw.len > 0 && memchr(raw.ptr, '\\', raw.len) != NULL, file,
                      line);
    _assert_int_equal(json.ptr[text.at - 1] == '"', 1, file, line);
    _assert_int_equal(json.ptr[text.at + text.len] == '"', 1, file, line);
    lw_buf decoded;
    lw_buf_init(&decoded, 1 << 20);
    lw_json_append_unescaped(&decoded, raw);
    assert_str_equal_at(lw_buf_view(&decoded), wanted, file, line);
    lw_buf_done(&decoded);
}
#define assert_text(json, text, wanted) assert_text_at((json), (text), (wanted), __FILE__, __LINE__)

/* The member |field| of item |i| reads |wanted|. */
#define assert_item_text(r, i, field, wanted)                                                      \
    assert_text_at((r)->items[i].item.json, (r)->items[i].item.field, (wanted), __FILE__, __LINE__)

/* The label |k| of item |i|. */
#define assert_label(r, i, k, name, wanted)                                                        \
    do {                                                                                           \
        assert_text((r)->items[i].item.json, (r)->items[i].labels[k].key, (name));                 \
        assert_text((r)->items[i].item.json, (r)->items[i].labels[k].value, (wanted));             \
    } while (0)

#endif
