/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_workload.c -- kinds with a pod template: deployments and similar kinds, jobs. */
#include "api/strategy/strategy_workload.h"

#include <listwatch/label_selector.h>

#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "api/strategy/status/status_validation.h"
#include "api/strategy/strategy.h"
#include "base/alloc.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    SELECTOR_LABELS_MAX = 1000, /* labels of a template that are compared */
    JSON_SHOWN_MAX = 1 << 20,
};

static lw_node *spec_of(lw_pending_object *pending)
{
    return lw_fields_object(pending->tree, pending->root, "spec");
}

/* Returns the spec, with the defaults that all kinds share. */
static lw_node *default_common(lw_pending_object *pending, bool has_replicas)
{
    lw_node *spec = spec_of(pending);
    if (has_replicas)
        lw_fields_default_int(pending->tree, spec, "replicas", 1);
    lw_pod_spec_defaults(pending->tree, lw_fields_find(spec, "/template/spec"));
    return spec;
}

static void deployment_defaults(lw_pending_object *pending)
{
    lw_node *spec = default_common(pending, true);
    lw_node *strategy = lw_fields_object(pending->tree, spec, "strategy");
    lw_fields_default_text(pending->tree, strategy, "type", "RollingUpdate");
    if (lw_str_equal(lw_fields_text(strategy, "type"), LW_STR("RollingUpdate"))) {
        lw_node *rolling = lw_fields_object(pending->tree, strategy, "rollingUpdate");
        lw_fields_default_text(pending->tree, rolling, "maxUnavailable", "25%");
        lw_fields_default_text(pending->tree, rolling, "maxSurge", "25%");
    }
    lw_fields_default_int(pending->tree, spec, "revisionHistoryLimit", 10);
    lw_fields_default_int(pending->tree, spec, "progressDeadlineSeconds", 600);
}

static void replica_set_defaults(lw_pending_object *pending)
{
    (void)default_common(pending, true);
}

static void default_claim_template(lw_tree *tree, lw_node *claim)
{
    lw_fields_default_text(tree, claim, "kind", "PersistentVolumeClaim");
    lw_fields_default_text(tree, claim, "apiVersion", "v1");
    lw_fields_default_text(tree, lw_fields_object(tree, claim, "spec"), "volumeMode", "Filesystem");
    lw_fields_default_text(tree, lw_fields_object(tree, claim, "status"), "phase", "Pending");
}

static void default_rolling(lw_tree *tree, lw_node *rolling)
{
    lw_fields_default_int(tree, rolling, "partition", 0);
    lw_fields_default_int(tree, rolling, "maxUnavailable", 1);
}

static void stateful_set_defaults(lw_pending_object *pending)
{
    lw_tree *tree = pending->tree;
    lw_node *spec = default_common(pending, true);
    const lw_node *claims = lw_fields_find(spec, "/volumeClaimTemplates");
    for (size_t i = 0; lw_node_is(claims, LW_JSON_ARRAY) && i < lw_node_count(claims); i++)
        default_claim_template(tree, lw_node_at(claims, i));
    lw_fields_default_text(tree, spec, "podManagementPolicy", "OrderedReady");
    lw_node *strategy = lw_fields_object(tree, spec, "updateStrategy");
    lw_fields_default_text(tree, strategy, "type", "RollingUpdate");
    if (lw_str_equal(lw_fields_text(strategy, "type"), LW_STR("RollingUpdate")))
        default_rolling(tree, lw_fields_object(tree, strategy, "rollingUpdate"));
    lw_fields_default_int(tree, spec, "revisionHistoryLimit", 10);
    lw_node *retention = lw_fields_object(tree, spec, "persistentVolumeClaimRetentionPolicy");
    lw_fields_default_text(tree, retention, "whenDeleted", "Retain");
    lw_fields_default_text(tree, retention, "whenScaled", "Retain");
}

static void daemon_set_defaults(lw_pending_object *pending)
{
    lw_node *spec = default_common(pending, false);
    lw_node *strategy = lw_fields_object(pending->tree, spec, "updateStrategy");
    lw_fields_default_text(pending->tree, strategy, "type", "RollingUpdate");
    if (lw_str_equal(lw_fields_text(strategy, "type"), LW_STR("RollingUpdate"))) {
        lw_node *rolling = lw_fields_object(pending->tree, strategy, "rollingUpdate");
        lw_fields_default_int(pending->tree, rolling, "maxUnavailable", 1);
        lw_fields_default_int(pending->tree, rolling, "maxSurge", 0);
    }
    lw_fields_default_int(pending->tree, spec, "revisionHistoryLimit", 10);
    lw_daemon_set_note_default(pending);
}

