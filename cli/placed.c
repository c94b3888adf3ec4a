/* SPDX-License-Identifier: Apache-2.0 */
/* placed.c -- determines the resource and namespace of an object from a file. */
#include "placed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lw_status refuse(lw_error *err, const char *format, const char *what)
{
    err->code = LW_ERR_INVALID;
    (void)snprintf(err->message, sizeof(err->message), format, what);
    return LW_ERR_INVALID;
}

/* Letters, digits and '-' only, so that it can be inserted into JSON without escaping. */
static bool is_namespace(const char *ns)
{
    return ns[0] && ns[strspn(ns, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

/* Creates a copy of |obj| with metadata.namespace, which |obj| does not have. */
static lw_status with_namespace(lw_object **out, const lw_object *obj, const char *ns,
                                lw_error *err)
{
    static const char member[] = "\"namespace\":\"\",";
    lw_str json = lw_object_json(obj), metadata;
    if (!is_namespace(ns))
        return refuse(err, "\"%s\" is not a valid namespace name", ns);
    if (lw_object_raw(obj, "/metadata", &metadata) < 0 || metadata.len <= 2)
        return refuse(err, "%s: metadata.name is missing", lw_object_kind(obj));
    size_t head = (size_t)(metadata.ptr - json.ptr) + 1; /* including the brace */
    size_t size = json.len + strlen(ns) + sizeof(member);
    char *text = calloc(1, size);
    if (!text)
        return LW_ERR_NOMEM;
    int len = snprintf(text, size, "%.*s\"namespace\":\"%s\",%s", (int)head, json.ptr, ns,
                       json.ptr + head);
    lw_read_options read = { .keeps_managed_fields = true };
    lw_status st = lw_object_from_json_with(out, text, (size_t)len, &read, err);
    free(text);
    return st;
}

static lw_status find_resource(placed *place, connection *conn, const lw_object *obj, lw_error *err)
{
    lw_gvk gvk = { .kind = lw_str_of(lw_object_kind(obj)) };
    if (lw_str_is_empty(gvk.kind) || !lw_object_api_version(obj)[0])
        return refuse(err, "\"%s\": apiVersion and kind must be set", lw_object_name(obj));
    lw_status st =
        lw_api_version_parse(lw_str_of(lw_object_api_version(obj)), &gvk.group, &gvk.version, err);
    return st < 0 ? st : lw_client_find_kind(conn->client, gvk, &place->resource, err);
}

lw_status placed_find(placed *place, connection *conn, const lw_object *obj, lw_error *err)
{
    const char *own = lw_object_namespace(obj);
    memset(place, 0, sizeof(*place));
    lw_status st = find_resource(place, conn, obj, err);
    if (st < 0)
        return st;
    if (!place->resource.is_namespaced || own[0]) {
        if (place->resource.is_namespaced && conn->args->ns && strcmp(own, conn->args->ns) != 0)
            return refuse(err, "the object is in namespace \"%s\", which does not match -n", own);
        place->object = lw_object_ref(obj);
    } else {
        st = with_namespace(&place->object, obj, lw_config_namespace(conn->config), err);
    }
    if (st == LW_OK && place->resource.is_namespaced)
        place->ns = lw_object_namespace(place->object);
    return st;
}

void placed_done(placed *place)
{
    lw_object_unref(place->object);
    place->object = NULL;
}
