/* SPDX-License-Identifier: Apache-2.0 */
/* convert_autoscaler.c -- autoscaling/v1 HorizontalPodAutoscalers, which are stored as v2.
 *
 * v1 has the CPU target only; as in Kubernetes, annotations have what it cannot express: other
 * metrics, the behavior, and the metrics and conditions of the status. */
#include "base/str.h"
#include "schema/kinds/conversion.h"
#include "schema/types/type.h"
#include "schema/validation/check_fits.h"
#include "json/fields.h"

enum {
    TEXT_MAX = 256 * 1024, /* bytes of an annotation */
    DEFAULT_UTILIZATION = 80,
};

#define PREFIX "autoscaling.alpha.kubernetes.io/"
static const char metrics_key[] = PREFIX "metrics";
static const char current_key[] = PREFIX "current-metrics";
static const char conditions_key[] = PREFIX "conditions";
static const char behavior_key[] = PREFIX "behavior";

/* A member of a metric in v1, and where v2 has it. */
typedef struct metric_member {
    const char *v1;
    const char *outer, *inner; /* inner NULL: directly in the source */
} metric_member;

typedef struct metric_form {
    const char *source;       /* "object": the member of the metric */
    metric_member members[6]; /* the last one is empty */
} metric_form;

static const metric_form spec_forms[] = {
    { "object",
      { { "target", "describedObject", NULL },
        { "metricName", "metric", "name" },
        { "targetValue", "target", "value" },
        { "selector", "metric", "selector" },
        { "averageValue", "target", "averageValue" } } },
    { "pods",
      { { "metricName", "metric", "name" },
        { "targetAverageValue", "target", "averageValue" },
        { "selector", "metric", "selector" } } },
    { "resource",
      { { "name", "name", NULL },
        { "targetAverageUtilization", "target", "averageUtilization" },
        { "targetAverageValue", "target", "averageValue" } } },
    { "containerResource",
      { { "name", "name", NULL },
        { "targetAverageUtilization", "target", "averageUtilization" },
        { "targetAverageValue", "target", "averageValue" },
        { "container", "container", NULL } } },
    { "external",
      { { "metricName", "metric", "name" },
        { "metricSelector", "metric", "selector" },
        { "targetValue", "target", "value" },
        { "targetAverageValue", "target", "averageValue" } } },
};

static const metric_form status_forms[] = {
    { "object",
      { { "target", "describedObject", NULL },
        { "metricName", "metric", "name" },
        { "currentValue", "current", "value" },
        { "selector", "metric", "selector" },
        { "averageValue", "current", "averageValue" } } },
    { "pods",
      { { "metricName", "metric", "name" },
        { "currentAverageValue", "current", "averageValue" },
        { "selector", "metric", "selector" } } },
    { "resource",
      { { "name", "name", NULL },
        { "currentAverageUtilization", "current", "averageUtilization" },
        { "currentAverageValue", "current", "averageValue" } } },
    { "containerResource",
      { { "name", "name", NULL },
        { "currentAverageUtilization", "current", "averageUtilization" },
        { "currentAverageValue", "current", "averageValue" },
        { "container", "container", NULL } } },
    { "external",
      { { "metricName", "metric", "name" },
        { "metricSelector", "metric", "selector" },
        { "currentValue", "current", "value" },
        { "currentAverageValue", "current", "averageValue" } } },
};

enum {
    FORMS = sizeof(spec_forms) / sizeof(spec_forms[0]),
};

static lw_node *get(const lw_node *object, const char *key)
{
    return lw_node_get(object, lw_str_of(key));
}

/* Moves |value|, if there is one, to the member |key|. */
static void put(lw_tree *tree, lw_node *object, const char *key, lw_node *value)
{
    if (value)
        lw_node_put(tree, object, lw_str_of(key), value);
}

static lw_node *source_to_v1(lw_tree *tree, const metric_form *form, const lw_node *source)
{
    lw_node *to = lw_tree_object(tree);
    for (const metric_member *m = form->members; m->v1; m++) {
        lw_node *value = get(source, m->outer);
        put(tree, to, m->v1, m->inner ? get(value, m->inner) : value);
    }
    return to;
}