static void default_job_spec(lw_tree *tree, lw_node *spec)
{
    if (!lw_node_is(spec, LW_JSON_OBJECT))
        return;
    lw_pod_spec_defaults(tree, lw_fields_find(spec, "/template/spec"));
    /* If both are missing, one pod; parallelism alone means a work queue. */
    if (!lw_node_get(spec, LW_STR("parallelism")) && !lw_node_get(spec, LW_STR("completions")))
        lw_fields_set_int(tree, spec, "completions", 1);
    lw_fields_default_int(tree, spec, "parallelism", 1);
    lw_fields_default_int(tree, spec, "backoffLimit",
                          lw_node_get(spec, LW_STR("backoffLimitPerIndex")) ? INT32_MAX : 6);
    lw_fields_default_text(tree, spec, "completionMode", "NonIndexed");
    lw_fields_default_bool(tree, spec, "suspend", false);
    lw_fields_default_bool(tree, spec, "manualSelector", false);
    lw_fields_default_text(tree, spec, "podReplacementPolicy",
                           lw_node_get(spec, LW_STR("podFailurePolicy")) ? "Failed"
                                                                         : "TerminatingOrFailed");
}

/* A job without labels gets those of its template. */
static void default_job_labels(lw_pending_object *pending)
{
    const lw_node *labels = lw_fields_find(pending->root, "/spec/template/metadata/labels");
    if (lw_node_count(labels) > 0 &&
        lw_node_count(lw_node_get(pending->metadata, LW_STR("labels"))) == 0)
        lw_fields_set_copy(pending->tree, pending->metadata, "labels", labels);
}

static void job_defaults(lw_pending_object *pending)
{
    default_job_spec(pending->tree, spec_of(pending));
    default_job_labels(pending);
}

static void cron_job_defaults(lw_pending_object *pending)
{
    lw_node *spec = spec_of(pending);
    lw_node *job = lw_fields_find(spec, "/jobTemplate/spec");
    if (lw_node_is(job, LW_JSON_OBJECT))
        lw_pod_spec_defaults(pending->tree, lw_fields_find(job, "/template/spec"));
    lw_fields_default_text(pending->tree, spec, "concurrencyPolicy", "Allow");
    lw_fields_default_bool(pending->tree, spec, "suspend", false);
    lw_fields_default_int(pending->tree, spec, "successfulJobsHistoryLimit", 3);
    lw_fields_default_int(pending->tree, spec, "failedJobsHistoryLimit", 1);
}

static void controller_defaults(lw_pending_object *pending)
{
    lw_node *spec = default_common(pending, true);
    const lw_node *labels = lw_fields_find(spec, "/template/metadata/labels");
    if (lw_node_count(labels) == 0)
        return;
    if (lw_node_count(lw_node_get(spec, LW_STR("selector"))) == 0)
        lw_fields_set_copy(pending->tree, spec, "selector", labels);
    if (lw_node_count(lw_node_get(pending->metadata, LW_STR("labels"))) == 0)
        lw_fields_set_copy(pending->tree, pending->metadata, "labels", labels);
}

/* Sets status fields that are written even when they are 0. */
static void zero_status(lw_pending_object *pending, const char *const *names)
{
    lw_node *status = lw_fields_object(pending->tree, pending->root, "status");
    for (; *names; names++)
        lw_fields_set_int(pending->tree, status, *names, 0);
}

static void replicas_create(lw_pending_object *pending, lw_api_status *errors)
{
    static const char *const names[] = { "replicas", NULL };
    (void)errors;
    zero_status(pending, names);
}

static void stateful_set_create(lw_pending_object *pending, lw_api_status *errors)
{
    static const char *const names[] = { "replicas", "availableReplicas", NULL };
    (void)errors;
    zero_status(pending, names);
}

static void daemon_set_create(lw_pending_object *pending, lw_api_status *errors)
{
    static const char *const names[] = { "currentNumberScheduled", "numberMisscheduled",
                                         "desiredNumberScheduled", "numberReady", NULL };
    (void)errors;
    zero_status(pending, names);
    lw_daemon_set_note_create(pending);
}

static void daemon_set_update(lw_pending_object *pending, lw_api_status *errors)
{
    (void)errors;
    lw_daemon_set_note_update(pending);
}

/* Sets the selector and labels with the uid of the job, so that two jobs with the same name never
 * share pods. */
