/* SPDX-License-Identifier: Apache-2.0 */
/* policy_typecheck.c -- compiles the validations of a policy once for each kind, with its types. */
#include "api/policies/policy_typecheck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/policies/policy_env.h"
#include "api/policies/policy_types.h"
#include "base/str.h"
#include "object/gvk.h"
#include "json/fields.h"

enum {
    KINDS_OF_RULE_MAX = 10, /* as in Kubernetes */
    KINDS_MAX = 64,         /* of all rules */
    RULES_MAX = 128,        /* that are looked at */
    NAMES_MAX = 256,        /* of a list in a rule that are looked at */
    WORK_MAX = 256 * 1024,  /* bytes of expressions compiled after the first kind */
    WARNING_MAX = 256 * 1024,
    TYPES_MAX = 32 * 1024 * 1024, /* bytes of the types of one kind */
    FIELD_SIZE = 64,
};

/* The kinds that the rules name, in the order of group, version and kind. */
typedef struct kind_list {
    const lw_kind *at[KINDS_MAX];
    size_t count;
} kind_list;

typedef struct name_list {
    lw_str at[NAMES_MAX];
    size_t count;
} name_list;

static int compare_names(const void *a, const void *b)
{
    return lw_str_compare(*(const lw_str *)a, *(const lw_str *)b);
}

/* Reads the member |key| of a rule.  Names with one of |odd| are left out; |gives_up|: then there
 * are none at all. */
static void read_names(const lw_node *rule, const char *key, const char *odd, bool gives_up,
                       name_list *out)
{
    const lw_node *list = lw_node_get(rule, lw_str_of(key));
    out->count = 0;
    for (size_t i = 0; i < lw_node_count(list) && out->count < NAMES_MAX; i++) {
        lw_str name = lw_node_text(lw_node_at(list, i));
        bool is_odd = false;
        for (const char *c = odd; *c; c++)
            is_odd |= memchr(name.ptr, *c, name.len) != NULL;
        if (is_odd && gives_up) {
            out->count = 0;
            return;
        }
        if (!is_odd)
            out->at[out->count++] = name;
    }
    qsort(out->at, out->count, sizeof(out->at[0]), compare_names);
}

static int compare_kinds(const lw_kind *a, const lw_kind *b)
{
    int order = lw_str_compare(a->group, b->group);
    if (order == 0)
        order = lw_str_compare(a->version, b->version);
    return order != 0 ? order : lw_str_compare(a->kind, b->kind);
}

static void add_kind(kind_list *kinds, const lw_kind *kind)
{
    size_t at = kinds->count;
    while (at > 0 && compare_kinds(kinds->at[at - 1], kind) > 0)
        at--;
    if ((at > 0 && compare_kinds(kinds->at[at - 1], kind) == 0) || kinds->count == KINDS_MAX)
        return;
    memmove(&kinds->at[at + 1], &kinds->at[at], (kinds->count - at) * sizeof(kinds->at[0]));
    kinds->at[at] = kind;
    kinds->count++;
}

/* A kind that a rule names, by the places of its group, version and resource in the rule. */
typedef struct match {
    size_t group, version, resource;
    const lw_kind *kind;
} match;

/* The first of the kinds that a rule names, in the order of their places. */
typedef struct match_list {
    match at[KINDS_OF_RULE_MAX];
    size_t count;
} match_list;

/* Sets |*place| to the place of |name| in |names|; false: it is not there. */
static bool find_name(const name_list *names, lw_str name, size_t *place)
{
    const lw_str *found =
        bsearch(&name, names->at, names->count, sizeof(names->at[0]), compare_names);
    if (found)
        *place = (size_t)(found - names->at);
    return found != NULL;
}

static bool is_before(const match *a, const match *b)
{
    if (a->group != b->group)
        return a->group < b->group;
    return a->version != b->version ? a->version < b->version : a->resource < b->resource;
}

static void add_match(match_list *matches, const match *one)
{
    size_t at = matches->count;
    while (at > 0 && is_before(one, &matches->at[at - 1]))
        at--;
    if (at == KINDS_OF_RULE_MAX)
        return;
    size_t kept = matches->count < KINDS_OF_RULE_MAX ? matches->count : KINDS_OF_RULE_MAX - 1;
    memmove(&matches->at[at + 1], &matches->at[at], (kept - at) * sizeof(matches->at[0]));
    matches->at[at] = *one;
    matches->count = kept + 1;
}

/* Adds |kind| for each group and resource of a rule that mean it.  As in the mapper of client-go,
 * an empty group is any group. */
