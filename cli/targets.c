/* SPDX-License-Identifier: Apache-2.0 */
/* targets.c -- the objects that a command line names. */
#include "targets.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "api_resources.h"
#include "closest.h"
#include "commands.h"
#include "message.h"
#include "text.h"

enum {
    TYPE_SIZE = 256,
};

/* A name becomes part of a URL and of a field selector, so it must not contain their separators. */
static int check_name(const connection *conn, const char *name)
{
    if (!name[0] || strpbrk(name, "/,=%") || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return arguments_refuse(conn->args, name, "not a valid object name");
    return EXIT_OK;
}

static int add_target(targets *out, connection *conn, const lw_resource *resource, const char *name)
{
    if (out->count == TARGETS_MAX)
        return arguments_refuse(conn->args, name ? name : "resources",
                                "too many; run the command more than once");
    target *t = &out->at[out->count++];
    *t = (target){ *resource, connection_namespace(conn, resource), name };
    out->has_names = out->has_names || name;
    out->has_several_resources =
        out->has_several_resources || !lw_gvr_equal(out->at[0].resource.gvr, resource->gvr);
    if (name && resource->is_namespaced && !t->ns)
        return arguments_refuse(conn->args, "-A",
                                "an object name needs one namespace; use -n instead");
    return EXIT_OK;
}

static bool has_word(const char *list, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = list; *at;) {
        size_t item = strcspn(at, ",");
        if (item == len && strncmp(at, word, len) == 0)
            return true;
        at += item + (at[item] == ',');
    }
    return false;
}

/* Adds the resources of the category |word|.  Returns how many there are. */
static size_t add_category(targets *out, connection *conn, const api_resources *all,
                           const char *word, int *code)
{
    size_t found = 0;
    for (size_t i = 0; i < api_resources_count(all) && *code == EXIT_OK; i++) {
        const api_resource *one = api_resources_at(all, i);
        lw_resource resource = { .gvr = { one->group, one->version, one->name },
                                 .kind = one->kind,
                                 .is_namespaced = one->is_namespaced };
        if (!has_word(one->categories, word) || !has_word(one->verbs, "list"))
            continue;
        found++;
        lw_error err = LW_ERROR_INIT;
        char full[TYPE_SIZE];
        (void)snprintf(full, sizeof(full), "%s%s%s", one->name.ptr,
                       lw_str_is_empty(one->group) ? "" : ".", one->group.ptr);
        /* The strings of |all| do not live long enough. */
        if (lw_client_find_resource(conn->client, full, &resource, &err) == LW_OK)
            *code = add_target(out, conn, &resource, NULL);
    }
    return found;
}

/* Prints that there is no resource |word|, with the most similar one. */
static void complain_unknown(const connection *conn, const api_resources *all, const char *word,
                             lw_status st, const lw_error *err)
{
    closest similar = CLOSEST_INIT(word);
    for (size_t i = 0; i < api_resources_count(all); i++) {
        const api_resource *one = api_resources_at(all, i);
        closest_offer(&similar, one->name.ptr);
        closest_offer(&similar, one->singular);
    }
    if (similar.found)
        message("%s (did you mean %s?)", err->message, similar.found);
    else
        connection_complain(conn, st, err);
}

static int find_category(targets *out, connection *conn, const char *word, lw_status st,
                         const lw_error *err)
{
    api_resources *all = NULL;
    lw_error trouble = LW_ERROR_INIT;
    int code = EXIT_OK;
    lw_status loaded = api_resources_load(&all, conn->client, &trouble);
    if (loaded < 0) {
        connection_complain(conn, loaded, &trouble);
        return EXIT_FAILED;
    }
    if (add_category(out, conn, all, word, &code) == 0) {
        complain_unknown(conn, all, word, st, err);
        code = EXIT_FAILED;
    }
    api_resources_free(all);
    return code;
}

static int add_named(targets *out, connection *conn, const lw_resource *resource,
                     char *const *names, size_t count)
{
    int code = EXIT_OK;
    for (size_t i = 0; code == EXIT_OK && i < count; i++) {
        code = check_name(conn, names[i]);
        if (code == EXIT_OK)
            code = add_target(out, conn, resource, names[i]);
    }
    return code;
}

/* One resource of a list such as pods,services. */
static int add_type(targets *out, connection *conn, const char *type, char *const *names,
                    size_t count)
{
    lw_resource resource;
    lw_error err = LW_ERROR_INIT;
    bool is_all = strcmp(type, "all") == 0;
    lw_status st =
        is_all ? LW_ERR_NOT_FOUND : lw_client_find_resource(conn->client, type, &resource, &err);
    if (st == LW_OK && count == 0)
        return add_target(out, conn, &resource, NULL);
    if (st == LW_OK)
        return add_named(out, conn, &resource, names, count);
    if (st != LW_ERR_NOT_FOUND || err.http_status == 403) {
        connection_complain(conn, st, &err);
        return EXIT_FAILED;
    }
    if (is_all && count > 0)
        return arguments_refuse(conn->args, "all", "cannot be combined with object names");
    if (is_all)
        (void)snprintf(err.message, sizeof(err.message), "the server has no resources in \"all\"");
    return find_category(out, conn, type, st, &err);
}

