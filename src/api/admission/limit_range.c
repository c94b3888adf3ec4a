/* SPDX-License-Identifier: Apache-2.0 */
/* limit_range.c -- applies LimitRanges: defaults and limits for containers, pods and claims. */
#include "api/admission/limit_range.h"

#include <stdarg.h>
#include <stdio.h>

#include "api/http/failures.h"
#include "api/pending/pod_resources.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    ANNOTATION_MAX = 16 * 1024,
    VIOLATIONS_MAX = 64, /* violations reported */
    FAULT_MAX = 1024,
};

#define ANNOTATION LW_STR("kubernetes.io/limit-ranger")

/* Lists the LimitRanges of the object's namespace.  LW_ERR_NOMEM, or another error of the cache. */
static lw_status list_ranges(const lw_pending_object *pending, lw_cache_list *list)
{
    const lw_cache_filter filter = { .ns = lw_fields_text(pending->metadata, "namespace") };
    lw_cache_resource *resource = lw_api_resource(pending->port->api, &lw_kind_limitranges);
    return lw_cache_list_now(resource, &filter, LW_STR(""), 0, list, NULL);
}

static size_t count_of(const lw_node *list)
{
    return lw_node_is(list, LW_JSON_ARRAY) ? lw_node_count(list) : 0;
}

/* Copies the missing |defaults| into |kind| ("limits") of |resources|; appends their names to
 * |names|. */
static void fill_in(lw_tree *tree, lw_node *resources, const char *kind, const lw_node *defaults,
                    lw_buf *names)
{
    lw_amounts sorted = { .list = NULL };
    lw_node *list = lw_fields_object(tree, resources, kind);
    lw_amounts_read(&sorted, defaults);
    for (size_t i = 0; list && i < sorted.count; i++) {
        lw_str name = lw_str_of(sorted.list[i].name);
        if (lw_node_get(list, name))
            continue;
        lw_buf_append_text(names, names->len > 0 ? ", " : "");
        lw_buf_append_str(names, name);
        lw_node_put(tree, list, name, lw_tree_copy(tree, lw_node_get(defaults, name)));
    }
    if (sorted.st < 0 && names->st == LW_OK)
        names->st = sorted.st;
    if (list && lw_node_count(list) == 0)
        (void)lw_node_remove(resources, lw_str_of(kind));
    lw_amounts_done(&sorted);
}

/* Appends to the annotation: "cpu, memory request for container a". */
static void append_note(lw_buf *text, const lw_buf *names, const char *what, const char *where,
                        const lw_node *container)
{
    if (names->len > 0)
        lw_buf_printf(text, "%s%.*s %s for %s %.*s", text->len > 0 ? "; " : "",
                      LW_STR_ARG(lw_buf_view(names)), what, where,
                      LW_STR_ARG(lw_fields_text(container, "name")));
    if (names->st < 0 && text->st == LW_OK)
        text->st = names->st;
}

static void default_containers(lw_pending_object *pending, const char *list_at, const char *where,
                               const lw_node *item, lw_buf *text)
{
    const lw_node *list = lw_fields_find(pending->root, list_at);
    lw_buf limits, requests;
    lw_buf_init(&limits, ANNOTATION_MAX);
    lw_buf_init(&requests, ANNOTATION_MAX);
    for (size_t i = 0; i < count_of(list); i++) {
        lw_node *container = lw_node_at(list, i);
        lw_node *resources = lw_fields_object(pending->tree, container, "resources");
        lw_buf_reset(&limits);
        lw_buf_reset(&requests);
        fill_in(pending->tree, resources, "limits", lw_node_get(item, LW_STR("default")), &limits);
        fill_in(pending->tree, resources, "requests", lw_node_get(item, LW_STR("defaultRequest")),
                &requests);
        append_note(text, &requests, "request", where, container);
        append_note(text, &limits, "limit", where, container);
    }
    lw_buf_done(&limits);
    lw_buf_done(&requests);
}

