/* SPDX-License-Identifier: Apache-2.0 */
/* policy_env.c -- declares the variables of policies. */
#include "api/policies/policy_env.h"

#include <string.h>

#include "base/str.h"

#define FIELD(member, of)                                                                          \
    {                                                                                              \
        LW_STR_INIT(member), LW_STR_INIT(member), (of)                                             \
    }
#define OBJECT(type_name, members)                                                                 \
    {                                                                                              \
        .kind = LW_CEL_OBJECT, .fields = (members),                                                \
        .field_count = sizeof(members) / sizeof((members)[0]), .max_size = LW_CEL_UNBOUNDED,       \
        .name = LW_STR_INIT(type_name)                                                             \
    }

static const lw_cel_type strings = { .kind = LW_CEL_LIST,
                                     .elem = &lw_cel_string,
                                     .max_size = LW_CEL_UNBOUNDED };
static const lw_cel_type string_map = {
    .kind = LW_CEL_MAP, .key = &lw_cel_string, .elem = &lw_cel_string, .max_size = LW_CEL_UNBOUNDED
};
static const lw_cel_type extra_map = {
    .kind = LW_CEL_MAP, .key = &lw_cel_string, .elem = &strings, .max_size = LW_CEL_UNBOUNDED
};

/* Fields are sorted by name. */
static const lw_cel_field gvk_fields[] = { FIELD("group", &lw_cel_string),
                                           FIELD("kind", &lw_cel_string),
                                           FIELD("version", &lw_cel_string) };
static const lw_cel_field gvr_fields[] = { FIELD("group", &lw_cel_string),
                                           FIELD("resource", &lw_cel_string),
                                           FIELD("version", &lw_cel_string) };
static const lw_cel_field user_fields[] = { FIELD("extra", &extra_map), FIELD("groups", &strings),
                                            FIELD("uid", &lw_cel_string),
                                            FIELD("username", &lw_cel_string) };
static const lw_cel_type gvk_type = OBJECT("kubernetes.GroupVersionKind", gvk_fields);
static const lw_cel_type gvr_type = OBJECT("kubernetes.GroupVersionResource", gvr_fields);
static const lw_cel_type user_type = OBJECT("kubernetes.UserInfo", user_fields);

static const lw_cel_field request_fields[] = {
    { LW_STR_INIT("__namespace__"), LW_STR_INIT("namespace"), &lw_cel_string },
    FIELD("dryRun", &lw_cel_bool),
    FIELD("kind", &gvk_type),
    FIELD("name", &lw_cel_string),
    FIELD("operation", &lw_cel_string),
    FIELD("options", &lw_cel_dyn),
    FIELD("requestKind", &gvk_type),
    FIELD("requestResource", &gvr_type),
    FIELD("requestSubResource", &lw_cel_string),
    FIELD("resource", &gvr_type),
    FIELD("subResource", &lw_cel_string),
    FIELD("userInfo", &user_type),
};
static const lw_cel_type request_type = OBJECT("kubernetes.AdmissionRequest", request_fields);

static const lw_cel_field ns_spec_fields[] = { FIELD("finalizers", &strings) };
static const lw_cel_field ns_condition_fields[] = {
    FIELD("lastTransitionTime", &lw_cel_timestamp), FIELD("message", &lw_cel_string),
    FIELD("reason", &lw_cel_string), FIELD("status", &lw_cel_string), FIELD("type", &lw_cel_string)
};
static const lw_cel_type ns_condition_type =
    OBJECT("kubernetes.NamespaceCondition", ns_condition_fields);
static const lw_cel_type ns_conditions = { .kind = LW_CEL_LIST,
                                           .elem = &ns_condition_type,
                                           .max_size = LW_CEL_UNBOUNDED };
static const lw_cel_field ns_status_fields[] = { FIELD("conditions", &ns_conditions),
                                                 FIELD("phase", &lw_cel_string) };
