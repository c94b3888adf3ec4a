/* SPDX-License-Identifier: Apache-2.0 */
/* source_union.c -- several sources as one.
 *
 * A continue token of the union is "INDEX:TOKEN", with the token of the source of that index.  When
 * the watch of one source ends, the watch of the union ends.  The others are cancelled by the next
 * call of the reflector, not in the callback of a source; until then they are ignored. */
#include "informer/source_union.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

enum {
    RV_SIZE = 128, /* bytes of a resourceVersion with its NUL, as in the reflector */
};

typedef struct union_source union_source;
typedef struct union_call union_call;

/* The request of one source. */
typedef struct member_call {
    union_call *call;
    size_t index;
    lw_source_call *request; /* NULL: it has ended */
} member_call;

struct union_call {
    union_source *source;
    lw_source_sink sink;
    size_t opened;
    bool is_over; /* the reflector was told; ignore what comes */
    size_t count;
    member_call members[];
};

typedef struct member {
    lw_source *source;
    char rv[RV_SIZE]; /* up to which the reflector has all */
} member;

struct union_source {
    lw_source base;
    lw_provider *provider;
    size_t count;           /* of |members| */
    size_t used;            /* 1 for cluster-scoped resources */
    char asked_rv[RV_SIZE]; /* of the list in progress */
    union_call *over;       /* a watch that has ended; its members are cancelled later */
    const char *(*taken)(const void *arg);
    const void *taken_arg;
    member members[];
};

bool lw_source_union_is_wanted(const lw_source_spec *spec)
{
    return spec->ns && strchr(spec->ns, ',');
}

/* Returns the next name of the list |*rest|; false: there are no more. */
static bool next_name(lw_str *rest, lw_str *name)
{
    if (!rest->ptr)
        return false;
    if (!lw_str_cut(*rest, ',', name, rest))
        *rest = lw_str_make(NULL, 0);
    return true;
}

lw_status lw_source_union_check(const char *ns, lw_error *err)
{
    lw_str rest = lw_str_of(ns), name, other;
    size_t count = 0;
    while (next_name(&rest, &name)) {
        lw_str later = rest;
        if (name.len == 0)
            return lw_error_set(err, LW_ERR_INVALID,
                                "the list of namespaces \"%s\" has an empty name", ns);
        if (++count > LW_SOURCE_UNION_MAX)
            return lw_error_set(err, LW_ERR_INVALID, "an informer can have at most %d namespaces",
                                LW_SOURCE_UNION_MAX);
        while (next_name(&later, &other)) {
            if (lw_str_equal(name, other))
                return lw_error_set(err, LW_ERR_INVALID, "namespace \"%.*s\" is listed twice",
                                    LW_STR_ARG(name));
        }
    }
    return LW_OK;
}

static union_source *union_of(lw_source *source)
{
    return (union_source *)(void *)source;
}

static void call_free(union_call *call)
{
    if (!call)
        return;
    for (size_t i = 0; i < call->count; i++) {
        lw_source *source = call->source->members[i].source;
        if (call->members[i].request)
            source->ops->cancel(source, call->members[i].request);
    }
    lw_free(call);
}

static void clear_over(union_source *u)
{
    call_free(u->over);
    u->over = NULL;
}

static union_call *call_new(union_source *u, const lw_source_sink *sink)
{
    clear_over(u);
    union_call *call = lw_alloc_zero(1, sizeof(*call) + u->used * sizeof(member_call));
    if (!call)
        return NULL;
    call->source = u;
    call->sink = *sink;
    call->count = u->used;
    for (size_t i = 0; i < call->count; i++)
        call->members[i] = (member_call){ .call = call, .index = i };
    return call;
}

static void set_rv(char rv[RV_SIZE], const char *text)
{
    (void)snprintf(rv, RV_SIZE, "%s", text ? text : "");
}

/* A list: one page of one source. */

static void list_object(const lw_object *obj, void *arg)
{
    const member_call *m = arg;
    m->call->sink.on_object(obj, m->call->sink.arg);
}

static void list_fail(const lw_error *err, void *arg)
{
    member_call *m = arg;
    lw_source_sink sink = m->call->sink;
    m->request = NULL;
    call_free(m->call);
    sink.on_fail(err, sink.arg);
}

static void list_end(const lw_list_metadata *page, void *arg)
{
    member_call *m = arg;
    union_source *u = m->call->source;
    lw_source_sink sink = m->call->sink;
    size_t next = m->index;
    lw_source_type type;
    const lw_provider_ops *ops = u->provider->ops;
    m->request = NULL;
    set_rv(u->members[next].rv, page->resource_version);
    call_free(m->call);
    if (next == 0 && ops->type && ops->type(u->provider, u->members[0].source, &type) &&
        !type.is_namespaced)
        u->used = 1; /* every source would list all objects */
    if (page->continue_token[0] == '\0')
        next++;
    if (next == u->used) {
        sink.on_list_end(page, sink.arg);
        return;
    }
    size_t size = strlen(page->continue_token) + 24;
    char *token = lw_alloc(size);
    lw_error err = LW_ERROR_INIT;
    if (!token) {
        (void)lw_error_nomem(&err);
        sink.on_fail(&err, sink.arg);
        return;
    }
    (void)snprintf(token, size, "%zu:%s", next, page->continue_token);
    lw_list_metadata changed = *page;
    changed.continue_token = token;
    changed.remaining_item_count = -1;
    sink.on_list_end(&changed, sink.arg);
    lw_free(token);
}

/* Splits "INDEX:TOKEN"; the first page has no token. */
static size_t split_token(const union_source *u, const char *token, const char **rest)
{
    lw_str head, tail;
    uint64_t index = 0;
    *rest = "";
    if (!token || !token[0] || !lw_str_cut(lw_str_of(token), ':', &head, &tail) ||
        !lw_str_to_uint64(head, &index) || index >= u->used)
        return 0;
    *rest = tail.ptr ? tail.ptr : "";
    return (size_t)index;
}