static void match_kind(const lw_kind *kind, const name_list *groups, const name_list *versions,
                       const name_list *resources, match_list *matches)
{
    const lw_str group_names[] = { LW_STR(""), kind->group };
    const lw_str resource_names[] = { kind->plural, kind->singular };
    match one = { .kind = kind };
    if (!find_name(versions, kind->version, &one.version))
        return;
    for (size_t g = kind->group.len > 0 ? 0 : 1; g < 2; g++) {
        for (size_t r = 0; r < 2; r++) {
            bool is_twice = r == 1 && lw_str_equal(kind->plural, kind->singular);
            if (!is_twice && find_name(groups, group_names[g], &one.group) &&
                find_name(resources, resource_names[r], &one.resource))
                add_match(matches, &one);
        }
    }
}

/* Adds the kinds of a rule.  True: there are enough, and other rules are not looked at. */
static bool add_rule(const lw_registry *registry, const lw_node *rule, kind_list *kinds)
{
    name_list groups, versions, resources;
    match_list matches = { .count = 0 };
    size_t count;
    const lw_kind *const *all = lw_registry_kinds(registry, &count);
    read_names(rule, "apiGroups", "*", true, &groups);
    read_names(rule, "apiVersions", "*", true, &versions);
    read_names(rule, "resources", "*/", false, &resources);
    for (size_t i = 0; i < count; i++)
        match_kind(all[i], &groups, &versions, &resources, &matches);
    for (size_t i = 0; i < matches.count; i++)
        add_kind(kinds, matches.at[i].kind);
    return matches.count == KINDS_OF_RULE_MAX;
}

static const lw_kind *find_params(const lw_registry *registry, const lw_node *param)
{
    size_t count;
    lw_str group, version, name = lw_fields_text(param, "kind");
    const lw_kind *const *all = lw_registry_kinds(registry, &count);
    if (lw_api_version_parse(lw_fields_text(param, "apiVersion"), &group, &version, NULL) < 0)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (lw_str_equal(all[i]->group, group) && lw_str_equal(all[i]->version, version) &&
            lw_str_equal(all[i]->kind, name))
            return all[i];
    }
    return NULL;
}

/* What is checked, and where the findings go. */
typedef struct checker {
    const lw_registry *registry;
    const lw_node *spec;
    const lw_node *variables, *validations;
    lw_buf *found; /* two for each validation: of its expression, and of its message */
    lw_status st;
} checker;

static void note(checker *c, lw_status st)
{
    if (st < 0 && c->st == LW_OK)
        c->st = st;
}

static void check_expression(checker *c, const lw_policy_env *env, const lw_kind *kind, lw_str text,
                             lw_buf *found)
{
    lw_cel_program *program = NULL;
    size_t before = found->len;
    lw_buf_append_text(found, before > 0 ? "\n" : "");
    lw_buf_append_str(found, kind->group);
    lw_buf_append_char(found, '/');
    lw_buf_append_str(found, kind->version);
    lw_buf_append_text(found, ", Kind=");
    lw_buf_append_str(found, kind->kind);
    lw_buf_append_text(found, ": ");
    lw_status st = lw_cel_compile_with(&program, text, env->all.declared, env->all.count, 0, found);
    lw_cel_program_free(program);
    if (st == LW_OK)
        lw_buf_truncate(found, before);
    else if (st == LW_ERR_NOMEM)
        note(c, st);
    else
        lw_buf_append_char(found, '\n');
}

static void check_all(checker *c, lw_policy_env *env, const lw_kind *kind,
                      lw_cel_program **programs)
{
    lw_buf ignored;
    lw_buf_init(&ignored, WARNING_MAX);
    for (size_t i = 0; i < lw_node_count(c->variables); i++) {
        const lw_node *variable = lw_node_at(c->variables, i);
        lw_buf_reset(&ignored);
        lw_status st = lw_cel_compile_with(&programs[i], lw_fields_text(variable, "expression"),
                                           env->all.declared, env->all.count, 0, &ignored);
        note(c, st == LW_ERR_NOMEM ? st : LW_OK);
        lw_policy_env_declare(env, lw_fields_text(variable, "name"), programs[i]);
    }
    for (size_t i = 0; i < lw_node_count(c->validations); i++) {
        const lw_node *validation = lw_node_at(c->validations, i);
        lw_str message = lw_fields_text(validation, "messageExpression");
        check_expression(c, env, kind, lw_fields_text(validation, "expression"), &c->found[2 * i]);
        if (message.len > 0)
            check_expression(c, env, kind, message, &c->found[2 * i + 1]);
    }
    lw_buf_done(&ignored);
}

