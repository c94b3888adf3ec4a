/* SPDX-License-Identifier: Apache-2.0 */
/* pod_security_namespace.c -- checks the labels of a namespace, and the pods in it. */
#include "api/admission/pod_security_namespace.h"

#include <stdlib.h>

#include "api/admission/pod_security.h"
#include "api/http/call.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    TEXT_MAX = LW_POD_REPORT_MAX,
    WARNINGS_BYTES_MAX = 16 * 1024 * 1024,
};

/* A violation that some pods have in common. */
typedef struct warning {
    lw_str text;
    lw_str pod; /* the first name */
    size_t count;
} warning;

typedef struct survey {
    lw_arena arena;
    warning *list; /* at most one for each pod */
    size_t count;
} survey;

static bool has_name(const lw_str *list, size_t count, lw_str text)
{
    for (size_t i = 0; i < count; i++) {
        if (lw_str_equal(list[i], text))
            return true;
    }
    return false;
}

/* Adds the violation of a pod to those that are known; there are few different ones. */
static void add_violation(survey *s, lw_str text, lw_str pod)
{
    for (size_t i = 0; i < s->count; i++) {
        warning *w = &s->list[i];
        if (!lw_str_equal(w->text, text))
            continue;
        if (lw_str_compare(pod, w->pod) < 0)
            w->pod = lw_arena_copy(&s->arena, pod);
        w->count++;
        return;
    }
    s->list[s->count++] =
        (warning){ lw_arena_copy(&s->arena, text), lw_arena_copy(&s->arena, pod), 1 };
}

static void check_pod(survey *s, lw_pod_standard standard, const lw_pod_security_config *config,
                      const lw_object *pod)
{
    lw_tree *tree = NULL;
    lw_pod_report report;
    if (lw_tree_parse(&tree, lw_object_json(pod), 0, NULL) < 0)
        return;
    const lw_node *root = lw_tree_root(tree), *spec = lw_node_get(root, LW_STR("spec"));
    lw_str class = lw_fields_text(spec, "runtimeClassName");
    lw_pod_report_init(&report);
    if (!(class.len > 0 && has_name(config->runtime_classes, config->runtime_class_count, class)) &&
        lw_pod_check(standard, lw_node_get(root, LW_STR("metadata")), spec, &report) == LW_OK &&
        report.count > 0)
        add_violation(s, lw_buf_view(&report.reasons), lw_str_of(lw_object_name(pod)));
    lw_pod_report_done(&report);
    lw_tree_free(tree);
}

/* Appends: a (and 2 other pods): hostPort, privileged */
static void append_warning(const warning *w, lw_buf *out)
{
    lw_buf_append_str(out, w->pod);
    if (w->count == 2)
        lw_buf_append_text(out, " (and 1 other pod)");
    else if (w->count > 2)
        lw_buf_printf(out, " (and %zu other pods)", w->count - 1);
    lw_buf_append_text(out, ": ");
    lw_buf_append_str(out, w->text);
}

static int compare_warnings(const void *a, const void *b)
{
    const warning *left = a, *right = b;
    int order = lw_str_compare(left->pod, right->pod);
    return order != 0 ? order : lw_str_compare(left->text, right->text);
}

static void warn_of_pods(lw_api_call *call, const survey *s, lw_str ns, lw_pod_standard standard,
                         size_t total)
{
    lw_buf text;
    lw_buf_init(&text, TEXT_MAX);
    if (total > LW_POD_SECURITY_PODS_MAX) {
        lw_buf_printf(&text,
                      "new PodSecurity enforce level only checked against the first %d of %zu "
                      "existing pods",
                      LW_POD_SECURITY_PODS_MAX, total);
        lw_call_warn(call, lw_buf_view(&text));
        lw_buf_truncate(&text, 0);
    }
    if (s->count > 0) {
        lw_buf_printf(&text,
                      "existing pods in namespace \"%.*s\" violate the new PodSecurity "
                      "enforce level \"",
                      LW_STR_ARG(ns));
        lw_pod_standard_append(standard, &text);
        lw_buf_append_char(&text, '"');
        lw_call_warn(call, lw_buf_view(&text));
        qsort(s->list, s->count, sizeof(*s->list), compare_warnings);
    }
    for (size_t i = 0; i < s->count; i++) {
        lw_buf_truncate(&text, 0);
        append_warning(&s->list[i], &text);
        lw_call_warn(call, lw_buf_view(&text));
    }
    lw_buf_done(&text);
}

static void survey_pods(lw_admission *admission, const lw_pod_security_config *config,
                        lw_pod_standard standard)
{
    survey s = { .count = 0 };
    lw_cache_list list = { 0 };
    const lw_cache_filter filter = { .ns = admission->name };
    const lw_api *api = admission->object->port->api;
    if (!admission->call)
        return;
    if (lw_cache_list_now(lw_api_resource(api, &lw_kind_pods), &filter, LW_STR(""),
                          LW_POD_SECURITY_PODS_MAX, &list, NULL) < 0) {
        lw_call_warn(admission->call,
                     LW_STR("failed to list pods while checking new PodSecurity enforce level"));
        return;
    }
    lw_arena_init(&s.arena, WARNINGS_BYTES_MAX);
    s.list = lw_arena_take_zero(&s.arena, list.count + 1, sizeof(*s.list));
    for (size_t i = 0; s.list && i < list.count; i++) {
        if (!lw_tree_charge(admission->object->tree, lw_object_json(list.objects[i]).len / 8))
            break;
        check_pod(&s, standard, config, list.objects[i]);
    }
    if (s.arena.st == LW_OK)
        warn_of_pods(admission->call, &s, admission->name, standard, list.count + list.remaining);
    lw_arena_done(&s.arena);
    lw_cache_list_done(&list);
}