static void job_create(lw_pending_object *pending, lw_api_status *errors)
{
    static const char *const uid_keys[] = { "batch.kubernetes.io/controller-uid",
                                            "controller-uid" };
    static const char *const name_keys[] = { "batch.kubernetes.io/job-name", "job-name" };
    (void)errors;
    lw_tree *tree = pending->tree;
    lw_node *spec = spec_of(pending), *template = lw_fields_object(tree, spec, "template");
    lw_str uid = lw_fields_text(pending->metadata, "uid");
    lw_str name = lw_fields_text(pending->metadata, "name");
    if (lw_node_bool(lw_node_get(spec, LW_STR("manualSelector"))))
        return;
    lw_node *labels =
        lw_fields_object(tree, lw_fields_object(tree, template, "metadata"), "labels");
    /* If the job has the labels of its template, it gets the new ones as well. */
    const lw_node *own = lw_node_get(pending->metadata, LW_STR("labels"));
    bool is_shared = lw_node_count(own) == 0 || lw_node_equal(own, labels);
    for (size_t i = 0; i < 2; i++) {
        if (lw_fields_text(labels, uid_keys[i]).len == 0)
            lw_fields_set_text(tree, labels, uid_keys[i], uid);
        if (lw_fields_text(labels, name_keys[i]).len == 0)
            lw_fields_set_text(tree, labels, name_keys[i], name);
    }
    lw_node *selector =
        lw_fields_object(tree, lw_fields_object(tree, spec, "selector"), "matchLabels");
    lw_fields_set_text(tree, selector, uid_keys[0], uid);
    if (is_shared)
        lw_fields_set_copy(tree, pending->metadata, "labels", labels);
}

/* Keeps the selector, which the server has set, if an update leaves it out. */
static void job_update(lw_pending_object *pending, lw_api_status *errors)
{
    (void)errors;
    lw_node *spec = lw_pending_object_own_part(pending, "spec");
    if (!lw_node_get(spec, LW_STR("selector")))
        lw_fields_set_copy(pending->tree, spec, "selector",
                           lw_fields_find(pending->old, "/spec/selector"));
}

static void append_json(const lw_node *node, lw_buf *out)
{
    lw_json_writer w;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_node_write(node, &w);
}

/* Matches |labels|, sorted by lw_node_sort_keys, against the selector; false: out of memory. */
static bool selector_matches(const lw_label_selector *selector, lw_node *labels, bool *matches)
{
    size_t count = lw_node_count(labels);
    lw_label *list = lw_alloc_zero(count + 1, sizeof(*list));
    if (!list)
        return false;
    if (labels)
        lw_node_sort_keys(labels);
    for (size_t i = 0; i < count; i++)
        list[i] = (lw_label){ lw_node_key_at(labels, i), lw_node_text(lw_node_at(labels, i)) };
    *matches = lw_label_selector_matches_labels(selector, list, count);
    lw_free(list);
    return true;
}

static void check_selector_matches(const lw_kind *kind, const lw_node *selector, lw_node *labels,
                                   lw_api_status *errors)
{
    lw_buf json;
    lw_label_selector *parsed = NULL;
    bool matches = false;
    lw_buf_init(&json, JSON_SHOWN_MAX);
    append_json(selector, &json);
    lw_status st = json.st;
    if (st == LW_OK)
        st = lw_label_selector_from_json(&parsed, lw_buf_view(&json), NULL);
    bool is_bad = st == LW_ERR_INVALID || st == LW_ERR_SYNTAX || st == LW_ERR_LIMIT;
    if (is_bad && lw_workload_bad_selector(kind))
        lw_field_error_plain(errors, "spec.selector", lw_buf_view(&json),
                             lw_workload_bad_selector(kind));
    else if (!is_bad && (st < 0 || !selector_matches(parsed, labels, &matches)))
        errors->st = errors->st < 0 ? errors->st : LW_ERR_NOMEM;
    else if (!is_bad && !matches)
        lw_value_error(errors, "spec.template.metadata.labels", labels,
                       "`selector` does not match template `labels`");
    lw_label_selector_free(parsed);
    lw_buf_done(&json);
}

static void check_replicas(const lw_node *spec, const char *key, const char *field,
                           lw_api_status *errors)
{
    const lw_node *node = lw_node_get(spec, lw_str_of(key));
    int64_t value;
    if (!node)
        return;
    if (!lw_node_int64(node, &value))
        lw_value_error(errors, field, node, "must be an integer");
    else if (value < 0)
        lw_field_error_plain(errors, field, lw_node_text(node),
                             "must be greater than or equal to 0");
}

