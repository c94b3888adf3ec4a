/* SPDX-License-Identifier: Apache-2.0 */
/* explain.c -- `listwatch explain`: the fields of a resource, from the OpenAPI v3 document of the
 * server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <listwatch.h>

#include "commands.h"
#include "connection.h"
#include "fetch.h"
#include "grid.h"
#include "message.h"
#include "output.h"
#include "targets.h"

static const char usage[] =
    "usage: listwatch explain RESOURCE[.FIELD...] [options]\n"
    "\n"
    "Shows the description of a resource or of one of its fields, and the fields in it, for\n"
    "example listwatch explain deployments.spec.strategy.\n"
    "\n"
    "      --api-version V       group and version of the resource, e.g. apps/v1\n"
    "      --recursive           show the names of all fields below, without descriptions\n" //
    ARGUMENTS_SERVER_USAGE;

enum {
    TYPE_SIZE = 256,
    WIDTH = 80,
    DEPTH_MAX = 16, /* of --recursive: some schemas contain themselves */
    PATH_SIZE = 1024,
};

/* What is explained. */
typedef struct explanation {
    connection *conn;
    lw_document *doc; /* the OpenAPI document of the group and version */
    lw_resource resource;
    const char *fields; /* ".spec.strategy", or "" */
} explanation;

/* Returns the schema that |schema| refers to, or itself. */
static const lw_value *resolve(lw_document *doc, const lw_value *schema)
{
    for (int i = 0; schema && i < DEPTH_MAX; i++) {
        const char *ref =
            lw_document_string(doc, schema, "/$ref",
                               lw_document_string(doc, schema, "/allOf/0/$ref", NULL));
        if (!ref || ref[0] != '#')
            break;
        schema = lw_document_find(doc, NULL, ref + 1);
    }
    return schema;
}

/* Returns the schema of the elements of arrays and maps, or the schema itself. */
static const lw_value *element(lw_document *doc, const lw_value *schema)
{
    for (int i = 0; i < DEPTH_MAX; i++) {
        schema = resolve(doc, schema);
        const lw_value *inner = lw_document_find(doc, schema, "/items");
        if (!inner)
            inner = lw_document_find(doc, schema, "/additionalProperties");
        if (!inner)
            break;
        schema = inner;
    }
    return schema;
}

/* Writes a type: "integer", "DeploymentSpec", "[]Container", "map[string]string". */
static void write_type(lw_document *doc, const lw_value *schema, char *out, size_t size)
{
    const char *ref = lw_document_string(doc, schema, "/$ref",
                                         lw_document_string(doc, schema, "/allOf/0/$ref", NULL));
    const lw_value *whole = resolve(doc, schema);
    const char *type = lw_document_string(doc, whole, "/type", "object");
    const lw_value *items = lw_document_find(doc, whole, "/items");
    const lw_value *values = lw_document_find(doc, whole, "/additionalProperties");
    const char *prefix = items ? "[]" : "map[string]";
    if (items || (values && lw_document_count(values) > 0)) {
        (void)snprintf(out, size, "%s", prefix);
        if (size > strlen(prefix) + 1)
            write_type(doc, items ? items : values, out + strlen(prefix), size - strlen(prefix));
    } else if (ref && strcmp(type, "object") == 0) {
        const char *dot = strrchr(ref, '.');
        (void)snprintf(out, size, "%s", dot ? dot + 1 : ref);
    } else {
        (void)snprintf(out, size, "%s", strcmp(type, "object") == 0 ? "Object" : type);
    }
}

/* Prints text in lines of limited width. */
static void print_wrapped(const char *text, int indent)
{
    int column = 0;
    while (*text) {
        size_t len = strcspn(text, " \n");
        if (column > 0 && column + (int)len > WIDTH - indent) {
            putchar('\n');
            column = 0;
        }
        if (column == 0)
            printf("%*s", indent, "");
        else if (len > 0)
            putchar(' ');
        for (size_t i = 0; i < len; i++)
            print_plain((const char[]){ text[i], '\0' });
        column += (int)len + 1;
        text += len;
        if (*text == '\n') {
            putchar('\n');
            column = 0;
        }
        text += *text != '\0';
    }
    putchar('\n');
}

