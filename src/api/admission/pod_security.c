/* SPDX-License-Identifier: Apache-2.0 */
/* pod_security.c -- checks pods, templates of pods, and namespaces whose labels change, in the
 * words of kube-apiserver. */
#include "api/admission/pod_security.h"

#include "api/admission/pod_security_namespace.h"
#include "api/context/cache_lookup.h"
#include "api/http/call.h"
#include "api/http/failures.h"
#include "api/podsecurity/pod_security_policy.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    TEXT_MAX = LW_POD_REPORT_MAX + 1024,
};

static const lw_pod_security_config *config_of(const lw_admission *admission)
{
    const lw_pod_security_config *config = admission->object->port->api->pod_security;
    return config ? config : &lw_pod_security_defaults;
}

static bool has(const lw_str *list, size_t count, lw_str text)
{
    for (size_t i = 0; text.len > 0 && i < count; i++) {
        if (lw_str_equal(list[i], text))
            return true;
    }
    return false;
}

static void annotate(const lw_admission *admission, const char *key, lw_str value)
{
    lw_buf name;
    if (!admission->call)
        return;
    lw_buf_init(&name, TEXT_MAX);
    lw_buf_append_text(&name, LW_POD_SECURITY_PREFIX);
    lw_buf_append_text(&name, key);
    lw_call_annotate(admission->call, lw_buf_view(&name), value);
    lw_buf_done(&name);
}

/* Appends: violates PodSecurity "restricted:latest": ... */
static void append_violation(lw_buf *out, const char *verb, lw_pod_standard standard,
                             const lw_pod_report *report)
{
    lw_buf_printf(out, "%s PodSecurity \"", verb);
    lw_pod_standard_append(standard, out);
    lw_buf_append_text(out, "\": ");
    lw_buf_append_str(out, lw_buf_view(&report->details));
}

/* The template of a workload; NULL: the kind has none, or the object. */
static const lw_node *template_of(const lw_kind *kind, const lw_node *root)
{
    static const struct {
        const lw_kind *kind;
        const char *pointer;
    } places[] = {
        { &lw_kind_podtemplates, "/template" },
        { &lw_kind_replicationcontrollers, "/spec/template" },
        { &lw_kind_replicasets, "/spec/template" },
        { &lw_kind_deployments, "/spec/template" },
        { &lw_kind_statefulsets, "/spec/template" },
        { &lw_kind_daemonsets, "/spec/template" },
        { &lw_kind_jobs, "/spec/template" },
        { &lw_kind_cronjobs, "/spec/jobTemplate/spec/template" },
    };
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        if (places[i].kind == kind)
            return lw_fields_find(root, places[i].pointer);
    }
    return NULL;
}

static bool has_other_images(const lw_node *now, const lw_node *before)
{
    if (lw_node_count(now) != lw_node_count(before))
        return true;
    for (size_t i = 0; i < lw_node_count(now); i++) {
        if (!lw_str_equal(lw_fields_text(lw_node_at(now, i), "image"),
                          lw_fields_text(lw_node_at(before, i), "image")))
            return true;
    }
    return false;
}

/* Ephemeral containers are only added; one that is new or has another image counts. */
static bool has_other_ephemeral(const lw_node *now, const lw_node *before)
{
    for (size_t i = 0; i < lw_node_count(now); i++) {
        const lw_node *c = lw_node_at(now, i), *old = NULL;
        for (size_t k = 0; !old && k < lw_node_count(before); k++) {
            if (lw_str_equal(lw_fields_text(c, "name"),
                             lw_fields_text(lw_node_at(before, k), "name")))
                old = lw_node_at(before, k);
        }
        if (!old || !lw_str_equal(lw_fields_text(c, "image"), lw_fields_text(old, "image")))
            return true;
    }
    return false;
}

/* Only images and new containers can change what a pod may do. */
static bool is_significant(const lw_pending_object *object)
{
    const lw_node *old = object->old;
    if (!old)
        return true;
    return has_other_images(lw_fields_find(object->root, "/spec/containers"),
                            lw_fields_find(old, "/spec/containers")) ||
           has_other_images(lw_fields_find(object->root, "/spec/initContainers"),
                            lw_fields_find(old, "/spec/initContainers")) ||
           has_other_ephemeral(lw_fields_find(object->root, "/spec/ephemeralContainers"),
                               lw_fields_find(old, "/spec/ephemeralContainers"));
}

static bool fail(lw_admission *admission, lw_status st)
{
    lw_api_status_of_failure(admission->status, st);
    return false;
}

/* Checks the pod; false: it is refused. */
static bool enforce(lw_admission *admission, lw_pod_standard standard, const lw_node *metadata,
                    const lw_node *spec)
{
    lw_pod_report report;
    lw_buf text;
    lw_pod_report_init(&report);
    lw_buf_init(&text, TEXT_MAX);
    lw_pod_standard_append(standard, &text);
    annotate(admission, "enforce-policy", lw_buf_view(&text));
    lw_buf_truncate(&text, 0);
    lw_status st = lw_pod_check(standard, metadata, spec, &report);
    if (st == LW_OK && report.count > 0) {
        append_violation(&text, "violates", standard, &report);
        lw_api_status_forbidden(admission->status, lw_kind_gvr(admission->object->kind),
                                admission->name, lw_buf_view(&text));
    } else if (st < 0) {
        (void)fail(admission, st);
    }
    bool is_good = st == LW_OK && report.count == 0;
    lw_buf_done(&text);
    lw_pod_report_done(&report);
    return is_good;
}

