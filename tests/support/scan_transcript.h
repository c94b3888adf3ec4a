/* SPDX-License-Identifier: Apache-2.0 */
/* scan_transcript.h -- the output of the scanner for an input, as text that can be compared.
 *
 * Each chunk is fed from a block that is freed at once.  A scanner that reads too far, or keeps a
 * pointer into a chunk, is caught by ASan or gives a different transcript. */
#ifndef LW_TESTS_SUPPORT_SCAN_TRANSCRIPT_H
#define LW_TESTS_SUPPORT_SCAN_TRANSCRIPT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "json/scan.h"

enum {
    TRANSCRIPT_LIMIT = 64 << 20,
};

/* The code paths of the scanner; transcript_scan_new skips those that this CPU does not support. */
static const char *const transcript_simds[] = { "scalar", "sse2", "avx2", "avx512", "neon" };
enum {
    TRANSCRIPT_SIMDS = sizeof(transcript_simds) / sizeof(transcript_simds[0]),
};

static inline void transcript_add_text(lw_buf *out, const char *name, lw_str json,
                                       lw_scan_text text)
{
    lw_buf_printf(out, " %s", name);
    if (!text.is_present) {
        lw_buf_append_text(out, "=absent");
        return;
    }
    lw_buf_printf(out, "@%u+%u%s=", text.at, text.len, text.is_escaped ? "e" : "");
    if (text.at > json.len || text.len > json.len - text.at)
        lw_buf_append_text(out, "OUTSIDE");
    else
        lw_buf_append_str(out, lw_str_make(json.ptr + text.at, text.len));
}

static inline lw_status transcript_on_item(const lw_scan_item *item, void *arg, lw_error *err)
{
    lw_buf *out = arg;
    (void)err;
    lw_buf_printf(out, "item at %llu metadata %u spec %u json %zu ",
                  (unsigned long long)item->offset, item->metadata_at, item->spec_at,
                  item->json.len);
    lw_buf_append_str(out, item->json);
    transcript_add_text(out, "apiVersion", item->json, item->api_version);
    transcript_add_text(out, "kind", item->json, item->kind);
    transcript_add_text(out, "ns", item->json, item->ns);
    transcript_add_text(out, "name", item->json, item->name);
    transcript_add_text(out, "uid", item->json, item->uid);
    transcript_add_text(out, "rv", item->json, item->resource_version);
    for (size_t i = 0; i < item->label_count; i++) {
        transcript_add_text(out, "label", item->json, item->labels[i].key);
        transcript_add_text(out, "value", item->json, item->labels[i].value);
    }
    lw_buf_append_char(out, '\n');
    return LW_OK;
}

static inline lw_status transcript_on_document(const lw_scan_envelope *envelope, void *arg,
                                               lw_error *err)
{
    lw_buf *out = arg;
    (void)err;
    lw_buf_printf(out, "document has_items %d items %llu remaining %lld json ", envelope->has_items,
                  (unsigned long long)envelope->item_count,
                  (long long)envelope->remaining_item_count);
    lw_buf_append_str(out, envelope->json);
    transcript_add_text(out, "type", envelope->json, envelope->type);
    transcript_add_text(out, "apiVersion", envelope->json, envelope->api_version);
    transcript_add_text(out, "kind", envelope->json, envelope->kind);
    transcript_add_text(out, "rv", envelope->json, envelope->resource_version);
    transcript_add_text(out, "continue", envelope->json, envelope->continue_token);
    lw_buf_append_char(out, '\n');
    return LW_OK;
}

/* Makes a scanner with |options| that writes its output to |out|; NULL: this CPU does not support
 * |simd| (NULL: the best one). */
static inline lw_scan *transcript_scan_new(const lw_scan_options *options, const char *simd,
                                           lw_buf *out)
{
    lw_scan_options own = *options;
    lw_error err = LW_ERROR_INIT;
    lw_scan *scan = NULL;
    own.on_item = transcript_on_item;
    own.on_document = transcript_on_document;
    own.arg = out;
    if (lw_scan_new(&scan, &own, &err) < 0)
        abort();
    if (lw_scan_use_simd(scan, simd))
        return scan;
    lw_scan_free(scan);
    return NULL;
}