static int copy_type(const connection *conn, const char *word, size_t len, char type[TYPE_SIZE])
{
    if (len == 0 || len >= TYPE_SIZE)
        return arguments_refuse(conn->args, word,
                                "not a resource; use for example pods, deployments.apps or "
                                "pods/web");
    memcpy(type, word, len);
    type[len] = '\0';
    return EXIT_OK;
}

/* pods/web services/db */
static int find_pairs(targets *out, connection *conn, char *const *words, size_t count)
{
    int code = EXIT_OK;
    for (size_t i = 0; code == EXIT_OK && i < count; i++) {
        char type[TYPE_SIZE];
        const char *slash = strchr(words[i], '/');
        if (!slash)
            return arguments_refuse(conn->args, words[i],
                                    "unexpected argument after RESOURCE/NAME; to name several "
                                    "objects, use RESOURCE NAME NAME");
        char *name = words[i] + (slash - words[i]) + 1;
        code = copy_type(conn, words[i], (size_t)(slash - words[i]), type);
        if (code == EXIT_OK)
            code = check_name(conn, name);
        if (code == EXIT_OK)
            code = add_type(out, conn, type, &name, 1);
    }
    return code;
}

/* pods,services NAME NAME */
static int find_types(targets *out, connection *conn, char *const *words, size_t count)
{
    int code = EXIT_OK;
    const char *at = words[0];
    for (size_t i = 1; i < count; i++) {
        if (strchr(words[i], '/'))
            return arguments_refuse(conn->args, words[i],
                                    "use RESOURCE NAME NAME or RESOURCE/NAME RESOURCE/NAME");
    }
    do {
        char type[TYPE_SIZE];
        size_t len = strcspn(at, ",");
        code = copy_type(conn, at, len, type);
        if (code == EXIT_OK)
            code = add_type(out, conn, type, words + 1, count - 1);
        at += len;
    } while (code == EXIT_OK && *at++ == ',');
    return code;
}

int targets_find(targets *out, connection *conn, char *const *words, size_t count)
{
    out->count = 0;
    out->has_names = out->has_several_resources = false;
    bool are_pairs = strchr(words[0], '/') != NULL;
    if ((are_pairs || count > 1) && (conn->args->labels || conn->args->fields))
        return arguments_refuse(conn->args, "selectors",
                                "cannot be combined with object names; use one or the other");
    return (are_pairs ? find_pairs : find_types)(out, conn, words, count);
}

int targets_find_one(target *out, connection *conn, char *const *words, size_t count,
                     bool needs_name)
{
    static targets found;
    int code = targets_find(&found, conn, words, count);
    if (code != EXIT_OK)
        return code;
    if (found.count != 1)
        return arguments_refuse(conn->args, words[count - 1],
                                "unexpected argument; specify one object");
    if (needs_name && !found.at[0].name)
        return arguments_refuse(conn->args, words[0],
                                "specify an object, for example RESOURCE/NAME");
    *out = found.at[0];
    return EXIT_OK;
}

void target_text(const target *t, const char *name, char *text, size_t size)
{
    lw_str group = t->resource.gvr.group;
    (void)snprintf(text, size, "%.*s%s%.*s/%s", (int)t->resource.kind.len, t->resource.kind.ptr,
                   lw_str_is_empty(group) ? "" : ".", (int)group.len, group.ptr ? group.ptr : "",
                   name);
    for (size_t i = 0; text[i] && i < t->resource.kind.len; i++)
        text[i] = (char)tolower((unsigned char)text[i]);
}

static void add_segment(text_buf *out, const char *before, const char *segment)
{
    text_add(out, before);
    text_add_escaped(out, segment);
}

void target_path(const lw_resource *resource, const char *ns, const char *name,
                 const char *subresource, text_buf *out)
{
    const lw_gvr *gvr = &resource->gvr;
    if (lw_str_is_empty(gvr->group)) {
        text_add(out, "/api");
    } else {
        text_add(out, "/apis/");
        text_add_bytes(out, gvr->group.ptr, gvr->group.len);
    }
    text_add(out, "/");
    text_add_bytes(out, gvr->version.ptr, gvr->version.len);
    if (ns)
        add_segment(out, "/namespaces/", ns);
    text_add(out, "/");
    text_add_bytes(out, gvr->resource.ptr, gvr->resource.len);
    if (name)
        add_segment(out, "/", name);
    if (subresource)
        add_segment(out, "/", subresource);
}