static void append_mode(lw_buf *out, const lw_node *labels, const char *mode,
                        lw_pod_standard standard)
{
    lw_buf level, version;
    lw_buf_init(&level, TEXT_MAX);
    lw_buf_init(&version, TEXT_MAX);
    lw_buf_printf(&level, "%s%s", LW_POD_SECURITY_PREFIX, mode);
    lw_buf_printf(&version, "%s%s-version", LW_POD_SECURITY_PREFIX, mode);
    if (standard.level != LW_POD_PRIVILEGED &&
        (lw_node_get(labels, lw_buf_view(&level)) || lw_node_get(labels, lw_buf_view(&version)))) {
        lw_buf_printf(out, "%s%s=", out->len > 0 ? ", " : "", mode);
        lw_pod_standard_append(standard, out);
    }
    lw_buf_done(&level);
    lw_buf_done(&version);
}

static bool is_equivalent(lw_pod_standard a, lw_pod_standard b)
{
    return (a.level == LW_POD_PRIVILEGED && b.level == LW_POD_PRIVILEGED) ||
           lw_pod_standard_equal(a, b);
}

/* Warns that the labels of an exempt namespace do nothing. */
static void warn_of_exemption(lw_admission *admission, const lw_pod_security_config *config,
                              const lw_node *labels, const lw_pod_security *policy)
{
    lw_buf modes, text;
    if (!admission->call || lw_pod_security_is_privileged(policy) ||
        (is_equivalent(policy->enforce, config->defaults.enforce) &&
         is_equivalent(policy->audit, config->defaults.audit) &&
         is_equivalent(policy->warn, config->defaults.warn)))
        return;
    lw_buf_init(&modes, TEXT_MAX);
    lw_buf_init(&text, TEXT_MAX);
    append_mode(&modes, labels, "enforce", policy->enforce);
    append_mode(&modes, labels, "audit", policy->audit);
    append_mode(&modes, labels, "warn", policy->warn);
    lw_buf_printf(&text,
                  "namespace \"%.*s\" is exempt from Pod Security, and the policy (%.*s) "
                  "will be ignored",
                  LW_STR_ARG(admission->name), LW_STR_ARG(lw_buf_view(&modes)));
    lw_call_warn(admission->call, lw_buf_view(&text));
    lw_buf_done(&modes);
    lw_buf_done(&text);
}

/* Compares the errors of two sets of labels by their messages. */
static bool has_same_errors(const lw_api_status *a, const lw_api_status *b)
{
    bool is_same = a->cause_count == b->cause_count;
    for (size_t i = 0; is_same && i < a->cause_count; i++)
        is_same = lw_str_equal(lw_api_status_str(a, a->causes[i].message),
                               lw_api_status_str(b, b->causes[i].message));
    return is_same;
}

/* Refuses labels that are not valid, unless they were so before. */
static bool check_labels(lw_admission *admission, const lw_pod_security_config *config,
                         lw_pod_security *now, lw_pod_security *before)
{
    const lw_pending_object *object = admission->object;
    const lw_node *old = lw_fields_find(object->old, "/metadata/labels");
    lw_api_status errors, old_errors;
    lw_api_status_init(&errors);
    lw_api_status_init(&old_errors);
    (void)lw_pod_security_read(&config->defaults, lw_node_get(object->metadata, LW_STR("labels")),
                               now, &errors);
    (void)lw_pod_security_read(&config->defaults, old, before, object->old ? &old_errors : NULL);
    bool is_good = errors.cause_count == 0 || has_same_errors(&errors, &old_errors);
    if (is_good) {
        lw_api_status_done(&errors);
    } else {
        *admission->status = errors;
        lw_api_status_complete_invalid(admission->status, lw_kind_gvk(object->kind),
                                       admission->name);
    }
    lw_api_status_done(&old_errors);
    return is_good;
}

bool lw_pod_security_admits_namespace(lw_admission *admission, const lw_pod_security_config *config)
{
    lw_pod_security now, before;
    const lw_node *labels = lw_node_get(admission->object->metadata, LW_STR("labels"));
    bool is_exempt = has_name(config->namespaces, config->namespace_count, admission->name);
    bool is_create = admission->operation == LW_ADMIT_CREATE;
    if (!check_labels(admission, config, &now, &before))
        return false;
    bool is_stricter = !is_create && !lw_pod_standard_equal(now.enforce, before.enforce) &&
                       now.enforce.level != LW_POD_PRIVILEGED &&
                       !(now.enforce.version == before.enforce.version &&
                         now.enforce.level < before.enforce.level);
    if (is_exempt && (is_create || is_stricter))
        warn_of_exemption(admission, config, labels, &now);
    else if (is_stricter)
        survey_pods(admission, config, now.enforce);
    return true;
}
