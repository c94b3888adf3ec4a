/* SPDX-License-Identifier: Apache-2.0 */
/* route.c -- resolves a path, like kube-apiserver's RequestInfo and its routes:
 *
 *     /api/v1/[watch/]RESOURCE[/NAME[/SUBRESOURCE]]
 *     /api/v1/[watch/]namespaces/NAMESPACE/RESOURCE[/NAME[/SUBRESOURCE]]
 *     /apis/GROUP/VERSION/...  the same
 *
 * After namespaces/NAMESPACE comes a resource, except that "status" and "finalize" are subresources
 * of the namespace itself. */
#include "api/http/route.h"

#include <string.h>

#include "api/media/percent.h"
#include "base/str.h"
#include "schema/kinds/subresource.h"

enum {
    SEGMENTS_MAX = 10, /* apis/g/v/watch/namespaces/n/resource/name/sub, and one more */
};

typedef struct segments {
    lw_str at[SEGMENTS_MAX];
    size_t count;
    size_t next; /* the first segment that is not resolved yet */
    bool is_odd; /* a segment is empty or cannot be a name */
} segments;

static bool has_next(const segments *path)
{
    return path->next < path->count;
}

static lw_str take(segments *path)
{
    return has_next(path) ? path->at[path->next++] : lw_str_make(NULL, 0);
}

static bool next_is(const segments *path, const char *word)
{
    return has_next(path) && lw_str_equal(path->at[path->next], lw_str_of(word));
}

/* A decoded segment must not contain a path: it becomes part of a key in the store. */
static bool is_odd(lw_str segment)
{
    return segment.len == 0 || memchr(segment.ptr, '/', segment.len) ||
           lw_str_equal(segment, LW_STR(".")) || lw_str_equal(segment, LW_STR(".."));
}

static lw_status decode_segment(lw_str *segment, lw_buf *scratch)
{
    size_t before = scratch->len;
    if (memchr(segment->ptr, '%', segment->len)) {
        if (!lw_percent_decode(*segment, false, scratch))
            return LW_ERR_INVALID;
        *segment = lw_str_skip(lw_buf_view(scratch), before);
    }
    return memchr(segment->ptr, '\0', segment->len) ? LW_ERR_INVALID : LW_OK;
}

static lw_status split(segments *path, lw_str text, lw_buf *scratch)
{
    /* Decoded text is never longer, so views into |scratch| stay valid. */
    lw_status st = lw_buf_reserve(scratch, text.len);
    if (st < 0)
        return st;
    text = lw_str_skip(text, 1);
    if (lw_str_ends_with(text, LW_STR("/")))
        text.len--;
    while (text.len > 0 && path->count < SEGMENTS_MAX) {
        lw_str segment;
        bool has_more = lw_str_cut(text, '/', &segment, &text);
        if (segment.len > 0 && (st = decode_segment(&segment, scratch)) < 0)
            return st;
        path->is_odd = path->is_odd || is_odd(segment) || (has_more && text.len == 0);
        path->at[path->count++] = segment;
    }
    path->is_odd = path->is_odd || text.len > 0;
    return LW_OK;
}

/* The bit of a subresource; 0: there is none of this name. */
static unsigned subresource_of(lw_str name)
{
    const lw_subresource *sub = lw_subresources;
    while (sub->bit && !lw_str_equal(sub->name, name))
        sub++;
    return sub->bit;
}

/* Returns the verb of |method| on a subresource; 0: none. */
static unsigned subresource_verb(unsigned subresource, lw_http_method method)
{
    const lw_subresource *sub = lw_subresources;
    while (sub->bit && sub->bit != subresource)
        sub++;
    switch (method) {
    case LW_HTTP_GET: return LW_VERB_GET & sub->verbs;
    case LW_HTTP_PUT: return LW_VERB_UPDATE & sub->verbs;
    case LW_HTTP_PATCH: return LW_VERB_PATCH & sub->verbs;
    case LW_HTTP_POST: return LW_VERB_CREATE & sub->verbs;
    default: return 0;
    }
}

