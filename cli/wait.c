/* SPDX-License-Identifier: Apache-2.0 */
/* wait.c -- `listwatch wait`: waits until objects meet a condition. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <listwatch.h>

#include "commands.h"
#include "connection.h"
#include "grid.h"
#include "jsonpath.h"
#include "message.h"
#include "output.h"
#include "targets.h"
#include "until.h"

enum {
    DEFAULT_TIMEOUT_S = 30,
    NAME_SIZE = 1024,
    WORD_SIZE = 256,
};

static const char usage[] =
    "usage: listwatch wait RESOURCE/NAME... --for CONDITION [options]\n"
    "       listwatch wait RESOURCE -l SELECTOR --for CONDITION [options]\n"
    "\n"
    "Waits until the objects meet a condition:\n"
    "  condition=NAME[=VALUE]    a condition of the status, e.g. condition=Ready; VALUE is True\n"
    "  jsonpath={PATH}[=VALUE]   the path has this value, or any value\n"
    "  create                    the object exists\n"
    "  delete                    the object does not exist\n"
    "\n"
    "      --for CONDITION       what to wait for\n"
    "      --timeout TIME        give up after this time, e.g. 90s or 5m (default 30s)\n"
    "  -n, --namespace NS        namespace of the objects\n"
    "  -A, --all-namespaces      objects of all namespaces; only with a selector\n"
    "  -l, --selector SELECTOR   objects that exist now and whose labels match\n"
    "      --field-selector S    objects that exist now and whose fields match\n" //
    ARGUMENTS_SERVER_USAGE;

typedef enum wanted_kind {
    WANTED_CONDITION,
    WANTED_PATH,
    WANTED_CREATE,
    WANTED_DELETE,
} wanted_kind;

typedef struct wanted {
    wanted_kind kind;
    char name[WORD_SIZE]; /* of the condition */
    const char *value;    /* NULL: any */
    jsonpath *path;
} wanted;

static int parse_condition(const arguments *args, const char *text, wanted *out)
{
    size_t len = strcspn(text, "=");
    if (len == 0 || len >= sizeof(out->name))
        return arguments_refuse(args, "--for", "the name of the condition is missing");
    out->kind = WANTED_CONDITION;
    (void)snprintf(out->name, sizeof(out->name), "%.*s", (int)len, text);
    out->value = text[len] ? text + len + 1 : "True";
    return EXIT_OK;
}

/* {PATH}=VALUE; the path may contain "=" in a filter. */
static int parse_path(const arguments *args, const char *text, wanted *out)
{
    lw_error err = LW_ERROR_INIT;
    const char *brace = strrchr(text, '}');
    const char *end = brace ? brace + 1 : text + strcspn(text, "=");
    char *path = strndup(text, (size_t)(end - text));
    out->kind = WANTED_PATH;
    out->value = *end == '=' ? end + 1 : NULL;
    lw_status st = path ? jsonpath_parse_relaxed(&out->path, path, &err) : LW_ERR_NOMEM;
    free(path);
    return st < 0 ? arguments_refuse(args, "--for", err.message) : EXIT_OK;
}

static int parse_wanted(const arguments *args, wanted *out)
{
    const char *text = args->condition;
    if (!text)
        return arguments_refuse(args, "--for", "specify what to wait for, e.g. condition=Ready");
    if (strncmp(text, "condition=", 10) == 0)
        return parse_condition(args, text + 10, out);
    if (strncmp(text, "jsonpath=", 9) == 0)
        return parse_path(args, text + 9, out);
    if (strcmp(text, "create") != 0 && strcmp(text, "delete") != 0)
        return arguments_refuse(args, "--for",
                                "use condition=NAME, jsonpath={PATH}=VALUE, create or delete");
    out->kind = text[0] == 'c' ? WANTED_CREATE : WANTED_DELETE;
    return EXIT_OK;
}

/* A condition that was observed for an older generation does not count. */
static bool has_condition(lw_document *doc, const wanted *w)
{
    const lw_value *all = lw_document_find(doc, NULL, "/status/conditions");
    int64_t generation = lw_document_int(doc, NULL, "/metadata/generation", 0);
    int64_t observed = lw_document_int(doc, NULL, "/status/observedGeneration", generation);
    for (size_t i = 0; i < lw_document_count(all); i++) {
        const lw_value *one = lw_document_item(all, i);
        if (strcasecmp(lw_document_string(doc, one, "/type", ""), w->name) == 0)
            return lw_document_int(doc, one, "/observedGeneration", observed) >= generation &&
                   strcasecmp(lw_document_string(doc, one, "/status", ""), w->value) == 0;
    }
    return false;
}

static lw_status compare_value(lw_document *doc, const lw_value *value, void *arg)
{
    const wanted *w = arg;
    const char *text = jsonpath_text(doc, value);
    bool is_met = text && (!w->value || strcmp(text, w->value) == 0);
    return is_met ? LW_ERR_STOPPED : LW_OK;
}