static const char *description_of(lw_document *doc, const lw_value *schema)
{
    const char *own = lw_document_string(doc, schema, "/description", NULL);
    return own ? own
               : lw_document_string(doc, resolve(doc, schema), "/description", "<no description>");
}

static bool is_required(lw_document *doc, const lw_value *schema, lw_str name)
{
    const lw_value *names = lw_document_find(doc, schema, "/required");
    for (size_t i = 0; i < lw_document_count(names); i++) {
        const char *one = lw_document_string(doc, lw_document_item(names, i), "", "");
        if (lw_str_equal(lw_str_of(one), name))
            return true;
    }
    return false;
}

static void print_fields(lw_document *doc, const lw_value *schema, int level, bool is_recursive)
{
    const lw_value *fields = lw_document_find(doc, schema, "/properties");
    for (size_t i = 0; i < lw_document_count(fields) && output_works(); i++) {
        char type[TYPE_SIZE];
        lw_str name = lw_document_key(fields, i);
        const lw_value *field = lw_document_item(fields, i);
        write_type(doc, field, type, sizeof(type));
        printf("%*s%.*s\t<%s>%s\n", 2 * level, "", (int)name.len, name.ptr, type,
               is_required(doc, schema, name) ? " -required-" : "");
        if (!is_recursive) {
            print_wrapped(description_of(doc, field), 2 * level + 2);
            putchar('\n');
        } else if (level < DEPTH_MAX) {
            print_fields(doc, element(doc, field), level + 1, true);
        }
    }
}

static bool is_kind(lw_document *doc, const lw_value *schema, const lw_resource *resource)
{
    const lw_value *kinds = lw_document_find(doc, schema, "/x-kubernetes-group-version-kind");
    for (size_t i = 0; i < lw_document_count(kinds); i++) {
        const lw_value *one = lw_document_item(kinds, i);
        if (lw_str_equal(lw_str_of(lw_document_string(doc, one, "/kind", "")), resource->kind) &&
            lw_str_equal(lw_str_of(lw_document_string(doc, one, "/group", "")),
                         resource->gvr.group) &&
            lw_str_equal(lw_str_of(lw_document_string(doc, one, "/version", "")),
                         resource->gvr.version))
            return true;
    }
    return false;
}

static const lw_value *find_kind(lw_document *doc, const lw_resource *resource)
{
    const lw_value *schemas = lw_document_find(doc, NULL, "/components/schemas");
    for (size_t i = 0; i < lw_document_count(schemas); i++) {
        const lw_value *one = lw_document_item(schemas, i);
        if (is_kind(doc, one, resource))
            return one;
    }
    return NULL;
}

/* Follows ".spec.strategy".  Sets |*last| to the schema of the field as it is in its parent. */
static const lw_value *walk(const explanation *e, const lw_value *schema, const lw_value **last)
{
    for (const char *at = e->fields; *at && schema; at += strcspn(at, ".")) {
        char name[TYPE_SIZE];
        const lw_value *fields = lw_document_find(e->doc, schema, "/properties"), *found = NULL;
        at += *at == '.';
        (void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "."), at);
        for (size_t i = 0; i < lw_document_count(fields); i++) {
            if (lw_str_equal(lw_document_key(fields, i), lw_str_of(name)))
                found = lw_document_item(fields, i);
        }
        if (!found) {
            message("field \"%s\" does not exist; see listwatch explain %.*s%.*s", name,
                    (int)e->resource.gvr.resource.len, e->resource.gvr.resource.ptr,
                    (int)(at - e->fields - 1), e->fields);
            return NULL;
        }
        *last = found;
        schema = element(e->doc, found);
    }
    return schema;
}