static void default_by(lw_pending_object *pending, const lw_node *range)
{
    const lw_node *items = lw_fields_find(range, "/spec/limits");
    lw_buf text;
    lw_buf_init(&text, ANNOTATION_MAX);
    for (size_t i = 0; i < count_of(items); i++) {
        const lw_node *item = lw_node_at(items, i);
        if (!lw_str_equal(lw_fields_text(item, "type"), LW_STR("Container")))
            continue;
        default_containers(pending, "/spec/containers", "container", item, &text);
        default_containers(pending, "/spec/initContainers", "init container", item, &text);
    }
    if (text.len > 0) {
        lw_buf annotation;
        lw_buf_init(&annotation, ANNOTATION_MAX);
        lw_buf_append_text(&annotation, "LimitRanger plugin set: ");
        lw_buf_append_str(&annotation, lw_buf_view(&text));
        lw_node *annotations = lw_fields_object(pending->tree, pending->metadata, "annotations");
        lw_node_put(pending->tree, annotations, ANNOTATION,
                    lw_tree_string(pending->tree, lw_buf_view(&annotation)));
        lw_pending_object_note(pending, annotation.st);
        lw_buf_done(&annotation);
    }
    lw_pending_object_note(pending, text.st);
    lw_buf_done(&text);
}

void lw_limit_range_default(lw_pending_object *pending)
{
    lw_cache_list list = { 0 };
    lw_status st = list_ranges(pending, &list);
    for (size_t i = 0; st == LW_OK && i < list.count; i++) {
        lw_tree *tree = NULL;
        st = lw_tree_parse(&tree, lw_object_json(list.objects[i]), 0, NULL);
        if (st == LW_OK)
            default_by(pending, lw_tree_root(tree));
        lw_tree_free(tree);
    }
    lw_pending_object_note(pending, st);
    lw_cache_list_done(&list);
}

/* The violations found, each reported once. */
typedef struct findings {
    lw_buf texts[VIOLATIONS_MAX];
    size_t count;
    lw_status st;
} findings;

/* The object being checked ("Container"), with its requests and limits. */
typedef struct subject {
    findings *found;
    lw_str type;
    const lw_amounts *requests;
    const lw_amounts *limits; /* NULL: this type has no limits */
} subject;

static void add_finding(const subject *s, const char *format, ...) LW_PRINTF(2, 3);

static void add_finding(const subject *s, const char *format, ...)
{
    char text[FAULT_MAX];
    va_list args;
    findings *found = s->found;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    for (size_t i = 0; i < found->count; i++) {
        if (lw_str_equal(lw_buf_view(&found->texts[i]), lw_str_of(text)))
            return;
    }
    if (found->count == VIOLATIONS_MAX)
        return;
    lw_buf *own = &found->texts[found->count++];
    lw_buf_init(own, FAULT_MAX);
    lw_buf_append_text(own, text);
    if (own->st < 0)
        found->st = own->st;
}

/* A quantity with its text. */
typedef struct shown {
    const lw_quantity *quantity; /* NULL: none */
    char text[LW_QUANTITY_SIZE];
} shown;

static shown show(const lw_amounts *amounts, lw_str name)
{
    shown s = { .quantity = amounts ? lw_amounts_get(amounts, name) : NULL };
    s.text[0] = '\0';
    if (s.quantity)
        lw_quantity_format(s.text, *s.quantity);
    return s;
}

static bool is_less(const shown *a, const shown *b)
{
    return lw_quantity_compare(*a->quantity, *b->quantity) < 0;
}

static void check_min(const subject *s, const char *name, const shown *bound)
{
    shown request = show(s->requests, lw_str_of(name)), limit = show(s->limits, lw_str_of(name));
    if (!request.quantity)
        add_finding(s, "minimum %s usage per %.*s is %s.  No request is specified", name,
                    LW_STR_ARG(s->type), bound->text);
    else if (is_less(&request, bound))
        add_finding(s, "minimum %s usage per %.*s is %s, but request is %s", name,
                    LW_STR_ARG(s->type), bound->text, request.text);
    else if (limit.quantity && is_less(&limit, bound))
        add_finding(s, "minimum %s usage per %.*s is %s, but limit is %s", name,
                    LW_STR_ARG(s->type), bound->text, limit.text);
}