static unsigned item_verb(lw_http_method method, bool is_watch_path)
{
    if (is_watch_path)
        return method == LW_HTTP_GET ? LW_VERB_WATCH : 0;
    switch (method) {
    case LW_HTTP_GET: return LW_VERB_GET;
    case LW_HTTP_PUT: return LW_VERB_UPDATE;
    case LW_HTTP_PATCH: return LW_VERB_PATCH;
    case LW_HTTP_DELETE: return LW_VERB_DELETE;
    default: return 0;
    }
}

static unsigned collection_verb(lw_http_method method, bool is_watch)
{
    switch (method) {
    case LW_HTTP_GET: return is_watch ? LW_VERB_WATCH : LW_VERB_LIST;
    case LW_HTTP_POST: return LW_VERB_CREATE;
    case LW_HTTP_DELETE: return LW_VERB_DELETE_COLLECTION;
    default: return 0;
    }
}

/* Sets the verb of the method on the target of the path, or the target NO_METHOD. */
static void choose_verb(lw_route *route, lw_http_method method, bool is_watch, bool is_watch_path)
{
    const lw_kind *kind = route->kind;
    if (route->subresource) {
        route->verb = is_watch_path ? 0 : subresource_verb(route->subresource, method);
    } else if (route->name.len > 0) {
        route->verb = item_verb(method, is_watch_path) & kind->verbs;
    } else {
        route->verb =
            collection_verb(is_watch_path && method != LW_HTTP_GET ? LW_HTTP_OTHER : method,
                            is_watch || is_watch_path) &
            kind->verbs;
        /* Across all namespaces only list and watch are possible. */
        if (kind->is_namespaced && route->ns.len == 0)
            route->verb &= LW_VERB_LIST | LW_VERB_WATCH;
    }
    route->target = route->verb ? LW_ROUTE_RESOURCE : LW_ROUTE_NO_METHOD;
}

/* Returns true if "namespaces/x" is the scope of a resource, not the namespace x itself. */
static bool is_namespace_scope(const segments *path)
{
    if (!next_is(path, "namespaces") || path->count - path->next < 3)
        return false;
    lw_str third = path->at[path->next + 2];
    return !lw_str_equal(third, LW_STR("status")) && !lw_str_equal(third, LW_STR("finalize"));
}

/* A path on which no method is possible does not exist: reviews have neither objects nor lists. */
static bool has_place(const lw_route *route, const lw_kind *kind)
{
    if (route->name.len > 0)
        return kind->verbs & LW_VERBS_OF_OBJECT;
    return !kind->is_namespaced || route->ns.len > 0 || kind->verbs & LW_VERB_LIST;
}

/* A custom resource has any subresource, but not this one of this object, as in kube-apiserver. */
static void set_missing(lw_route *route, const lw_kind *kind)
{
    route->kind = kind;
    route->target = LW_ROUTE_NO_SUBRESOURCE;
}

/* Resolves everything below /api/v1 or /apis/g/v. */
static void find_resource(lw_route *route, const lw_registry *registry, segments *path,
                          lw_http_method method, bool is_watch)
{
    route->target = LW_ROUTE_NO_RESOURCE;
    bool is_watch_path = next_is(path, "watch") && path->count - path->next > 1;
    if (is_watch_path)
        path->next++;
    if (is_namespace_scope(path)) {
        path->next++;
        route->ns = take(path);
    }
    lw_str plural = take(path);
    route->name = take(path);
    lw_str subresource = take(path);
    const lw_kind *kind = lw_registry_find(registry, route->group, route->version, plural);
    if (!kind || has_next(path))
        return;
    if (route->ns.len > 0 && !kind->is_namespaced)
        return;
    if (route->name.len > 0 && kind->is_namespaced && route->ns.len == 0)
        return;
    if (!has_place(route, kind))
        return;
    if (subresource.len > 0) {
        route->subresource =
            subresource_of(subresource) & kind->subresources & ~(unsigned)LW_SUBS_CONNECTED;
        if (!route->subresource) {
            if (kind->flags & LW_KIND_CUSTOM && !is_watch_path)
                set_missing(route, kind);
            return;
        }
    }
    route->kind = kind;
    choose_verb(route, method, is_watch, is_watch_path);
}