static void print_head(const explanation *e, const lw_value *field)
{
    const lw_gvr *gvr = &e->resource.gvr;
    const char *name = strrchr(e->fields, '.');
    if (gvr->group.len > 0)
        printf("GROUP:      %.*s\n", (int)gvr->group.len, gvr->group.ptr);
    printf("KIND:       %.*s\nVERSION:    %.*s\n\n", (int)e->resource.kind.len,
           e->resource.kind.ptr, (int)gvr->version.len, gvr->version.ptr);
    if (name) {
        char type_name[TYPE_SIZE];
        write_type(e->doc, field, type_name, sizeof(type_name));
        printf("FIELD: %s <%s>\n\n", name + 1, type_name);
    }
    puts("DESCRIPTION:");
    const char *own = description_of(e->doc, field);
    const char *type = lw_document_string(e->doc, element(e->doc, field), "/description", own);
    print_wrapped(own, 4);
    if (strcmp(own, type) != 0) /* what the type says, after what the field says */
        print_wrapped(type, 4);
    putchar('\n');
}

static int print_explanation(const explanation *e)
{
    const lw_value *field = find_kind(e->doc, &e->resource);
    if (!field) {
        message("the server has no description of %.*s", (int)e->resource.gvr.resource.len,
                e->resource.gvr.resource.ptr);
        return EXIT_FAILED;
    }
    const lw_value *schema = walk(e, element(e->doc, field), &field);
    if (!schema)
        return EXIT_FAILED;
    print_head(e, field);
    if (lw_document_count(lw_document_find(e->doc, schema, "/properties")) > 0) {
        puts("FIELDS:");
        print_fields(e->doc, schema, 1, e->conn->args->is_recursive);
    }
    return EXIT_OK;
}

/* "deployments.spec": the longest beginning that is a resource, then the fields. */
static lw_status find_resource(explanation *e, const char *word, lw_error *err)
{
    char type[PATH_SIZE];
    const char *slash = e->conn->args->api_version;
    size_t len = strcspn(word, ".");
    if (slash) {
        const char *group_end = strchr(slash, '/');
        (void)snprintf(type, sizeof(type), "%.*s.%s%s%.*s", (int)len, word,
                       group_end ? group_end + 1 : slash, group_end ? "." : "",
                       group_end ? (int)(group_end - slash) : 0, slash);
    } else {
        (void)snprintf(type, sizeof(type), "%.*s", (int)len, word);
    }
    e->fields = word + len;
    return lw_client_find_resource(e->conn->client, type, &e->resource, err);
}

static lw_status load(explanation *e, lw_error *err)
{
    char path[PATH_SIZE];
    const lw_gvr *gvr = &e->resource.gvr;
    (void)snprintf(path, sizeof(path), "/openapi/v3/%s%.*s/%.*s",
                   gvr->group.len > 0 ? "apis/" : "api", (int)gvr->group.len,
                   gvr->group.ptr ? gvr->group.ptr : "", (int)gvr->version.len, gvr->version.ptr);
    return fetch_document(e->conn->client, path, NULL, &e->doc, err);
}

int command_explain(int argc, char **argv)
{
    arguments args = { .output = { .format = OUTPUT_TABLE } };
    connection conn;
    explanation e = { .conn = &conn };
    lw_error err = LW_ERROR_INIT;
    bool is_over = false;
    int code = arguments_parse(&args, argc, argv, COMMAND_EXPLAIN, usage, &is_over);
    if (is_over)
        return code;
    if (args.word_count != 1)
        return arguments_refuse(&args, "explain", "specify one resource, e.g. pods.spec");
    if (!connection_open(&conn, &args))
        return EXIT_FAILED;
    lw_status st = find_resource(&e, args.words[0], &err);
    if (st == LW_OK)
        st = load(&e, &err);
    if (st < 0)
        connection_complain(&conn, st, &err);
    code = st < 0 ? EXIT_FAILED : print_explanation(&e);
    lw_document_free(e.doc);
    connection_close(&conn);
    return output_flush() ? code : EXIT_FAILED;
}