static void check_max(const subject *s, const char *name, const shown *bound)
{
    shown request = show(s->requests, lw_str_of(name)), limit = show(s->limits, lw_str_of(name));
    const shown *first = s->limits ? &limit : &request;
    const char *what = s->limits ? "limit" : "request";
    if (!first->quantity)
        add_finding(s, "maximum %s usage per %.*s is %s.  No %s is specified", name,
                    LW_STR_ARG(s->type), bound->text, what);
    else if (is_less(bound, first))
        add_finding(s, "maximum %s usage per %.*s is %s, but %s is %s", name, LW_STR_ARG(s->type),
                    bound->text, what, first->text);
    else if (request.quantity && is_less(bound, &request))
        add_finding(s, "maximum %s usage per %.*s is %s, but request is %s", name,
                    LW_STR_ARG(s->type), bound->text, request.text);
}

static void check_ratio(const subject *s, const char *name, const shown *bound)
{
    shown request = show(s->requests, lw_str_of(name)), limit = show(s->limits, lw_str_of(name));
    bool has_request = request.quantity && request.quantity->nanos > 0;
    bool has_limit = limit.quantity && limit.quantity->nanos > 0;
    if (!has_request || !has_limit) {
        const char *what = has_request ? "limit" : "request";
        add_finding(s,
                    "%s max limit to request ratio per %.*s is %s, but no %s is specified or %s is "
                    "0",
                    name, LW_STR_ARG(s->type), bound->text, what, what);
        return;
    }
    double ratio = (double)limit.quantity->nanos / (double)request.quantity->nanos;
    if (ratio > (double)bound->quantity->nanos / 1e9)
        add_finding(s, "%s max limit to request ratio per %.*s is %s, but provided ratio is %f",
                    name, LW_STR_ARG(s->type), bound->text, ratio);
}

typedef void (*bound_check)(const subject *s, const char *name, const shown *bound);

static void check_bounds(const subject *s, const lw_node *item, const char *key, bound_check check)
{
    lw_amounts bounds = { .list = NULL };
    lw_amounts_read(&bounds, lw_node_get(item, lw_str_of(key)));
    for (size_t i = 0; i < bounds.count; i++) {
        shown bound = show(&bounds, lw_str_of(bounds.list[i].name));
        check(s, bounds.list[i].name, &bound);
    }
    if (s->found->st == LW_OK)
        s->found->st = bounds.st;
    lw_amounts_done(&bounds);
}

static void check_item(const subject *s, const lw_node *item)
{
    if (s->found->st == LW_OK)
        s->found->st = s->requests->st;
    if (s->found->st == LW_OK && s->limits)
        s->found->st = s->limits->st;
    check_bounds(s, item, "min", check_min);
    check_bounds(s, item, "max", check_max);
    if (s->limits)
        check_bounds(s, item, "maxLimitRequestRatio", check_ratio);
}

static void check_containers(findings *found, const lw_node *list, const lw_node *item)
{
    for (size_t i = 0; i < count_of(list); i++) {
        lw_amounts requests = { .list = NULL }, limits = { .list = NULL };
        const lw_node *container = lw_node_at(list, i);
        const subject s = { found, LW_STR("Container"), &requests, &limits };
        lw_amounts_read(&requests, lw_container_resources(container, LW_POD_REQUESTS));
        lw_amounts_read(&limits, lw_container_resources(container, LW_POD_LIMITS));
        check_item(&s, item);
        lw_amounts_done(&requests);
        lw_amounts_done(&limits);
    }
}