static inline lw_status transcript_feed(lw_scan *scan, const char *bytes, size_t len, lw_error *err)
{
    char *block = malloc(len ? len : 1);
    if (!block)
        abort();
    if (len > 0)
        memcpy(block, bytes, len);
    lw_status st = lw_scan_feed(scan, block, len, err);
    memset(block, '?', len);
    free(block);
    return st;
}

static inline void transcript_add_error(lw_buf *out, lw_status st, const lw_error *err)
{
    lw_buf_printf(out, "status %d code %d offset %llu: %s\n", (int)st, (int)err->code,
                  (unsigned long long)err->offset, err->message);
}

/* Resets |scan| and feeds |input| in chunks of |chunk| bytes (0: all at once); |out| is the buffer
 * given to transcript_scan_new.  After a failure the scanner is called twice more. */
static inline lw_status transcript_write(lw_buf *out, lw_scan *scan, lw_str input, size_t chunk)
{
    lw_error err = LW_ERROR_INIT;
    lw_status st = LW_OK;
    lw_buf_reset(out);
    lw_scan_reset(scan);
    for (size_t at = 0; st >= 0 && at < input.len;) {
        size_t len = chunk && chunk < input.len - at ? chunk : input.len - at;
        st = transcript_feed(scan, input.ptr + at, len, &err);
        at += len;
    }
    if (st >= 0)
        st = lw_scan_finish(scan, &err);
    transcript_add_error(out, st, &err);
    if (st < 0) {
        transcript_add_error(out, lw_scan_feed(scan, "{}", 2, &err), &err);
        transcript_add_error(out, lw_scan_finish(scan, &err), &err);
    }
    return st;
}

/* One scanner for each supported code path, with the same options. */
typedef struct transcript_crew {
    lw_buf text;     /* the transcript of the last scanner */
    lw_buf expected; /* the transcript of the whole input by the first scanner */
    lw_scan *scans[TRANSCRIPT_SIMDS];
    const char *simds[TRANSCRIPT_SIMDS];
    size_t count;
    char difference[256]; /* the scanner with a different transcript, or "" */
} transcript_crew;

static inline void transcript_crew_init(transcript_crew *crew, const lw_scan_options *options)
{
    memset(crew, 0, sizeof(*crew));
    lw_buf_init(&crew->text, TRANSCRIPT_LIMIT);
    lw_buf_init(&crew->expected, TRANSCRIPT_LIMIT);
    for (size_t i = 0; i < TRANSCRIPT_SIMDS; i++) {
        lw_scan *scan = transcript_scan_new(options, transcript_simds[i], &crew->text);
        if (!scan)
            continue;
        crew->simds[crew->count] = transcript_simds[i];
        crew->scans[crew->count++] = scan;
    }
}

static inline void transcript_crew_done(transcript_crew *crew)
{
    for (size_t i = 0; i < crew->count; i++)
        lw_scan_free(crew->scans[i]);
    lw_buf_done(&crew->text);
    lw_buf_done(&crew->expected);
}

/* The first scanner's transcript of the whole input is the expected result for all others. */
static inline lw_status transcript_crew_begin(transcript_crew *crew, lw_str input)
{
    lw_status st = transcript_write(&crew->text, crew->scans[0], input, 0);
    lw_buf_reset(&crew->expected);
    lw_buf_append_str(&crew->expected, lw_buf_view(&crew->text));
    crew->difference[0] = '\0';
    return st;
}

/* True if scanner |i|, fed chunks of |chunk| bytes, gives the expected transcript. */
static inline bool transcript_crew_one_agrees(transcript_crew *crew, lw_str input, size_t i,
                                              size_t chunk)
{
    (void)transcript_write(&crew->text, crew->scans[i], input, chunk);
    if (lw_str_equal(lw_buf_view(&crew->text), lw_buf_view(&crew->expected)))
        return true;
    snprintf(crew->difference, sizeof(crew->difference), "%s in chunks of %zu bytes",
             crew->simds[i], chunk);
    return false;
}

/* True if every scanner, fed chunks of |chunk| bytes, gives the expected transcript. */
static inline bool transcript_crew_agrees(transcript_crew *crew, lw_str input, size_t chunk)
{
    for (size_t i = 0; i < crew->count; i++) {
        if (!transcript_crew_one_agrees(crew, input, i, chunk))
            return false;
    }
    return true;
}

#endif