static lw_node *source_to_v2(lw_tree *tree, const metric_form *form, const lw_node *source)
{
    lw_node *to = lw_tree_object(tree);
    for (const metric_member *m = form->members; m->v1; m++) {
        lw_node *value = get(source, m->v1);
        if (m->inner && value)
            put(tree, lw_fields_object(tree, to, m->outer), m->inner, value);
        else
            put(tree, to, m->outer, value);
    }
    return to;
}

/* v1 has no type of the target: it is said by the value that is set. */
static void set_target_type(lw_tree *tree, lw_node *source)
{
    lw_node *target = get(source, "target");
    if (!target)
        return;
    const char *type = get(target, "averageUtilization") ? "Utilization"
                       : get(target, "averageValue")     ? "AverageValue"
                                                         : "Value";
    lw_fields_set_text(tree, target, "type", lw_str_of(type));
}

/* The array of metrics |list| in the other version. */
static lw_node *convert_metrics(lw_tree *tree, const metric_form *forms, const lw_node *list,
                                bool is_to_v2)
{
    lw_node *converted = lw_tree_array(tree);
    for (size_t i = 0; i < lw_node_count(list); i++) {
        lw_node *from = lw_node_at(list, i), *to = lw_tree_object(tree);
        put(tree, to, "type", get(from, "type"));
        for (size_t f = 0; f < FORMS; f++) {
            lw_node *source = get(from, forms[f].source);
            if (!source)
                continue;
            source = is_to_v2 ? source_to_v2(tree, &forms[f], source)
                              : source_to_v1(tree, &forms[f], source);
            if (is_to_v2 && forms == spec_forms)
                set_target_type(tree, source);
            put(tree, to, forms[f].source, source);
        }
        lw_node_append(tree, converted, to);
    }
    return converted;
}

/* The CPU utilization that a v2 metric asks for or reports, in |values|; NULL: it is another one.
 */
static lw_node *cpu_utilization(const lw_node *metric, const char *values)
{
    const lw_node *resource = get(metric, "resource");
    if (!lw_str_equal(lw_fields_text(metric, "type"), LW_STR("Resource")) ||
        !lw_str_equal(lw_fields_text(resource, "name"), LW_STR("cpu")))
        return NULL;
    return get(get(resource, values), "averageUtilization");
}

static lw_node *cpu_metric(lw_tree *tree, const char *values, lw_node *utilization)
{
    lw_node *metric = lw_tree_object(tree), *resource = lw_tree_object(tree);
    lw_node *value = lw_tree_object(tree);
    lw_fields_set_text(tree, metric, "type", LW_STR("Resource"));
    lw_fields_set_text(tree, resource, "name", LW_STR("cpu"));
    put(tree, value, "averageUtilization", utilization);
    put(tree, resource, values, value);
    set_target_type(tree, resource);
    put(tree, metric, "resource", resource);
    return metric;
}

/* The behavior is kept in its annotation in the form of the type that kube-apiserver uses
 * internally, which has no names for JSON: members have the names of Go, and absent ones are null.
 */
static const char *const behavior_names[] = { "ScaleUp", "ScaleDown", NULL };
static const char *const rules_names[] = { "StabilizationWindowSeconds", "SelectPolicy", "Policies",
                                           "Tolerance", NULL };
static const char *const policy_names[] = { "Type", "Value", "PeriodSeconds", NULL };

enum {
    NAME_MAX = 64, /* bytes of a member of a behavior */
};

/* |name| with its first letter in lower case, in |room|. */
static lw_str uncapitalized(lw_str name, char room[NAME_MAX])
{
    lw_buf text = { .data = room, .cap = NAME_MAX, .limit = NAME_MAX };
    if (name.len == 0 || name.len >= NAME_MAX)
        return name;
    lw_buf_append_str(&text, name);
    if (room[0] >= 'A' && room[0] <= 'Z')
        room[0] = (char)(room[0] - 'A' + 'a');
    return lw_str_make(room, name.len);
}

/* |object| with the members |names|. */
static lw_node *capitalize(lw_tree *tree, const lw_node *object, const char *const *names)
{
    lw_node *to = lw_tree_object(tree);
    char room[NAME_MAX];
    for (; *names; names++) {
        lw_node *value = lw_node_get(object, uncapitalized(lw_str_of(*names), room));
        lw_node_put(tree, to, lw_str_of(*names), value ? value : lw_tree_null(tree));
    }
    return to;
}

