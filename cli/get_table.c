/* SPDX-License-Identifier: Apache-2.0 */
/* get_table.c -- `listwatch get` with the columns of the server, and its changes (-w). */
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "fetch.h"
#include "get_server.h"
#include "list_path.h"
#include "message.h"
#include "server_table.h"
#include "until.h"

enum {
    PAUSE_MS = 1000,
    PREFIX_SIZE = 512,
    VERSION_SIZE = 64,
};

static list_query query_of(const arguments *args)
{
    return (list_query){ .labels = args->labels,
                         .fields = args->fields,
                         .limit = GET_PAGE_SIZE,
                         .has_whole_objects = args->output.sort_by != NULL };
}

static lw_status new_table(server_table **out, const connection *conn, const target *t,
                           bool shows_kind, char prefix[PREFIX_SIZE], lw_error *err)
{
    prefix[0] = '\0';
    if (shows_kind)
        target_text(t, "", prefix, PREFIX_SIZE);
    const server_table_options options = {
        .choice = &conn->args->output,
        .shows_namespace = conn->args->all_namespaces && (t->resource.is_namespaced || shows_kind),
        .name_prefix = prefix,
    };
    return server_table_new(out, &options, err);
}

/* Adds one page.  Sets |next| to the token of the next page, "" if there is none, and
 * |version| to the resourceVersion. */
static lw_status add_page(server_table *table, connection *conn, const target *t,
                          const list_query *query, text_buf *next, char version[VERSION_SIZE],
                          lw_error *err)
{
    text_buf path = { 0 };
    lw_document *doc = NULL;
    list_path(t, query, &path);
    lw_status st = text_status(&path);
    if (st == LW_OK)
        st = fetch_document(conn->client, text_of(&path), FETCH_TABLE, &doc, err);
    text_done(&path);
    text_done(next);
    if (st < 0)
        return st;
    text_add(next, lw_document_string(doc, NULL, "/metadata/continue", ""));
    (void)snprintf(version, VERSION_SIZE, "%s",
                   lw_document_string(doc, NULL, "/metadata/resourceVersion", ""));
    return server_table_add_take(table, doc, err);
}

static lw_status add_target(server_table *table, connection *conn, const target *t,
                            char version[VERSION_SIZE], lw_error *err)
{
    list_query query = query_of(conn->args);
    text_buf token = { 0 }, next = { 0 };
    lw_status st = LW_OK;
    if (t->name)
        query.limit = 0;
    do {
        query.continue_token = text_of(&token);
        st = add_page(table, conn, t, &query, &next, version, err);
        text_done(&token);
        token = next;
        next = (text_buf){ 0 };
    } while (st == LW_OK && token.len > 0);
    text_done(&token);
    return st;
}

/* Prints the targets from |first| on that have the same resource.  Returns how many there are. */
static size_t print_group(connection *conn, const targets *all, size_t first, size_t *row_count,
                          bool *has_failed)
{
    char prefix[PREFIX_SIZE], version[VERSION_SIZE];
    server_table *table = NULL;
    lw_error err = LW_ERROR_INIT;
    const target *t = &all->at[first];
    size_t count = 0;
    lw_status st = new_table(&table, conn, t, all->has_several_resources, prefix, &err);
    for (; st == LW_OK && first + count < all->count; count++) {
        const target *one = &all->at[first + count];
        lw_error missing = LW_ERROR_INIT;
        if (!lw_gvr_equal(one->resource.gvr, t->resource.gvr))
            break;
        st = add_target(table, conn, one, version, &missing);
        bool is_fine = st == LW_ERR_NOT_FOUND && one->name && conn->args->ignores_not_found;
        if (st < 0 && !is_fine) {
            connection_complain(conn, st, &missing);
            *has_failed = true;
        }
        st = st < 0 && connection_is_lost(st) ? st : LW_OK;
    }
    if (table && server_table_rows(table) > 0) {
        if (*row_count > 0)
            putchar('\n');
        *row_count += server_table_rows(table);
        (void)server_table_flush(table);
    }
    *has_failed = *has_failed || st < 0;
    server_table_free(table);
    return st < 0 ? all->count - first : count;
}

int get_table(connection *conn, const targets *t)
{
    size_t row_count = 0;
    bool has_failed = false;
    for (size_t i = 0; i < t->count && output_works();)
        i += print_group(conn, t, i, &row_count, &has_failed);
    if (row_count == 0 && !has_failed)
        get_say_empty(conn, t);
    return has_failed ? EXIT_FAILED : EXIT_OK;
}

