/* SPDX-License-Identifier: Apache-2.0 */
/* priority.c -- the priority of pods. */
#include "api/admission/priority.h"

#include <stdio.h>

#include "api/admission/class_lookup.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    TEXT_SIZE = 512,
};

/* Of several, which only a race makes, the lowest is the default. */
static const lw_class_default default_class = {
    .kind = &lw_kind_priorityclasses,
    .marks = { "/globalDefault" },
    .order = "/value",
};

static bool refuse_missing(lw_admission *admission, lw_str name)
{
    char why[TEXT_SIZE];
    (void)snprintf(why, sizeof(why), "no PriorityClass with name %.*s was found", LW_STR_ARG(name));
    return lw_class_forbid(admission, why);
}

/* Finds the class of |spec|, or the default one.  NULL in |*out|: it has none and there is none. */
static bool find_class(lw_admission *admission, const lw_node *spec, lw_object **out)
{
    lw_str name = lw_fields_text(spec, "priorityClassName");
    if (name.len == 0)
        return lw_class_find_default(admission, &default_class, out);
    return lw_class_find(admission, &lw_kind_priorityclasses, name, out) &&
           (*out || refuse_missing(admission, name));
}

static bool refuse_value(lw_admission *admission, int64_t given, int64_t computed)
{
    char why[TEXT_SIZE];
    (void)snprintf(why, sizeof(why),
                   "the integer value of priority (%lld) must not be provided in pod spec; "
                   "priority admission controller computed %lld from the given PriorityClass name",
                   (long long)given, (long long)computed);
    return lw_class_forbid(admission, why);
}

static bool refuse_policy(lw_admission *admission, lw_str given, const char *computed)
{
    char why[TEXT_SIZE];
    (void)snprintf(why, sizeof(why),
                   "the string value of PreemptionPolicy (%.*s) must not be provided in pod spec; "
                   "priority admission controller computed %s from the given PriorityClass name",
                   LW_STR_ARG(given), computed);
    return lw_class_forbid(admission, why);
}

static bool set_priority(lw_admission *admission, lw_node *spec, const lw_object *class)
{
    lw_tree *tree = admission->object->tree;
    int64_t value = class ? lw_object_int(class, "/value", 0) : 0, given = value;
    const char *policy =
        class ? lw_object_string(class, "/preemptionPolicy", "") : "PreemptLowerPriority";
    lw_str given_policy = lw_fields_text(spec, "preemptionPolicy");
    if (class)
        lw_fields_set_text(tree, spec, "priorityClassName", lw_str_of(lw_object_name(class)));
    if (lw_node_int64(lw_node_get(spec, LW_STR("priority")), &given) && given != value)
        return refuse_value(admission, given, value);
    lw_fields_set_int(tree, spec, "priority", value);
    if (policy[0] == '\0')
        return true;
    if (given_policy.len > 0 && !lw_str_equal(given_policy, lw_str_of(policy)))
        return refuse_policy(admission, given_policy, policy);
    lw_fields_set_text(tree, spec, "preemptionPolicy", lw_str_of(policy));
    return true;
}

bool lw_priority_admit_pod(lw_admission *admission)
{
    lw_object *class = NULL;
    lw_node *spec = lw_fields_object(admission->object->tree, admission->object->root, "spec");
    bool is_admitted = find_class(admission, spec, &class) && set_priority(admission, spec, class);
    lw_object_unref(class);
    return is_admitted;
}

bool lw_priority_admit_class(lw_admission *admission)
{
    lw_object *other = NULL;
    char why[TEXT_SIZE];
    if (!lw_node_bool(lw_node_get(admission->object->root, LW_STR("globalDefault"))))
        return true;
    if (!lw_class_find_default(admission, &default_class, &other))
        return false;
    bool is_second = other && (admission->operation == LW_ADMIT_CREATE ||
                               !lw_str_equal(lw_str_of(lw_object_name(other)), admission->name));
    if (is_second)
        (void)snprintf(why, sizeof(why),
                       "PriorityClass %s is already marked as default. Only one default can exist",
                       lw_object_name(other));
    lw_object_unref(other);
    return !is_second || lw_class_forbid(admission, why);
}