static void check_immutable(const lw_pending_object *pending, const char *pointer,
                            const char *field, lw_api_status *errors)
{
    const lw_node *now = lw_fields_find(pending->root, pointer);
    if (pending->old && !lw_node_equal(now, lw_fields_find(pending->old, pointer)))
        lw_value_error(errors, field, now, "field is immutable");
}

static void check_template(const lw_node *spec, lw_api_status *errors)
{
    lw_validate_labels(lw_fields_find(spec, "/template/metadata/labels"),
                       LW_STR("spec.template.labels"), errors);
    lw_pod_spec_validate(lw_fields_find(spec, "/template/spec"),
                         lw_node_get(spec, LW_STR("volumeClaimTemplates")), "spec.template.spec",
                         errors);
}

/* Validates what these kinds share, apart from the message about changes. */
static void replicated_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *selector = lw_node_get(spec, LW_STR("selector"));
    lw_node *labels = lw_fields_find(spec, "/template/metadata/labels");
    check_replicas(spec, "replicas", "spec.replicas", errors);
    lw_workload_selector_check(pending->kind, selector, errors);
    if (!selector)
        lw_value_error(errors, "spec.template.metadata.labels", labels,
                       "`selector` does not match template `labels`");
    else if (lw_node_count(labels) > SELECTOR_LABELS_MAX)
        lw_field_error_invalid(errors, "spec.template.metadata.labels", LW_STR(""),
                               "too many labels");
    else
        check_selector_matches(pending->kind, selector, labels, errors);
    check_template(spec, errors);
    lw_workload_values_check(pending->kind, spec, errors);
    lw_str restart = lw_fields_text_at(spec, "/template/spec/restartPolicy");
    if (restart.len > 0 && !lw_str_equal(restart, LW_STR("Always")))
        lw_api_status_add_field_error(errors, LW_FIELD_NOT_SUPPORTED,
                                      LW_STR("spec.template.spec.restartPolicy"), restart,
                                      LW_STR("supported values: \"Always\""));
}

static void workload_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    replicated_validate(pending, errors);
    check_immutable(pending, "/spec/selector", "spec.selector", errors);
}

static void daemon_set_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    check_immutable(pending, "/spec/selector", "spec.selector", errors);
    replicated_validate(pending, errors);
}

static void stateful_set_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const char *const changeable[] = {
        "replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy", "minReadySeconds",
        /* these have their own messages */
        "selector", "serviceName", "podManagementPolicy", "volumeClaimTemplates", NULL
    };
    replicated_validate(pending, errors);
    check_immutable(pending, "/spec/selector", "spec.selector", errors);
    if (lw_fields_find(pending->root, "/spec/serviceName"))
        check_immutable(pending, "/spec/serviceName", "spec.serviceName", errors);
    else if (lw_fields_text_at(pending->old, "/spec/serviceName").len > 0)
        lw_field_error_invalid(errors, "spec.serviceName", LW_STR(""), "field is immutable");
    check_immutable(pending, "/spec/podManagementPolicy", "spec.podManagementPolicy", errors);
    check_immutable(pending, "/spec/volumeClaimTemplates", "spec.volumeClaimTemplates", errors);
    lw_validate_spec_update(
        pending, changeable,
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
        "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
        "'minReadySeconds' are forbidden",
        errors);
}

/* For an indexed job, completions may change together with parallelism; otherwise it is
 * immutable. */
static void check_completions(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *now = lw_node_get(spec, LW_STR("completions"));
    bool is_indexed = lw_str_equal(lw_fields_text(spec, "completionMode"), LW_STR("Indexed"));
    if (!is_indexed)
        check_immutable(pending, "/spec/completions", "spec.completions", errors);
    else if (pending->old &&
             !lw_node_equal(now, lw_fields_find(pending->old, "/spec/completions")) &&
             !lw_node_equal(now, lw_node_get(spec, LW_STR("parallelism"))))
        lw_value_error(errors, "spec.completions", now,
                       "can only be modified in tandem with spec.parallelism");
    check_immutable(pending, "/spec/completionMode", "spec.completionMode", errors);
}

/* The template of a job can change only while it is suspended and has never started. */
static void check_job_template(const lw_pending_object *pending, lw_api_status *errors)
{
    bool is_waiting = lw_node_bool(lw_fields_find(pending->old, "/spec/suspend")) &&
                      !lw_fields_find(pending->old, "/status/startTime");
    check_completions(pending, errors);
    if (!is_waiting)
        check_immutable(pending, "/spec/template", "spec.template", errors);
}