static until_verdict look(const lw_object *obj, void *arg)
{
    wanted *w = arg;
    lw_document *doc = NULL;
    bool is_met = false;
    if (w->kind == WANTED_DELETE || w->kind == WANTED_CREATE)
        return (obj != NULL) == (w->kind == WANTED_CREATE) ? UNTIL_DONE : UNTIL_NOT_YET;
    if (!obj || lw_document_from_object(&doc, obj, NULL) < 0)
        return UNTIL_NOT_YET;
    if (w->kind == WANTED_CONDITION)
        is_met = has_condition(doc, w);
    else
        is_met = jsonpath_find(w->path, doc, NULL, compare_value, w, NULL) == LW_ERR_STOPPED;
    lw_document_free(doc);
    return is_met ? UNTIL_DONE : UNTIL_NOT_YET;
}

static int wait_for(connection *conn, const target *t, wanted *w, int64_t deadline_ms)
{
    char name[NAME_SIZE];
    lw_error err = LW_ERROR_INIT;
    lw_object *obj = NULL;
    lw_status st = LW_OK;
    target_text(t, t->name, name, sizeof(name));
    if (w->kind != WANTED_CREATE && w->kind != WANTED_DELETE) /* it must exist */
        st = lw_client_get(conn->client, t->resource.gvr, t->ns, t->name, NULL, &obj, &err);
    lw_object_unref(obj);
    if (st == LW_OK)
        st = until(conn, t, deadline_ms, look, w, &err);
    if (st == LW_OK) {
        print_plain(name);
        puts(w->kind == WANTED_DELETE   ? " deleted"
             : w->kind == WANTED_CREATE ? " created"
                                        : " condition met");
        return output_push() ? EXIT_OK : EXIT_FAILED;
    }
    if (st == LW_ERR_TIMEOUT && !err.message[0])
        message("timed out waiting for %s on %s", conn->args->condition, name);
    else
        connection_complain(conn, st, &err);
    return EXIT_FAILED;
}

/* Waits for each object that matches now. */
static int wait_for_selected(connection *conn, const target *t, wanted *w, int64_t deadline_ms)
{
    lw_object_list *found = NULL;
    lw_error err = LW_ERROR_INIT;
    int code = EXIT_OK;
    lw_list_options options = { .size = sizeof(lw_list_options),
                                .ns = t->ns,
                                .label_selector = conn->args->labels,
                                .field_selector = conn->args->fields,
                                .is_metadata_only = true };
    lw_status st = lw_client_list_all(conn->client, t->resource.gvr, &options, &found, &err);
    if (st < 0)
        connection_complain(conn, st, &err);
    else if (lw_object_list_count(found) == 0 && w->kind != WANTED_DELETE)
        message("no matching objects found");
    if (st < 0 || (lw_object_list_count(found) == 0 && w->kind != WANTED_DELETE))
        code = EXIT_FAILED;
    for (size_t i = 0; st == LW_OK && i < lw_object_list_count(found); i++) {
        const lw_object *obj = lw_object_list_at(found, i);
        const char *ns = lw_object_namespace(obj);
        const target one = { t->resource, ns[0] ? ns : NULL, lw_object_name(obj) };
        if (wait_for(conn, &one, w, deadline_ms) != EXIT_OK)
            code = EXIT_FAILED;
    }
    lw_object_list_free(found);
    return code;
}

static int run(connection *conn, wanted *w)
{
    static targets found;
    const arguments *args = conn->args;
    int64_t timeout_s = args->timeout_s < 0 ? DEFAULT_TIMEOUT_S : args->timeout_s;
    int64_t deadline_ms = until_now_ms() + timeout_s * 1000;
    int code = targets_find(&found, conn, args->words, args->word_count);
    if (code != EXIT_OK)
        return code;
    if (!found.has_names && !args->labels && !args->fields)
        return arguments_refuse(args, args->words[0],
                                "specify object names, or a selector with -l");
    for (size_t i = 0; i < found.count; i++) {
        const target *t = &found.at[i];
        int one = (t->name ? wait_for : wait_for_selected)(conn, t, w, deadline_ms);
        code = one != EXIT_OK ? one : code;
    }
    return code;
}

int command_wait(int argc, char **argv)
{
    arguments args = { .output = { .format = OUTPUT_NAME } };
    wanted w = { .path = NULL };
    connection conn;
    bool is_over = false;
    int code = arguments_parse(&args, argc, argv, COMMAND_WAIT, usage, &is_over);
    if (is_over)
        return code;
    if (args.word_count == 0)
        return arguments_refuse(&args, "nothing to wait for", "specify RESOURCE/NAME");
    code = parse_wanted(&args, &w);
    if (code == EXIT_OK && !connection_open(&conn, &args))
        code = EXIT_FAILED;
    else if (code == EXIT_OK) {
        code = run(&conn, &w);
        connection_close(&conn);
    }
    jsonpath_free(w.path);
    return code;
}