static const lw_cel_field ns_metadata_fields[] = {
    { LW_STR_INIT("UID"), LW_STR_INIT("uid"), &lw_cel_string },
    { LW_STR_INIT("__namespace__"), LW_STR_INIT("namespace"), &lw_cel_string },
    FIELD("annotations", &string_map),
    FIELD("creationTimestamp", &lw_cel_timestamp),
    FIELD("deletionGracePeriodSeconds", &lw_cel_int),
    FIELD("deletionTimestamp", &lw_cel_timestamp),
    FIELD("finalizers", &strings),
    FIELD("generateName", &lw_cel_string),
    FIELD("generation", &lw_cel_int),
    FIELD("labels", &string_map),
    FIELD("name", &lw_cel_string),
    FIELD("resourceVersion", &lw_cel_string),
};
static const lw_cel_type ns_spec_type = OBJECT("kubernetes.NamespaceSpec", ns_spec_fields);
static const lw_cel_type ns_status_type = OBJECT("kubernetes.NamespaceStatus", ns_status_fields);
static const lw_cel_type ns_metadata_type =
    OBJECT("kubernetes.NamespaceMetadata", ns_metadata_fields);
static const lw_cel_field ns_fields[] = { FIELD("metadata", &ns_metadata_type),
                                          FIELD("spec", &ns_spec_type),
                                          FIELD("status", &ns_status_type) };
static const lw_cel_type ns_type = OBJECT("kubernetes.Namespace", ns_fields);

static void add(lw_policy_scope *scope, lw_policy_variable which, const char *name,
                const lw_cel_type *type)
{
    scope->declared[scope->count] = (lw_cel_variable){ lw_str_of(name), type };
    scope->which[scope->count++] = which;
}

static void add_common(lw_policy_scope *scope, bool has_params)
{
    add(scope, LW_POLICY_OBJECT, "object", &lw_cel_dyn);
    add(scope, LW_POLICY_OLD_OBJECT, "oldObject", &lw_cel_dyn);
    add(scope, LW_POLICY_NAMESPACE, "namespaceObject", &ns_type);
    add(scope, LW_POLICY_REQUEST, "request", &request_type);
    if (has_params)
        add(scope, LW_POLICY_PARAMS, "params", &lw_cel_dyn);
}

static void add_authorizer(lw_policy_scope *scope)
{
    add(scope, LW_POLICY_AUTHORIZER, "authorizer", &lw_cel_authorizer_type);
    add(scope, LW_POLICY_REQUEST_RESOURCE, "authorizer.requestResource",
        &lw_cel_resource_check_type);
}

lw_status lw_policy_env_init(lw_policy_env *env, lw_arena *arena, bool has_params,
                             bool has_composed, size_t composed)
{
    *env = (lw_policy_env){ .composed_at = SIZE_MAX };
    env->fields = lw_arena_take_zero(arena, composed + 1, sizeof(*env->fields));
    if (!env->fields)
        return arena->st;
    env->composed = (lw_cel_type){ .kind = LW_CEL_OBJECT,
                                   .fields = env->fields,
                                   .max_size = LW_CEL_UNBOUNDED,
                                   .name = LW_STR_INIT("kubernetes.variables") };
    add_common(&env->all, has_params);
    add_common(&env->condition, has_params);
    if (has_composed) {
        env->composed_at = env->all.count;
        add(&env->all, LW_POLICY_COMPOSED, "variables", &env->composed);
    }
    env->message_count = env->all.count;
    add_authorizer(&env->all);
    add_authorizer(&env->condition);
    return LW_OK;
}

void lw_policy_env_set_types(lw_policy_env *env, const lw_cel_type *object,
                             const lw_cel_type *params)
{
    lw_policy_scope *scope = &env->all;
    while (scope->count > 0 && scope->which[scope->count - 1] == LW_POLICY_REQUEST_RESOURCE)
        scope->count--;
    for (size_t i = 0; i < scope->count; i++) {
        lw_policy_variable which = scope->which[i];
        if (which == LW_POLICY_OBJECT || which == LW_POLICY_OLD_OBJECT)
            scope->declared[i].type = object;
        else if (which == LW_POLICY_PARAMS && params)
            scope->declared[i].type = params;
    }
}