static void check_pod(findings *found, const lw_node *pod, const lw_node *item)
{
    lw_str type = lw_fields_text(item, "type");
    const lw_node *spec = lw_node_get(pod, LW_STR("spec"));
    lw_amounts requests = { .list = NULL }, limits = { .list = NULL };
    if (lw_str_equal(type, LW_STR("Container"))) {
        check_containers(found, lw_node_get(spec, LW_STR("containers")), item);
        check_containers(found, lw_node_get(spec, LW_STR("initContainers")), item);
    } else if (lw_str_equal(type, LW_STR("Pod"))) {
        const subject s = { found, type, &requests, &limits };
        lw_pod_resources_add(&requests, spec, LW_POD_REQUESTS);
        lw_pod_resources_add(&limits, spec, LW_POD_LIMITS);
        check_item(&s, item);
        lw_amounts_done(&requests);
        lw_amounts_done(&limits);
    }
}

static void check_claim(findings *found, const lw_node *claim, const lw_node *item)
{
    lw_amounts requests = { .list = NULL };
    lw_str type = lw_fields_text(item, "type");
    if (!lw_str_equal(type, LW_STR("PersistentVolumeClaim")))
        return;
    const subject s = { found, type, &requests, NULL };
    lw_amounts_read(&requests, lw_fields_find(claim, "/spec/resources/requests"));
    check_item(&s, item);
    lw_amounts_done(&requests);
}

static void check_range(findings *found, const lw_pending_object *pending, const lw_object *range)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, lw_object_json(range), 0, NULL);
    if (st < 0) {
        found->st = st;
        return;
    }
    const lw_node *items = lw_fields_find(lw_tree_root(tree), "/spec/limits");
    for (size_t i = 0; i < count_of(items); i++) {
        if (pending->kind == &lw_kind_pods)
            check_pod(found, pending->root, lw_node_at(items, i));
        else
            check_claim(found, pending->root, lw_node_at(items, i));
    }
    lw_tree_free(tree);
}

/* Refuses with 403: pods "a" is forbidden: [first violation, second violation] */
static void refuse(const findings *found, const lw_pending_object *pending, lw_str name,
                   lw_api_status *status)
{
    lw_buf why;
    lw_buf_init(&why, LW_API_STATUS_TEXT_MAX);
    lw_buf_append_text(&why, found->count > 1 ? "[" : "");
    for (size_t i = 0; i < found->count; i++) {
        lw_buf_append_text(&why, i > 0 ? ", " : "");
        lw_buf_append_str(&why, lw_buf_view(&found->texts[i]));
    }
    lw_buf_append_text(&why, found->count > 1 ? "]" : "");
    lw_api_status_forbidden(status, lw_kind_gvr(pending->kind), name, lw_buf_view(&why));
    if (why.st < 0)
        status->st = why.st;
    lw_buf_done(&why);
}

static bool is_limited(const lw_pending_object *pending)
{
    if (pending->kind == &lw_kind_pods)
        return !pending->old; /* the resources of an existing pod cannot change */
    return pending->kind == &lw_kind_persistentvolumeclaims &&
           lw_fields_text_at(pending->old, "/metadata/deletionTimestamp").len == 0;
}

bool lw_limit_range_admits(const lw_pending_object *pending, lw_str name, lw_api_status *status)
{
    lw_cache_list list = { 0 };
    findings found = { .count = 0 };
    if (!is_limited(pending))
        return true;
    found.st = list_ranges(pending, &list);
    /* The LimitRanges are checked in order; the first one that is violated decides the message. */
    for (size_t i = 0; found.st == LW_OK && found.count == 0 && i < list.count; i++)
        check_range(&found, pending, list.objects[i]);
    bool is_good = found.st == LW_OK && found.count == 0;
    if (found.st < 0)
        lw_api_status_unreadable(status, found.st);
    else if (!is_good)
        refuse(&found, pending, name, status);
    for (size_t i = 0; i < found.count; i++)
        lw_buf_done(&found.texts[i]);
    lw_cache_list_done(&list);
    return is_good;
}