static lw_node *behavior_to_v1(lw_tree *tree, const lw_node *from)
{
    lw_node *behavior = capitalize(tree, from, behavior_names);
    for (size_t i = 0; i < lw_node_count(behavior); i++) {
        if (!lw_node_is(lw_node_at(behavior, i), LW_JSON_OBJECT))
            continue;
        lw_node *rules = capitalize(tree, lw_node_at(behavior, i), rules_names);
        lw_node *policies = get(rules, "Policies");
        for (size_t p = 0; p < lw_node_count(policies); p++)
            lw_node_set_at(policies, p, capitalize(tree, lw_node_at(policies, p), policy_names));
        lw_node_put(tree, behavior, lw_node_key_at(behavior, i), rules);
    }
    return behavior;
}

/* |value| with the names of v2, at any depth. */
static lw_node *uncapitalize(lw_tree *tree, lw_node *value)
{
    char room[NAME_MAX];
    bool is_object = lw_node_is(value, LW_JSON_OBJECT);
    if (!is_object && !lw_node_is(value, LW_JSON_ARRAY))
        return value;
    lw_node *to = is_object ? lw_tree_object(tree) : lw_tree_array(tree);
    for (size_t i = 0; i < lw_node_count(value); i++) {
        lw_node *inner = uncapitalize(tree, lw_node_at(value, i));
        if (is_object)
            lw_node_put(tree, to, uncapitalized(lw_node_key_at(value, i), room), inner);
        else
            lw_node_append(tree, to, inner);
    }
    return to;
}

/* A conversion under way. */
typedef struct converting {
    lw_tree *tree;
    lw_node *to;
    lw_status st; /* the first failure outside of the tree */
} converting;

static void put_annotation(converting *c, const char *key, const lw_node *value)
{
    lw_buf text;
    lw_json_writer w;
    if (lw_node_count(value) == 0)
        return;
    lw_buf_init(&text, TEXT_MAX);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    lw_node_write(value, &w);
    lw_status st = lw_json_writer_status(&w);
    if (st == LW_OK)
        lw_fields_set_text(c->tree,
                           lw_fields_object(c->tree, get(c->to, "metadata"), "annotations"), key,
                           lw_buf_view(&text));
    else if (c->st == LW_OK)
        c->st = st;
    lw_buf_done(&text);
}

/* The value of an annotation, which is removed; NULL: it is absent or not JSON. */
static lw_node *take_annotation(converting *c, const char *key)
{
    lw_node *metadata = get(c->to, "metadata"), *annotations = get(metadata, "annotations");
    lw_str text = lw_fields_text(annotations, key);
    lw_node *value = NULL;
    lw_status st = text.len > 0 ? lw_tree_parse_node(c->tree, text, &value, NULL) : LW_OK;
    if (st < 0) {
        value = NULL;
        if (st != LW_ERR_SYNTAX && c->st == LW_OK)
            c->st = st;
    }
    lw_fields_remove(annotations, key);
    if (annotations && lw_node_count(annotations) == 0)
        lw_fields_remove(metadata, "annotations");
    return value;
}

/* |value| if it has the type of the field at |part| and |name| of v2; else NULL.  Annotations are
 * not validated: as in Kubernetes, one that cannot be decoded is ignored. */
static lw_node *checked(const char *part, const char *name, lw_node *value)
{
    static const lw_gvk v2 = { LW_STR_INIT("autoscaling"), LW_STR_INIT("v2"),
                               LW_STR_INIT("HorizontalPodAutoscaler") };
    const lw_field *outer = lw_type_field(lw_type_of_kind(v2), lw_str_of(part));
    const lw_field *field = lw_type_field(outer->type, lw_str_of(name));
    return value && lw_check_fits(field->type, value) ? value : NULL;
}

/* The annotation |key| as the list of metrics |name| of v2; NULL: there is none. */
static lw_node *take_metrics(converting *c, const char *key, const char *part, const char *name,
                             const metric_form *forms)
{
    lw_node *list = take_annotation(c, key);
    if (!lw_node_is(list, LW_JSON_ARRAY))
        return NULL;
    return checked(part, name, convert_metrics(c->tree, forms, list, true));
}

static void move_members(lw_tree *tree, const lw_node *from, lw_node *to, const char *const *keys)
{
    for (; *keys; keys++)
        put(tree, to, *keys, get(from, *keys));
}