/* A watch that is being read: one event per line. */
typedef struct changes {
    server_table *table;
    text_buf line;
    char version[VERSION_SIZE];
    lw_error err;
} changes;

static lw_status end_of_watch(changes *c, lw_document *event)
{
    c->err.code = LW_ERR_EXPIRED;
    (void)snprintf(c->err.message, sizeof(c->err.message), "the server has ended the watch: %s",
                   lw_document_string(event, NULL, "/object/message", "no reason given"));
    return LW_ERR_EXPIRED;
}

static lw_status take_event(changes *c)
{
    lw_document *event = NULL, *object = NULL;
    lw_str json;
    lw_status st = lw_document_from_json(&event, text_of(&c->line), c->line.len, &c->err);
    if (st < 0)
        return st;
    const lw_value *inside = lw_document_find(event, NULL, "/object");
    const char *type = lw_document_string(event, NULL, "/type", "");
    const char *version =
        lw_document_string(event, inside, "/rows/0/object/metadata/resourceVersion",
                           lw_document_string(event, inside, "/metadata/resourceVersion", ""));
    if (version[0])
        (void)snprintf(c->version, sizeof(c->version), "%s", version);
    if (strcmp(type, "ERROR") == 0)
        st = end_of_watch(c, event);
    else if (strcmp(type, "BOOKMARK") != 0)
        st = lw_document_json(event, inside, &json, &c->err);
    if (st == LW_OK && strcmp(type, "BOOKMARK") != 0) {
        st = lw_document_from_json(&object, json.ptr, json.len, &c->err);
        if (st == LW_OK)
            st = server_table_add_take(c->table, object, &c->err);
        if (st == LW_OK)
            st = server_table_flush(c->table);
    }
    lw_document_free(event);
    return st == LW_OK && !output_push() ? LW_ERR_IO : st;
}

static lw_status take_bytes(const char *bytes, size_t len, void *arg)
{
    changes *c = arg;
    lw_status st = LW_OK;
    while (st == LW_OK && len > 0) {
        const char *end = memchr(bytes, '\n', len);
        size_t part = end ? (size_t)(end - bytes) : len;
        text_add_bytes(&c->line, bytes, part);
        st = text_status(&c->line);
        if (st == LW_OK && end && c->line.len > 0) {
            st = take_event(c);
            text_done(&c->line);
        }
        bytes += part + (end ? 1 : 0);
        len -= part + (end ? 1 : 0);
    }
    return st;
}

/* One watch request.  An error of an event is in |c| already. */
static lw_status watch_once(connection *conn, const target *t, changes *c)
{
    list_query query = query_of(conn->args);
    lw_raw_options options = LW_RAW_OPTIONS_INIT;
    lw_error err = LW_ERROR_INIT;
    text_buf path = { 0 };
    query.limit = 0;
    query.is_watch = true;
    query.resource_version = c->version;
    options.accept = FETCH_TABLE;
    options.on_bytes = take_bytes;
    options.arg = c;
    list_path(t, &query, &path);
    lw_status st = text_status(&path);
    if (st == LW_OK)
        st = lw_client_raw(conn->client, "GET", text_of(&path), &options, NULL, &err);
    if (st < 0 && !c->err.message[0])
        c->err = err;
    text_done(&path);
    text_done(&c->line);
    return st;
}

/* Servers end a watch after some minutes: go on from the last version.  After a watch that ended
 * early there is a pause, so that a server that ends all of them is not overloaded. */
static lw_status follow(connection *conn, const target *t, changes *c)
{
    lw_status st = LW_OK;
    while (st == LW_OK) {
        int64_t begun_ms = until_now_ms();
        st = watch_once(conn, t, c);
        int64_t early_ms = begun_ms + PAUSE_MS - until_now_ms();
        if (st == LW_OK && early_ms > 0)
            (void)poll(NULL, 0, (int)early_ms);
    }
    return st;
}

int get_table_changes(connection *conn, const target *t)
{
    char prefix[PREFIX_SIZE];
    changes c = { .err = LW_ERROR_INIT };
    lw_status st = new_table(&c.table, conn, t, false, prefix, &c.err);
    if (st == LW_OK)
        st = add_target(c.table, conn, t, c.version, &c.err);
    if (st == LW_OK)
        st = server_table_flush(c.table);
    if (st == LW_OK && output_push())
        st = follow(conn, t, &c);
    if (st < 0 && output_works())
        connection_complain(conn, st, &c.err);
    server_table_free(c.table);
    text_done(&c.line);
    return EXIT_FAILED;
}