/* Unless manualSelector is set, the selector must be the generated one. */
static void check_job_selector(const lw_pending_object *pending, const lw_node *spec,
                               lw_api_status *errors)
{
    const lw_node *selector = lw_node_get(spec, LW_STR("selector"));
    lw_node *labels = lw_fields_find(spec, "/template/metadata/labels");
    if (!selector) {
        lw_field_error_required(errors, "spec.selector", "");
        lw_value_error(errors, "spec.template.metadata.labels", labels,
                       "`selector` does not match template `labels`");
        return;
    }
    bool is_generated = !pending->old && !lw_node_bool(lw_node_get(spec, LW_STR("manualSelector")));
    if (is_generated && (lw_node_count(lw_node_get(selector, LW_STR("matchLabels"))) != 1 ||
                         lw_node_get(selector, LW_STR("matchExpressions"))))
        lw_value_error(errors, "spec.selector", selector, "`selector` not auto-generated");
    if (lw_node_count(labels) <= SELECTOR_LABELS_MAX)
        check_selector_matches(pending->kind, selector, labels, errors);
}

static void job_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    check_replicas(spec, "parallelism", "spec.parallelism", errors);
    check_replicas(spec, "completions", "spec.completions", errors);
    check_replicas(spec, "backoffLimit", "spec.backoffLimit", errors);
    lw_workload_values_check(pending->kind, spec, errors);
    check_template(spec, errors);
    lw_str restart = lw_fields_text_at(spec, "/template/spec/restartPolicy");
    if (restart.len == 0 || lw_str_equal(restart, LW_STR("Always")))
        lw_field_error_required(errors, "spec.template.spec.restartPolicy",
                                "valid values: \"OnFailure\", \"Never\"");
    check_job_selector(pending, spec, errors);
    check_immutable(pending, "/spec/selector", "spec.selector", errors);
    check_job_template(pending, errors);
}

static void cron_job_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    if (lw_fields_text(spec, "schedule").len == 0)
        lw_field_error_required(errors, "spec.schedule", "");
    lw_workload_values_check(pending->kind, spec, errors);
    lw_pod_spec_validate(lw_fields_find(spec, "/jobTemplate/spec/template/spec"), NULL,
                         "spec.jobTemplate.spec.template.spec", errors);
    lw_str restart = lw_fields_text_at(spec, "/jobTemplate/spec/template/spec/restartPolicy");
    if (restart.len == 0 || lw_str_equal(restart, LW_STR("Always")))
        lw_field_error_required(errors, "spec.jobTemplate.spec.template.spec.restartPolicy",
                                "valid values: \"OnFailure\", \"Never\"");
}

static void controller_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    check_replicas(spec, "replicas", "spec.replicas", errors);
    if (lw_node_count(lw_node_get(spec, LW_STR("selector"))) == 0)
        lw_field_error_required(errors, "spec.selector", "");
    if (!lw_node_get(spec, LW_STR("template")))
        lw_field_error_required(errors, "spec.template", "");
    else
        check_template(spec, errors);
}

#define APPS  .group = LW_STR_INIT("apps")
#define BATCH .group = LW_STR_INIT("batch")

const lw_strategy lw_strategies_workload[] = {
    { APPS, .plural = LW_STR_INIT("deployments"), .defaults = deployment_defaults,
      .validate = workload_validate, .status = lw_status_validate_counts },
    { APPS, .plural = LW_STR_INIT("replicasets"), .defaults = replica_set_defaults,
      .create = replicas_create, .validate = workload_validate,
      .status = lw_status_validate_counts },
    { APPS, .plural = LW_STR_INIT("statefulsets"), .defaults = stateful_set_defaults,
      .create = stateful_set_create, .validate = stateful_set_validate,
      .status = lw_status_validate_counts },
    { APPS, .plural = LW_STR_INIT("daemonsets"), .defaults = daemon_set_defaults,
      .create = daemon_set_create, .update = daemon_set_update, .validate = daemon_set_validate,
      .status = lw_status_validate_counts },
    { BATCH, .plural = LW_STR_INIT("jobs"), .defaults = job_defaults, .create = job_create,
      .update = job_update, .validate = job_validate, .status = lw_status_validate_job },
    { BATCH, .plural = LW_STR_INIT("cronjobs"), .defaults = cron_job_defaults,
      .validate = cron_job_validate },
    { .plural = LW_STR_INIT("replicationcontrollers"),
      .defaults = controller_defaults,
      .create = replicas_create,
      .validate = controller_validate,
      .status = lw_status_validate_counts },
    { .plural = LW_STR_INIT("") },
};