/* Annotates the audit event, or warns, if the pod violates |standard|. */
static void tell(lw_admission *admission, bool is_warning, lw_pod_standard standard,
                 const lw_node *metadata, const lw_node *spec)
{
    lw_pod_report report;
    lw_buf text;
    lw_pod_report_init(&report);
    lw_buf_init(&text, TEXT_MAX);
    if (admission->call && lw_pod_check(standard, metadata, spec, &report) == LW_OK &&
        report.count > 0) {
        append_violation(&text, "would violate", standard, &report);
        if (is_warning)
            lw_call_warn(admission->call, lw_buf_view(&text));
        else
            annotate(admission, "audit-violations", lw_buf_view(&text));
    }
    lw_buf_done(&text);
    lw_pod_report_done(&report);
}

static bool check(lw_admission *admission, const lw_pod_security *policy, const lw_node *metadata,
                  const lw_node *spec, bool is_pod)
{
    const lw_pod_security_config *config = config_of(admission);
    if (has(config->runtime_classes, config->runtime_class_count,
            lw_fields_text(spec, "runtimeClassName"))) {
        annotate(admission, "exempt", LW_STR("runtimeClass"));
        return true;
    }
    bool is_good = !is_pod || enforce(admission, policy->enforce, metadata, spec);
    tell(admission, false, policy->audit, metadata, spec);
    if (is_good)
        tell(admission, true, policy->warn, metadata, spec);
    return is_good;
}

/* Returns true if a label of |ns| says something about its policy; most have others only. */
static bool has_policy_label(const lw_object *ns)
{
    for (size_t i = 0; i < lw_object_label_count(ns); i++) {
        if (lw_str_starts_with(lw_object_label_at(ns, i).key, LW_STR(LW_POD_SECURITY_PREFIX)))
            return true;
    }
    return false;
}

/* Reads the policy of the namespace of the object.  False: it cannot be read. */
static bool find_policy(lw_admission *admission, lw_pod_security *policy, bool *is_valid)
{
    const lw_api *api = admission->object->port->api;
    const lw_key key = { LW_STR(""), lw_fields_text(admission->object->metadata, "namespace") };
    lw_object *ns = NULL;
    lw_tree *tree = NULL;
    lw_status st = lw_lookup(lw_api_resource(api, &lw_kind_namespaces), key, &ns);
    *policy = config_of(admission)->defaults;
    *is_valid = true;
    if (st < 0 || !ns)
        return false;
    if (has_policy_label(ns)) {
        lw_str labels;
        if (lw_object_raw(ns, "/metadata/labels", &labels) == LW_OK &&
            lw_tree_parse(&tree, labels, 0, NULL) == LW_OK)
            *is_valid = lw_pod_security_read(&config_of(admission)->defaults, lw_tree_root(tree),
                                             policy, NULL);
    }
    lw_tree_free(tree);
    lw_object_unref(ns);
    return true;
}

/* Returns true if the namespace or the user of the request is exempt. */
static bool is_exempt(const lw_admission *admission)
{
    const lw_pod_security_config *config = config_of(admission);
    lw_str ns = lw_fields_text(admission->object->metadata, "namespace");
    const char *why = NULL;
    if (has(config->namespaces, config->namespace_count, ns))
        why = "namespace";
    else if (admission->user &&
             has(config->usernames, config->username_count, admission->user->name))
        why = "user";
    if (why)
        annotate(admission, "exempt", lw_str_of(why));
    return why != NULL;
}

static bool admits_pod(lw_admission *admission)
{
    const lw_pending_object *object = admission->object;
    lw_pod_security policy;
    bool is_valid;
    if (is_exempt(admission))
        return true;
    if (!find_policy(admission, &policy, &is_valid)) {
        lw_buf text;
        lw_buf_init(&text, TEXT_MAX);
        lw_buf_printf(&text, "failed to lookup namespace \"%.*s\"",
                      LW_STR_ARG(lw_fields_text(object->metadata, "namespace")));
        lw_api_status_internal(admission->status, lw_buf_view(&text));
        lw_buf_done(&text);
        return false;
    }
    if (is_valid && lw_pod_security_is_privileged(&policy)) {
        annotate(admission, "enforce-policy", LW_STR("privileged:latest"));
        return true;
    }
    if (!is_significant(object))
        return true;
    return check(admission, &policy, object->metadata, lw_node_get(object->root, LW_STR("spec")),
                 true);
}

static bool admits_template(lw_admission *admission, const lw_node *template)
{
    lw_pod_security policy;
    bool is_valid;
    if (is_exempt(admission) || !find_policy(admission, &policy, &is_valid))
        return true;
    if (is_valid && policy.warn.level == LW_POD_PRIVILEGED &&
        policy.audit.level == LW_POD_PRIVILEGED)
        return true;
    return check(admission, &policy, lw_node_get(template, LW_STR("metadata")),
                 lw_node_get(template, LW_STR("spec")), false);
}

bool lw_pod_security_admits(lw_admission *admission)
{
    const lw_pending_object *object = admission->object;
    if (!admission->user && !admission->call)
        return true; /* the server itself */
    if (object->kind == &lw_kind_pods)
        return admits_pod(admission);
    if (admission->operation == LW_ADMIT_PART)
        return true;
    if (object->kind == &lw_kind_namespaces)
        return lw_pod_security_admits_namespace(admission, config_of(admission));
    const lw_node *template = template_of(object->kind, object->root);
    return !template || admits_template(admission, template);
}
