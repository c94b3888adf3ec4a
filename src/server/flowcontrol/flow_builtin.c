/* SPDX-License-Identifier: Apache-2.0 */
/* flow_builtin.c -- the flow control objects that a server creates. */
#include "server/flowcontrol/flow_builtin.h"

#include "base/str.h"
#include "json/fields.h"

#define ANNOTATION "apf.kubernetes.io/autoupdate-spec"

#define OBJECT(kind, name, spec)                                                                   \
    "{\"kind\":\"" kind "\",\"apiVersion\":\"flowcontrol.apiserver.k8s.io/v1\",\"metadata\":{"     \
    "\"name\":\"" name "\",\"annotations\":{\"" ANNOTATION "\":\"true\"}},\"spec\":" spec "}"

#define LEVEL_OBJECT(name, is_mandatory, spec)                                                     \
    {                                                                                              \
        &lw_kind_prioritylevelconfigurations, LW_STR_INIT(name), is_mandatory,                     \
            LW_STR_INIT(OBJECT("PriorityLevelConfiguration", name, spec))                          \
    }
#define LIMITED(shares, lendable, response)                                                        \
    "{\"type\":\"Limited\",\"limited\":{\"nominalConcurrencyShares\":" shares                      \
    ",\"lendablePercent\":" lendable ",\"limitResponse\":" response "}}"
#define LEVEL(name, shares, lendable, queues, hand)                                                \
    LEVEL_OBJECT(name, false,                                                                      \
                 LIMITED(shares, lendable,                                                         \
                         "{\"type\":\"Queue\",\"queuing\":{\"queues\":" queues                     \
                         ",\"handSize\":" hand ",\"queueLengthLimit\":50}}"))

#define SCHEMA(name, is_mandatory, level, precedence, method, rules)                               \
    {                                                                                              \
        &lw_kind_flowschemas, LW_STR_INIT(name), is_mandatory,                                     \
            LW_STR_INIT(OBJECT("FlowSchema", name,                                                 \
                               "{\"priorityLevelConfiguration\":{\"name\":\"" level                \
                               "\"},\"matchingPrecedence\":" precedence method                     \
                               ",\"rules\":[" rules "]}"))                                         \
    }
#define ONE_FLOW              ""
#define METHOD(type)          ",\"distinguisherMethod\":{\"type\":\"" type "\"}"
#define BY_USER               METHOD("ByUser")
#define BY_NAMESPACE          METHOD("ByNamespace")

#define RULE(subjects, rules) "{\"subjects\":[" subjects "]," rules "}"
#define GROUP(name)           "{\"kind\":\"Group\",\"group\":{\"name\":\"" name "\"}}"
#define USER(name)            "{\"kind\":\"User\",\"user\":{\"name\":\"" name "\"}}"
#define KUBE_SYSTEM_ACCOUNTS                                                                       \
    "{\"kind\":\"ServiceAccount\",\"serviceAccount\":{\"name\":\"*\","                             \
    "\"namespace\":\"kube-system\"}}"
#define EVERYBODY GROUP("system:unauthenticated") "," GROUP("system:authenticated")

#define RESOURCE(verbs, group, resources, scope)                                                   \
    "{\"verbs\":[" verbs "],\"apiGroups\":[\"" group "\"],\"resources\":[" resources "]," scope    \
    "\"namespaces\":[\"*\"]}"
#define CLUSTER_SCOPE "\"clusterScope\":true,"
#define PATHS(verbs, paths)                                                                        \
    "\"nonResourceRules\":[{\"verbs\":[\"" verbs "\"],\"nonResourceURLs\":[" paths "]}]"
#define EVERYTHING                                                                                 \
    "\"resourceRules\":[" RESOURCE("\"*\"", "*", "\"*\"", CLUSTER_SCOPE) "]," PATHS("*", "\"*\"")

