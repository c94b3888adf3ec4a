/* SPDX-License-Identifier: Apache-2.0 */
/* watch_live.c -- the live table of `watch`. */
#include "watch_live.h"

#include "fetch.h"
#include "list_path.h"
#include "until.h"

enum {
    DRAW_MS = 200,         /* minimum time between redraws */
    FETCH_MS = 1000,       /* minimum time between requests */
    FETCH_SHARE = 10,      /* requests take at most a tenth of the time */
    REFRESH_MS = 10000,    /* ages change without an event */
    FETCH_LIMIT_MS = 2000, /* keys and signals wait for a request */
};

void watch_live_begin(watch_live *live)
{
    live->is_stale = live->is_dirty = true;
    live_table_begin(&live->table);
}

void watch_live_end(watch_live *live)
{
    live_table_end(&live->table);
    screen_rows_done(&live->rows);
}

void watch_live_note(watch_live *live)
{
    live->is_stale = true;
}

static int64_t next_fetch_ms(const watch_live *live)
{
    int64_t pause =
        live->fetch_ms * FETCH_SHARE > FETCH_MS ? live->fetch_ms * FETCH_SHARE : FETCH_MS;
    if (live->fetched_ms == 0)
        return 0;
    return live->fetched_ms + (live->is_stale ? pause : REFRESH_MS);
}

int watch_live_timeout_ms(const watch_live *live)
{
    int64_t now = until_now_ms(), next = next_fetch_ms(live);
    if (live->is_dirty && live->drawn_ms + DRAW_MS < next)
        next = live->drawn_ms + DRAW_MS;
    return next <= now ? 0 : (int)(next - now);
}

static lw_status request_table(watch_live *live, lw_document **out)
{
    const arguments *args = live->conn->args;
    const list_query query = { .labels = args->labels,
                               .fields = args->fields,
                               .limit = live->target->name ? 0 : SCREEN_ROWS_MAX };
    lw_raw_options options = LW_RAW_OPTIONS_INIT;
    lw_response *response = NULL;
    text_buf path = { 0 };
    options.accept = FETCH_TABLE;
    options.timeout_ms = FETCH_LIMIT_MS;
    list_path(live->target, &query, &path);
    lw_status st = text_status(&path);
    if (st == LW_OK)
        st = lw_client_raw(live->conn->client, "GET", text_of(&path), &options, &response, NULL);
    if (st == LW_OK) {
        lw_str body = lw_response_body(response);
        st = lw_document_from_json(out, body.ptr, body.len, NULL);
    }
    lw_response_free(response);
    text_done(&path);
    return st;
}

/* If the rows cannot be read, the old ones stay: the informer reports the error. */
static void fetch(watch_live *live)
{
    lw_document *doc = NULL;
    int64_t begun = until_now_ms();
    const arguments *args = live->conn->args;
    lw_status st = live->target ? request_table(live, &doc) : LW_ERR_UNSUPPORTED;
    bool is_table = st == LW_OK && lw_document_find(doc, NULL, "/columnDefinitions");
    bool is_gone = st == LW_ERR_NOT_FOUND && live->target && live->target->name;
    if (is_table)
        (void)screen_rows_take_table(&live->rows, doc, args->all_namespaces,
                                     args->output.format == OUTPUT_WIDE);
    else if (st == LW_OK || st == LW_ERR_UNSUPPORTED || is_gone)
        (void)screen_rows_take_cache(&live->rows, live->lister);
    if (!is_table)
        lw_document_free(doc);
    live->fetched_ms = until_now_ms();
    live->fetch_ms = live->target ? live->fetched_ms - begun : 0;
    live->is_stale = false;
    live->is_dirty = true;
}

bool watch_live_turn(watch_live *live, bool is_connected, const char *title)
{
    bool goes_on = live_table_read_keys(&live->table, &live->is_dirty);
    int64_t now = until_now_ms();
    if (goes_on && is_connected && now >= next_fetch_ms(live))
        fetch(live);
    else if (now >= next_fetch_ms(live)) /* try again later */
        live->fetched_ms = now;
    if (live->is_dirty && until_now_ms() >= live->drawn_ms + DRAW_MS) {
        live_table_draw(&live->table, &live->rows, title);
        live->is_dirty = false;
        live->drawn_ms = until_now_ms();
    }
    return goes_on;
}