/* Returns true if |group|, in any version or in |version|, has built-in kinds: it exists whatever
 * custom versions it has. */
static bool has_built_in(const lw_registry *registry, lw_str group, const lw_str *version)
{
    size_t count;
    const lw_kind *const *kinds = lw_registry_kinds(registry, &count);
    for (size_t i = 0; i < count; i++) {
        if (!(kinds[i]->flags & LW_KIND_CUSTOM) && lw_str_equal(kinds[i]->group, group) &&
            (!version || lw_str_equal(kinds[i]->version, *version)))
            return true;
    }
    return false;
}

/* The documents of /api and of built-in versions have routes for GET only; those of /apis, of
 * groups and of custom versions are sent whatever the method is, as by kube-apiserver. */
static bool takes_any_method(const lw_route *route, const lw_registry *registry, bool is_core)
{
    return !is_core &&
           (route->version.len == 0 || !has_built_in(registry, route->group, &route->version));
}

static void find_below_api(lw_route *route, const lw_registry *registry, segments *path,
                           lw_http_method method, bool is_watch)
{
    bool is_core = next_is(path, "api");
    route->root = take(path);
    if (!is_core)
        route->group = take(path);
    route->version = take(path);
    bool is_document = !has_next(path);
    bool is_root = route->group.len == 0 && route->version.len == 0;
    bool is_known = is_root || lw_registry_has_group(registry, route->group, route->version);
    if (is_document && !is_root)
        is_known = lw_registry_tells_of_group(registry, route->group, route->version);
    bool is_group = is_core || has_built_in(registry, route->group, NULL);
    if (!is_known)
        route->target = is_group ? LW_ROUTE_NO_RESOURCE : LW_ROUTE_NOWHERE;
    else if (is_document)
        route->target = method == LW_HTTP_GET || takes_any_method(route, registry, is_core)
                            ? LW_ROUTE_DISCOVERY
                            : LW_ROUTE_NO_METHOD;
    else
        find_resource(route, registry, path, method, is_watch);
}

/* Resolves /openapi/v2, /openapi/v3, /openapi/v3/api/v1 and /openapi/v3/apis/g/v. */
static void find_openapi(lw_route *route, segments *path)
{
    path->next++;
    bool is_v3 = next_is(path, "v3");
    if (!is_v3 && !(next_is(path, "v2") && path->count == 2)) {
        route->target = LW_ROUTE_NOWHERE;
        return;
    }
    route->root = take(path);
    bool is_core = next_is(path, "api"), has_gv = has_next(path);
    if (has_gv) {
        lw_str root = take(path);
        if (!is_core)
            route->group = take(path);
        route->version = take(path);
        if (route->version.len == 0 || has_next(path) ||
            (!is_core && !lw_str_equal(root, LW_STR("apis")))) {
            route->target = LW_ROUTE_NOWHERE;
            return;
        }
    }
    route->target = LW_ROUTE_OPENAPI;
}

lw_status lw_route_find(lw_route *route, const lw_registry *registry, lw_http_method method,
                        lw_str path, bool is_watch, lw_buf *scratch)
{
    segments parts = { .count = 0 };
    *route = (lw_route){ .target = LW_ROUTE_FOREIGN };
    if (path.len == 0 || path.ptr[0] != '/')
        return LW_OK;
    lw_status st = split(&parts, path, scratch);
    if (st < 0)
        return st;
    bool is_api = next_is(&parts, "api") || next_is(&parts, "apis");
    bool is_openapi = next_is(&parts, "openapi");
    bool is_version = next_is(&parts, "version") && parts.count == 1;
    if ((is_api || is_openapi) && parts.is_odd)
        route->target = LW_ROUTE_NOWHERE;
    else if (is_api)
        find_below_api(route, registry, &parts, method, is_watch);
    else if (is_openapi)
        find_openapi(route, &parts);
    else if (is_version)
        route->target = method == LW_HTTP_GET ? LW_ROUTE_VERSION : LW_ROUTE_NO_METHOD;
    return LW_OK;
}