static const char *const spec_members[] = { "scaleTargetRef", "minReplicas", "maxReplicas", NULL };
static const char *const status_members[] = { "observedGeneration", "lastScaleTime",
                                              "currentReplicas", "desiredReplicas", NULL };

static void spec_to_stored(converting *c, const lw_node *spec)
{
    lw_tree *tree = c->tree;
    lw_node *stored = lw_tree_object(tree), *target = get(spec, "targetCPUUtilizationPercentage");
    lw_node *metrics = take_metrics(c, metrics_key, "spec", "metrics", spec_forms);
    lw_node *behavior = take_annotation(c, behavior_key);
    move_members(tree, spec, stored, spec_members);
    if (!metrics)
        metrics = lw_tree_array(tree);
    if (!target && lw_node_count(metrics) == 0)
        target = lw_tree_int(tree, DEFAULT_UTILIZATION);
    if (target)
        lw_node_append(tree, metrics, cpu_metric(tree, "target", target));
    put(tree, stored, "metrics", metrics);
    if (behavior)
        put(tree, stored, "behavior", checked("spec", "behavior", uncapitalize(tree, behavior)));
    put(tree, c->to, "spec", stored);
}

static lw_status to_stored(lw_tree *tree, lw_node *from, lw_node *to)
{
    converting c = { tree, to, LW_OK };
    const lw_node *status = get(from, "status");
    lw_node *stored = lw_tree_object(tree);
    lw_node *metrics = take_metrics(&c, current_key, "status", "currentMetrics", status_forms);
    lw_node *conditions = take_annotation(&c, conditions_key);
    lw_node *utilization = get(status, "currentCPUUtilizationPercentage");
    spec_to_stored(&c, get(from, "spec"));
    move_members(tree, status, stored, status_members);
    if (!metrics && utilization) {
        metrics = lw_tree_array(tree);
        lw_node_append(tree, metrics, cpu_metric(tree, "current", utilization));
    }
    put(tree, stored, "currentMetrics", metrics);
    put(tree, stored, "conditions", checked("status", "conditions", conditions));
    put(tree, to, "status", stored);
    return c.st;
}

static void spec_from_stored(converting *c, const lw_node *spec)
{
    lw_tree *tree = c->tree;
    lw_node *shown = lw_tree_object(tree), *others = lw_tree_array(tree);
    const lw_node *metrics = get(spec, "metrics"), *behavior = get(spec, "behavior");
    move_members(tree, spec, shown, spec_members);
    for (size_t i = 0; i < lw_node_count(metrics); i++) {
        lw_node *metric = lw_node_at(metrics, i), *target = cpu_utilization(metric, "target");
        if (!target)
            lw_node_append(tree, others, metric);
        else if (!get(shown, "targetCPUUtilizationPercentage"))
            put(tree, shown, "targetCPUUtilizationPercentage", target);
    }
    put_annotation(c, metrics_key, convert_metrics(tree, spec_forms, others, false));
    if (behavior)
        put_annotation(c, behavior_key, behavior_to_v1(tree, behavior));
    put(tree, c->to, "spec", shown);
}

static lw_status from_stored(lw_tree *tree, lw_node *from, lw_node *to)
{
    converting c = { tree, to, LW_OK };
    const lw_node *status = get(from, "status"), *metrics = get(status, "currentMetrics");
    lw_node *shown = lw_tree_object(tree), *utilization = NULL;
    spec_from_stored(&c, get(from, "spec"));
    move_members(tree, status, shown, status_members);
    for (size_t i = 0; i < lw_node_count(metrics); i++) {
        lw_node *found = cpu_utilization(lw_node_at(metrics, i), "current");
        utilization = found ? found : utilization;
    }
    put_annotation(&c, current_key, convert_metrics(tree, status_forms, metrics, false));
    put_annotation(&c, conditions_key, get(status, "conditions"));
    if (utilization)
        put(tree, shown, "currentCPUUtilizationPercentage", lw_tree_copy(tree, utilization));
    put(tree, to, "status", shown);
    lw_node *annotations = get(get(to, "metadata"), "annotations");
    if (annotations)
        lw_node_sort_keys(annotations);
    return c.st;
}

const lw_conversion lw_conversion_autoscaler = { to_stored, from_stored };