static lw_status union_list(lw_source *source, const lw_source_request *request,
                            const lw_source_sink *sink, lw_source_call **out, lw_error *err)
{
    union_source *u = union_of(source);
    lw_source_request part = *request;
    const char *token;
    size_t index = split_token(u, request->continue_token, &token);
    if (!request->continue_token || !request->continue_token[0]) {
        set_rv(u->asked_rv, request->resource_version);
        u->used = u->count;
    }
    union_call *call = call_new(u, sink);
    if (!call)
        return lw_error_nomem(err);
    part.continue_token = token;
    part.resource_version = token[0] ? "" : u->asked_rv;
    const lw_source_sink inner = { .on_object = list_object,
                                   .on_list_end = list_end,
                                   .on_fail = list_fail,
                                   .arg = &call->members[index] };
    lw_source *of = u->members[index].source;
    lw_status st = of->ops->list(of, &part, &inner, &call->members[index].request, err);
    if (st < 0) {
        call_free(call);
        return st;
    }
    *out = (lw_source_call *)(void *)call;
    return LW_OK;
}

/* A watch: of all sources. */

static void watch_open(void *arg)
{
    const member_call *m = arg;
    union_call *call = m->call;
    if (!call->is_over && ++call->opened == call->count)
        call->sink.on_open(call->sink.arg);
}

static void watch_event(const lw_watch_event *event, void *arg)
{
    const member_call *m = arg;
    union_call *call = m->call;
    union_source *u = call->source;
    const char *rv = event->object ? lw_object_resource_version(event->object) : "";
    if (call->is_over)
        return;
    if (event->type == LW_WATCH_BOOKMARK && rv[0]) {
        set_rv(u->members[m->index].rv, rv);
        return;
    }
    call->sink.on_event(event, call->sink.arg);
    /* The reflector does not take events while its queue is full. */
    if (event->type != LW_WATCH_ERROR && rv[0] && u->taken &&
        strcmp(u->taken(u->taken_arg), rv) == 0)
        set_rv(u->members[m->index].rv, rv);
}

static void watch_fail(const lw_error *err, void *arg)
{
    member_call *m = arg;
    union_call *call = m->call;
    m->request = NULL;
    if (call->is_over)
        return;
    call->is_over = true;
    call->source->over = call;
    call->sink.on_fail(err, call->sink.arg);
}

static lw_status union_watch(lw_source *source, const lw_source_request *request,
                             const lw_source_sink *sink, lw_source_call **out, lw_error *err)
{
    union_source *u = union_of(source);
    lw_status st = LW_OK;
    if (request->sends_initial_events)
        return lw_error_set(err, LW_ERR_UNSUPPORTED,
                            "streaming lists of several namespaces are not supported");
    union_call *call = call_new(u, sink);
    if (!call)
        return lw_error_nomem(err);
    for (size_t i = 0; st == LW_OK && i < u->used; i++) {
        lw_source_request part = *request;
        lw_source *of = u->members[i].source;
        part.resource_version = u->members[i].rv;
        const lw_source_sink inner = { .on_open = watch_open,
                                       .on_event = watch_event,
                                       .on_fail = watch_fail,
                                       .arg = &call->members[i] };
        st = of->ops->watch(of, &part, &inner, &call->members[i].request, err);
    }
    if (st < 0) {
        call_free(call);
        return st;
    }
    *out = (lw_source_call *)(void *)call;
    return LW_OK;
}

static void union_cancel(lw_source *source, lw_source_call *call)
{
    (void)source;
    call_free((union_call *)(void *)call);
}

static void union_free(lw_source *source)
{
    union_source *u = union_of(source);
    clear_over(u);
    for (size_t i = 0; i < u->count; i++) {
        if (u->members[i].source)
            u->members[i].source->ops->free(u->members[i].source);
    }
    lw_free(u);
}

static const lw_source_ops ops = { union_list, union_watch, union_cancel, union_free };

static lw_status open_member(union_source *u, const lw_source_spec *spec, lw_str name, size_t index,
                             lw_error *err)
{
    lw_source_spec one = *spec;
    char *ns = lw_str_dup(name);
    if (!ns)
        return lw_error_nomem(err);
    one.ns = ns;
    lw_status st = u->provider->ops->open(u->provider, &one, &u->members[index].source, err);
    lw_free(ns);
    return st;
}

lw_status lw_source_union_open(lw_provider *provider, const lw_source_spec *spec, lw_source **out,
                               lw_error *err)
{
    lw_str rest = lw_str_of(spec->ns), name;
    size_t count = 0, i = 0;
    while (next_name(&rest, &name))
        count++;
    union_source *u = lw_alloc_zero(1, sizeof(*u) + count * sizeof(member));
    if (!u)
        return lw_error_nomem(err);
    u->base.ops = &ops;
    u->provider = provider;
    u->count = u->used = count;
    lw_status st = LW_OK;
    rest = lw_str_of(spec->ns);
    while (st == LW_OK && next_name(&rest, &name))
        st = open_member(u, spec, name, i++, err);
    if (st < 0) {
        union_free(&u->base);
        return st;
    }
    *out = &u->base;
    return LW_OK;
}

void lw_source_union_follow(lw_source *source, const char *(*taken)(const void *arg),
                            const void *arg)
{
    union_source *u = union_of(source);
    u->taken = taken;
    u->taken_arg = arg;
}

const lw_source *lw_source_union_first(const lw_source *source)
{
    return ((const union_source *)(const void *)source)->members[0].source;
}