/* Checks everything for objects of |kind|, unless it has no schema. */
static void check_kind(checker *c, const lw_kind *kind)
{
    const lw_node *param = lw_node_get(c->spec, LW_STR("paramKind"));
    const lw_kind *params = param ? find_params(c->registry, param) : NULL;
    size_t count = lw_node_count(c->variables);
    lw_policy_env env;
    lw_arena arena;
    lw_arena_init(&arena, TYPES_MAX);
    const lw_cel_type *type = lw_policy_type_of(&arena, kind);
    const lw_cel_type *param_type = params ? lw_policy_type_of(&arena, params) : NULL;
    lw_cel_program **programs = lw_arena_take_zero(&arena, count + 1, sizeof(lw_cel_program *));
    if (type && programs && lw_policy_env_init(&env, &arena, param != NULL, true, count) == LW_OK) {
        lw_policy_env_set_types(&env, type, param_type);
        check_all(c, &env, kind, programs);
    }
    for (size_t i = 0; programs && i < count; i++)
        lw_cel_program_free(programs[i]);
    note(c, arena.st);
    lw_arena_done(&arena);
}

static void add_warning(lw_tree *tree, lw_node *warnings, size_t index, const char *member,
                        lw_str text)
{
    char field[FIELD_SIZE];
    if (text.len == 0)
        return;
    lw_node *warning = lw_tree_object(tree);
    (void)snprintf(field, sizeof(field), "spec.validations[%zu].%s", index, member);
    lw_fields_set_text(tree, warning, "fieldRef", lw_str_of(field));
    lw_fields_set_text(tree, warning, "warning", text);
    lw_node_append(tree, warnings, warning);
}

static void write_warnings(checker *c, lw_tree *tree, lw_node *warnings)
{
    for (size_t i = 0; i < lw_node_count(c->validations); i++) {
        note(c, c->found[2 * i].st);
        note(c, c->found[2 * i + 1].st);
        add_warning(tree, warnings, i, "expression", lw_buf_view(&c->found[2 * i]));
        add_warning(tree, warnings, i, "messageExpression", lw_buf_view(&c->found[2 * i + 1]));
    }
    note(c, lw_tree_status(tree));
}

/* What is compiled for each kind. */
static size_t expression_bytes(const checker *c)
{
    size_t bytes = 0;
    for (size_t i = 0; i < lw_node_count(c->variables); i++)
        bytes += lw_fields_text(lw_node_at(c->variables, i), "expression").len;
    for (size_t i = 0; i < lw_node_count(c->validations); i++) {
        const lw_node *validation = lw_node_at(c->validations, i);
        bytes += lw_fields_text(validation, "expression").len +
                 lw_fields_text(validation, "messageExpression").len;
    }
    return bytes;
}

lw_status lw_policy_typecheck(const lw_registry *registry, const lw_node *spec, lw_tree *tree,
                              lw_node **warnings)
{
    const lw_node *rules = lw_fields_find(spec, "/matchConstraints/resourceRules");
    checker c = { .registry = registry,
                  .spec = spec,
                  .variables = lw_node_get(spec, LW_STR("variables")),
                  .validations = lw_node_get(spec, LW_STR("validations")) };
    size_t count = 2 * lw_node_count(c.validations);
    kind_list kinds = { .count = 0 };
    lw_arena arena;
    lw_arena_init(&arena, (count + 1) * sizeof(lw_buf) + WARNING_MAX);
    c.found = lw_arena_take_zero(&arena, count + 1, sizeof(lw_buf));
    for (size_t i = 0; c.found && i < count; i++)
        lw_buf_init(&c.found[i], WARNING_MAX);
    note(&c, arena.st);
    for (size_t i = 0; i < lw_node_count(rules) && i < RULES_MAX; i++) {
        if (add_rule(registry, lw_node_at(rules, i), &kinds))
            break;
    }
    size_t bytes = expression_bytes(&c);
    for (size_t i = 0; c.st == LW_OK && i < kinds.count && i * bytes <= WORK_MAX; i++)
        check_kind(&c, kinds.at[i]);
    lw_node *made = lw_tree_array(tree);
    if (c.st == LW_OK)
        write_warnings(&c, tree, made);
    for (size_t i = 0; c.found && i < count; i++)
        lw_buf_done(&c.found[i]);
    lw_arena_done(&arena);
    if (c.st == LW_OK)
        *warnings = made;
    return c.st;
}