/* Types that a composed variable passes on; others become any type. */
static bool is_passed_on(const lw_cel_type *type)
{
    switch (type->kind) {
    case LW_CEL_LIST: return !type->elem || is_passed_on(type->elem);
    case LW_CEL_MAP:
        return (!type->key || is_passed_on(type->key)) && (!type->elem || is_passed_on(type->elem));
    default: return type->kind <= LW_CEL_TIMESTAMP;
    }
}

void lw_policy_env_declare(lw_policy_env *env, lw_str name, const lw_cel_program *program)
{
    const lw_cel_type *type = program ? lw_cel_program_type(program) : &lw_cel_dyn;
    size_t at = env->composed.field_count;
    while (at > 0 && lw_str_compare(env->fields[at - 1].name, name) >= 0)
        at--;
    if (at == env->composed.field_count || !lw_str_equal(env->fields[at].name, name)) {
        memmove(&env->fields[at + 1], &env->fields[at],
                (env->composed.field_count - at) * sizeof(*env->fields));
        env->composed.field_count++;
    }
    env->fields[at] = (lw_cel_field){ name, name, is_passed_on(type) ? type : &lw_cel_dyn };
}

static bool is_struct(const lw_cel_type *type, const char *name)
{
    return type && type->kind == LW_CEL_STRUCT && lw_str_equal(type->name, lw_str_of(name));
}

static bool has_type(const lw_cel_type *type, lw_policy_wanted wanted)
{
    switch (wanted) {
    case LW_POLICY_WANTS_BOOL: return type->kind == LW_CEL_BOOL;
    case LW_POLICY_WANTS_STRING: return type->kind == LW_CEL_STRING;
    case LW_POLICY_WANTS_STRING_OR_NULL:
        return type->kind == LW_CEL_STRING || type->kind == LW_CEL_NULL;
    case LW_POLICY_WANTS_OBJECT: return is_struct(type, "Object");
    case LW_POLICY_WANTS_PATCHES:
        return type->kind == LW_CEL_LIST && is_struct(type->elem, "JSONPatch");
    case LW_POLICY_WANTS_ANY: return true;
    }
    return false;
}

static void refuse_type(const lw_cel_type *type, lw_policy_wanted wanted, lw_buf *why)
{
    static const char *const texts[] = {
        [LW_POLICY_WANTS_BOOL] = "bool",
        [LW_POLICY_WANTS_STRING] = "string",
        [LW_POLICY_WANTS_STRING_OR_NULL] = "one of [string null_type]",
        [LW_POLICY_WANTS_OBJECT] = "Object",
        [LW_POLICY_WANTS_PATCHES] = "list(JSONPatch)",
        [LW_POLICY_WANTS_ANY] = "any",
    };
    lw_buf_printf(why, "must evaluate to %s but got ", texts[wanted]);
    lw_cel_type_append(type, why);
}

lw_status lw_policy_env_compile(lw_policy_env *env, lw_str text, lw_policy_place place,
                                lw_policy_wanted wanted, lw_cel_program **out, lw_buf *why)
{
    const lw_policy_scope *scope = place == LW_POLICY_IN_CONDITION ? &env->condition : &env->all;
    size_t count = place == LW_POLICY_IN_MESSAGE ? env->message_count : scope->count;
    unsigned features = place == LW_POLICY_IN_MUTATION ? LW_CEL_FEATURE_PATCH : 0;
    lw_cel_program *program = NULL;
    size_t before = why->len;
    lw_buf_append_text(why, "compilation failed: ");
    lw_status st = lw_cel_compile_with(&program, text, scope->declared, count, features, why);
    if (st < 0)
        return st;
    lw_buf_truncate(why, before);
    if (!has_type(lw_cel_program_type(program), wanted)) {
        refuse_type(lw_cel_program_type(program), wanted, why);
        lw_cel_program_free(program);
        return LW_ERR_SYNTAX;
    }
    *out = program;
    return LW_OK;
}