static const lw_flow_builtin builtins[] = {
    LEVEL("system", "30", "33", "64", "6"),
    LEVEL("node-high", "40", "25", "64", "6"),
    LEVEL("leader-election", "10", "0", "16", "4"),
    LEVEL("workload-high", "40", "50", "128", "6"),
    LEVEL("workload-low", "100", "90", "128", "6"),
    LEVEL("global-default", "20", "50", "128", "6"),
    LEVEL_OBJECT("catch-all", true, LIMITED("5", "0", "{\"type\":\"Reject\"}")),
    LEVEL_OBJECT("exempt", true,
                 "{\"type\":\"Exempt\",\"exempt\":{\"nominalConcurrencyShares\":0,"
                 "\"lendablePercent\":0}}"),
    SCHEMA("system-nodes", false, "system", "500", BY_USER,
           RULE(GROUP("system:nodes"), EVERYTHING)),
    SCHEMA("system-node-high", false, "node-high", "400", BY_USER,
           RULE(GROUP("system:nodes"),
                "\"resourceRules\":[" RESOURCE("\"*\"", "", "\"nodes\",\"nodes/status\"",
                                               CLUSTER_SCOPE) "," RESOURCE("\"*\"",
                                                                           "coordination.k8s.io",
                                                                           "\"leases\"", "") "]")),
    SCHEMA("probes", false, "exempt", "2", ONE_FLOW,
           RULE(EVERYBODY, PATHS("get", "\"/healthz\",\"/readyz\",\"/livez\""))),
    SCHEMA("system-leader-election", false, "leader-election", "100", BY_USER,
           RULE(USER("system:kube-controller-manager") "," USER(
                    "system:kube-scheduler") "," KUBE_SYSTEM_ACCOUNTS,
                "\"resourceRules\":[" RESOURCE("\"get\",\"create\",\"update\"",
                                               "coordination.k8s.io", "\"leases\"", "") "]")),
    SCHEMA("kube-controller-manager", false, "workload-high", "800", BY_NAMESPACE,
           RULE(USER("system:kube-controller-manager"), EVERYTHING)),
    SCHEMA("kube-scheduler", false, "workload-high", "800", BY_NAMESPACE,
           RULE(USER("system:kube-scheduler"), EVERYTHING)),
    SCHEMA("kube-system-service-accounts", false, "workload-high", "900", BY_NAMESPACE,
           RULE(KUBE_SYSTEM_ACCOUNTS, EVERYTHING)),
    SCHEMA("service-accounts", false, "workload-low", "9000", BY_USER,
           RULE(GROUP("system:serviceaccounts"), EVERYTHING)),
    SCHEMA("global-default", false, "global-default", "9900", BY_USER, RULE(EVERYBODY, EVERYTHING)),
    SCHEMA("exempt", true, "exempt", "1", ONE_FLOW, RULE(GROUP("system:masters"), EVERYTHING)),
    SCHEMA("catch-all", true, "catch-all", "10000", BY_USER, RULE(EVERYBODY, EVERYTHING)),
};

const lw_flow_builtin *lw_flow_builtins(size_t *count)
{
    *count = sizeof(builtins) / sizeof(builtins[0]);
    return builtins;
}

const lw_flow_builtin *lw_flow_builtin_find(const lw_kind *kind, lw_str name)
{
    for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
        if (builtins[i].kind == kind && lw_str_equal(builtins[i].name, name))
            return &builtins[i];
    }
    return NULL;
}

/* Parses a boolean as Go does; false: it is none. */
static bool parse_bool(lw_str text, bool *value)
{
    static const char *const yes[] = { "1", "t", "T", "TRUE", "true", "True" };
    static const char *const no[] = { "0", "f", "F", "FALSE", "false", "False" };
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        *value = lw_str_equal(text, lw_str_of(yes[i]));
        if (*value || lw_str_equal(text, lw_str_of(no[i])))
            return true;
    }
    return false;
}

static lw_str annotation_of(const lw_node *object)
{
    return lw_fields_text(lw_fields_find(object, "/metadata/annotations"), ANNOTATION);
}

bool lw_flow_is_maintained(const lw_node *object)
{
    bool value;
    return parse_bool(annotation_of(object), &value) && value;
}

/* Whether the specification is the server's business.  Without an annotation it is, as long as
 * nobody has changed it. */
static bool is_specified_here(const lw_flow_builtin *builtin, const lw_node *current)
{
    bool value;
    if (builtin->is_mandatory)
        return true;
    if (parse_bool(annotation_of(current), &value))
        return value;
    return lw_fields_int(lw_node_get(current, LW_STR("metadata")), "generation", 0) == 1;
}

/* The shares of the exempt level are the administrator's. */
static bool is_equal_spec(const lw_flow_builtin *builtin, const lw_node *wanted,
                          const lw_node *current)
{
    bool is_exempt_level = builtin->kind == &lw_kind_prioritylevelconfigurations &&
                           lw_str_equal(builtin->name, LW_STR("exempt"));
    if (is_exempt_level)
        return lw_str_equal(lw_fields_text_at(current, "/spec/type"), LW_STR("Exempt")) &&
               lw_fields_find(current, "/spec/exempt") && !lw_fields_find(current, "/spec/limited");
    return lw_node_equal(lw_node_get(wanted, LW_STR("spec")), lw_node_get(current, LW_STR("spec")));
}

bool lw_flow_builtin_revise(const lw_flow_builtin *builtin, const lw_node *wanted, lw_tree *tree,
                            lw_node *current)
{
    bool value, is_specified = is_specified_here(builtin, current);
    bool is_annotated = parse_bool(annotation_of(current), &value) && value == is_specified;
    bool is_equal = !is_specified || is_equal_spec(builtin, wanted, current);
    if (!is_equal)
        lw_fields_set_copy(tree, current, "spec", lw_node_get(wanted, LW_STR("spec")));
    if (!is_annotated) {
        lw_node *metadata = lw_fields_object(tree, current, "metadata");
        lw_node *annotations = lw_fields_object(tree, metadata, "annotations");
        lw_fields_set_text(tree, annotations, ANNOTATION,
                           is_specified ? LW_STR("true") : LW_STR("false"));
    }
    return !is_equal || !is_annotated;
}
