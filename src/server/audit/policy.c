/* SPDX-License-Identifier: Apache-2.0 */
/* policy.c -- reads an audit policy strictly: a field that is misspelled must not silently turn
 * into a rule that records less.
 *
 * The fields of each object are in a table, which names the reader of the value.  A reader knows
 * where it is by its |place|, for error messages such as "rules[2].resources[0].group". */
#include "server/audit/policy.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/str.h"
#include "server/audit/policy_rules.h"
#include "json/fields.h"
#include "json/tree.h"
#include "json/yaml/yaml.h"

enum {
    TREE_MAX = 16 * 1024 * 1024,
    COMPILED_MAX = 16 * 1024 * 1024,
    PLACE_SIZE = 160,
};

static const lw_str level_names[LW_AUDIT_LEVELS] = { LW_STR_INIT("None"), LW_STR_INIT("Metadata"),
                                                     LW_STR_INIT("Request"),
                                                     LW_STR_INIT("RequestResponse") };

static const lw_str stage_names[] = { LW_STR_INIT("RequestReceived"),
                                      LW_STR_INIT("ResponseStarted"),
                                      LW_STR_INIT("ResponseComplete"), LW_STR_INIT("Panic") };

enum {
    STAGES = sizeof(stage_names) / sizeof(stage_names[0]),
};

lw_str lw_audit_level_name(lw_audit_level level)
{
    return level_names[level];
}

lw_str lw_audit_stage_name(lw_audit_stage stage)
{
    size_t i = 0;
    while (i + 1 < STAGES && 1u << i != (unsigned)stage)
        i++;
    return stage_names[i];
}

/* A policy that is being read. */
typedef struct reading {
    lw_audit_policy *policy;
    lw_error *err;
} reading;

/* A field of the object that is being read, for messages. */
typedef struct place {
    char text[PLACE_SIZE];
} place;

static place field_of(const place *parent, lw_str key)
{
    place p;
    bool is_root = parent->text[0] == '\0';
    (void)snprintf(p.text, PLACE_SIZE, "%.90s%s%.*s", parent->text, is_root ? "" : ".",
                   (int)(key.len < 64 ? key.len : 64), key.ptr ? key.ptr : "");
    return p;
}

static place element_of(const place *parent, size_t index)
{
    place p;
    (void)snprintf(p.text, PLACE_SIZE, "%.130s[%zu]", parent->text, index);
    return p;
}

static lw_status refuse(reading *r, const place *p, const char *why)
{
    return lw_error_set(r->err, LW_ERR_INVALID, "%s: %s", p->text, why);
}

static lw_status refuse_value(reading *r, const place *p, lw_str value, const char *why)
{
    int len = (int)(value.len < 128 ? value.len : 128);
    return lw_error_set(r->err, LW_ERR_INVALID, "%s: \"%.*s\" %s", p->text, len,
                        value.ptr ? value.ptr : "", why);
}

static lw_status failure_of(const reading *r)
{
    return r->policy->arena.st == LW_ERR_NOMEM
               ? lw_error_nomem(r->err)
               : lw_error_set(r->err, r->policy->arena.st, "the policy is too large");
}

/* Reads |node| into |target|. */
typedef lw_status (*field_reader)(reading *r, const lw_node *node, const place *p, void *target);

typedef struct field {
    const char *name;
    field_reader read; /* NULL: the field is ignored */
    size_t offset;     /* of the target in the struct */
} field;

static const field *find_field(const field *fields, lw_str key)
{
    for (; fields->name; fields++) {
        if (lw_str_equal(key, lw_str_of(fields->name)))
            return fields;
    }
    return NULL;
}

/* Reads the members of |node| into |target|, a struct that |fields| describes. */
static lw_status read_object(reading *r, const lw_node *node, const place *p, const field *fields,
                             void *target)
{
    if (!lw_node_is(node, LW_JSON_OBJECT))
        return refuse(r, p, "must be an object");
    for (size_t i = 0; i < lw_node_count(node); i++) {
        lw_str key = lw_node_key_at(node, i);
        const lw_node *value = lw_node_at(node, i);
        const field *f = find_field(fields, key);
        place inner = field_of(p, key);
        if (!f)
            return refuse(r, &inner, "unknown field");
        if (!f->read || lw_node_type(value) == LW_JSON_NULL)
            continue;
        lw_status st = f->read(r, value, &inner, (char *)target + f->offset);
        if (st < 0)
            return st;
    }
    return LW_OK;
}

static lw_status read_text(reading *r, const lw_node *node, const place *p, void *target)
{
    if (!lw_node_is(node, LW_JSON_STRING))
        return refuse(r, p, "must be a string");
    *(lw_str *)target = lw_arena_copy(&r->policy->arena, lw_node_text(node));
    return r->policy->arena.st < 0 ? failure_of(r) : LW_OK;
}

static lw_status read_bool(reading *r, const lw_node *node, const place *p, void *target)
{
    if (!lw_node_is(node, LW_JSON_BOOL))
        return refuse(r, p, "must be true or false");
    *(bool *)target = lw_node_bool(node);
    return LW_OK;
}

static lw_status read_texts(reading *r, const lw_node *node, const place *p, void *target)
{
    if (!lw_node_is(node, LW_JSON_ARRAY))
        return refuse(r, p, "must be a list of strings");
    lw_rbac_texts *texts = target;
    size_t count = lw_node_count(node);
    lw_str *items = lw_arena_take_zero(&r->policy->arena, count + 1, sizeof(*items));
    if (!items)
        return failure_of(r);
    for (size_t i = 0; i < count; i++) {
        place inner = element_of(p, i);
        lw_status st = read_text(r, lw_node_at(node, i), &inner, &items[i]);
        if (st < 0)
            return st;
        texts->has_all = texts->has_all || lw_str_equal(items[i], LW_STR("*"));
    }
    texts->items = items;
    texts->count = count;
    return LW_OK;
}

/* |target| is an unsigned set of stages. */
static lw_status read_stages(reading *r, const lw_node *node, const place *p, void *target)
{
    lw_rbac_texts texts = { .items = NULL };
    lw_status st = read_texts(r, node, p, &texts);
    for (size_t i = 0; i < texts.count && st == LW_OK; i++) {
        place inner = element_of(p, i);
        size_t stage = 0;
        while (stage < STAGES && !lw_str_equal(texts.items[i], stage_names[stage]))
            stage++;
        if (stage == STAGES)
            return refuse_value(r, &inner, texts.items[i],
                                "is not a stage: use RequestReceived, ResponseStarted, "
                                "ResponseComplete or Panic");
        *(unsigned *)target |= 1u << stage;
    }
    return st;
}

static lw_status read_level(reading *r, const lw_node *node, const place *p, void *target)
{
    lw_str text = lw_node_text(node);
    for (size_t i = 0; i < LW_AUDIT_LEVELS; i++) {
        if (lw_node_is(node, LW_JSON_STRING) && lw_str_equal(text, level_names[i])) {
            *(lw_audit_level *)target = (lw_audit_level)i;
            return LW_OK;
        }
    }
    return refuse_value(r, p, text,
                        "is not a level: use None, Metadata, Request or RequestResponse");
}

/* Each URL begins with '/', and has '*' only at its end; or it is "*". */
static lw_status read_urls(reading *r, const lw_node *node, const place *p, void *target)
{
    const lw_rbac_texts *urls = target;
    lw_status st = read_texts(r, node, p, target);
    for (size_t i = 0; i < urls->count && st == LW_OK; i++) {
        place inner = element_of(p, i);
        lw_str url = urls->items[i], before, after;
        if (lw_str_equal(url, LW_STR("*")))
            continue;
        if (!lw_str_starts_with(url, LW_STR("/")))
            return refuse_value(r, &inner, url, "is not a path: it must begin with \"/\"");
        if (lw_str_cut(url, '*', &before, &after) && after.len > 0)
            return refuse_value(r, &inner, url, "has \"*\" before its end");
    }
    return st;
}

static lw_status read_group(reading *r, const lw_node *node, const place *p, void *target)
{
    lw_str head, tail;
    lw_status st = read_text(r, node, p, target);
    if (st == LW_OK && lw_str_cut(*(const lw_str *)target, '/', &head, &tail))
        return refuse_value(r, p, *(const lw_str *)target,
                            "is not an API group: leave out the version");
    return st;
}

static const field resources_fields[] = {
    { "group", read_group, offsetof(lw_audit_resources, group) },
    { "resources", read_texts, offsetof(lw_audit_resources, resources) },
    { "resourceNames", read_texts, offsetof(lw_audit_resources, names) },
    { NULL, NULL, 0 },
};

/* |target| is an lw_audit_rule. */
static lw_status read_resources(reading *r, const lw_node *node, const place *p, void *target)
{
    lw_audit_rule *rule = target;
    if (!lw_node_is(node, LW_JSON_ARRAY))
        return refuse(r, p, "must be a list");
    size_t count = lw_node_count(node);
    lw_audit_resources *all = lw_arena_take_zero(&r->policy->arena, count + 1, sizeof(*all));
    if (!all)
        return failure_of(r);
    for (size_t i = 0; i < count; i++) {
        place inner = element_of(p, i);
        lw_status st = read_object(r, lw_node_at(node, i), &inner, resources_fields, &all[i]);
        if (st < 0)
            return st;
        if (all[i].names.count > 0 && all[i].resources.count == 0)
            return refuse(r, &inner, "resourceNames requires at least one resource");
    }
    rule->resources = all;
    rule->resource_count = count;
    return LW_OK;
}

/* The defaults for all rules. */
typedef struct defaults {
    unsigned omitted_stages;
    bool omits_managed_fields;
} defaults;

static const field policy_fields[] = {
    { "apiVersion", NULL, 0 }, /* checked before */
    { "kind", NULL, 0 },
    { "metadata", NULL, 0 },
    { "rules", NULL, 0 }, /* read after the defaults */
    { "omitStages", read_stages, offsetof(defaults, omitted_stages) },
    { "omitManagedFields", read_bool, offsetof(defaults, omits_managed_fields) },
    { NULL, NULL, 0 },
};

#define IN_DECISION(member)                                                                        \
    (offsetof(lw_audit_rule, decision) + offsetof(lw_audit_decision, member))

static const field rule_fields[] = {
    { "level", read_level, IN_DECISION(level) },
    { "users", read_texts, offsetof(lw_audit_rule, users) },
    { "userGroups", read_texts, offsetof(lw_audit_rule, groups) },
    { "verbs", read_texts, offsetof(lw_audit_rule, verbs) },
    { "resources", read_resources, 0 },
    { "namespaces", read_texts, offsetof(lw_audit_rule, namespaces) },
    { "nonResourceURLs", read_urls, offsetof(lw_audit_rule, urls) },
    { "omitStages", read_stages, IN_DECISION(omitted_stages) },
    { "omitManagedFields", read_bool, IN_DECISION(omits_managed_fields) },
    { NULL, NULL, 0 },
};

static lw_status read_rule(reading *r, const lw_node *node, const place *p, const defaults *d,
                           lw_audit_rule *rule)
{
    rule->decision = (lw_audit_decision){ .level = LW_AUDIT_LEVELS,
                                          .omitted_stages = d->omitted_stages,
                                          .omits_managed_fields = d->omits_managed_fields };
    lw_status st = read_object(r, node, p, rule_fields, rule);
    if (st < 0)
        return st;
    if (rule->decision.level == LW_AUDIT_LEVELS)
        return refuse(r, p, "level is required: None, Metadata, Request or RequestResponse");
    if (rule->urls.count > 0 && (rule->resource_count > 0 || rule->namespaces.count > 0))
        return refuse(r, p,
                      "a rule cannot have both nonResourceURLs and resources or namespaces: make "
                      "two rules");
    return LW_OK;
}

static lw_status read_rules(reading *r, const lw_node *root, const defaults *d)
{
    static const place at_rules = { "rules" };
    const lw_node *list = lw_node_get(root, LW_STR("rules"));
    size_t count = lw_node_is(list, LW_JSON_ARRAY) ? lw_node_count(list) : 0;
    if (count == 0)
        return refuse(r, &at_rules, "at least one rule is required");
    lw_audit_rule *rules = lw_arena_take_zero(&r->policy->arena, count, sizeof(*rules));
    if (!rules)
        return failure_of(r);
    for (size_t i = 0; i < count; i++) {
        place inner = element_of(&at_rules, i);
        lw_status st = read_rule(r, lw_node_at(list, i), &inner, d, &rules[i]);
        if (st < 0)
            return st;
    }
    r->policy->rules = rules;
    r->policy->count = count;
    return LW_OK;
}

static lw_status read_policy(reading *r, const lw_node *root)
{
    static const place top = { "" };
    defaults d = { 0, false };
    if (!lw_node_is(root, LW_JSON_OBJECT) ||
        !lw_str_equal(lw_fields_text(root, "apiVersion"), LW_STR("audit.k8s.io/v1")) ||
        !lw_str_equal(lw_fields_text(root, "kind"), LW_STR("Policy")))
        return lw_error_set(r->err, LW_ERR_INVALID,
                            "not an audit policy: apiVersion must be audit.k8s.io/v1 and kind must "
                            "be Policy");
    lw_status st = read_object(r, root, &top, policy_fields, &d);
    return st < 0 ? st : read_rules(r, root, &d);
}

/* Reads the only document of |text|. */
static lw_status read_tree(lw_str text, lw_tree **out, lw_error *err)
{
    lw_yaml_reader *reader = NULL;
    lw_tree *more = NULL;
    lw_buf duplicates;
    lw_buf_init(&duplicates, 4096);
    if (lw_yaml_reader_new(&reader, text) < 0)
        return lw_error_nomem(err);
    lw_yaml_reader_report_duplicates(reader, &duplicates);
    lw_status st = lw_yaml_reader_next(reader, TREE_MAX, out, err);
    if (st == LW_OK && !*out)
        st = lw_error_set(err, LW_ERR_INVALID, "the policy is empty");
    if (st == LW_OK)
        st = lw_yaml_reader_next(reader, TREE_MAX, &more, err);
    if (st == LW_OK && more && lw_node_type(lw_tree_root(more)) != LW_JSON_NULL)
        st = lw_error_set(err, LW_ERR_INVALID, "there is more than one document");
    lw_str line, rest;
    (void)lw_str_cut(lw_buf_view(&duplicates), '\n', &line, &rest);
    if (st == LW_OK && line.len > 0)
        st = lw_error_set(err, LW_ERR_INVALID, "%.*s", LW_STR_ARG(line));
    lw_buf_done(&duplicates);
    lw_yaml_reader_free(reader);
    lw_tree_free(more);
    return st;
}

lw_status lw_audit_policy_parse(lw_audit_policy **out, lw_str text, lw_error *err)
{
    lw_tree *tree = NULL;
    lw_audit_policy *policy = lw_alloc_zero(1, sizeof(*policy));
    if (!policy)
        return lw_error_nomem(err);
    lw_arena_init(&policy->arena, COMPILED_MAX);
    lw_status st = read_tree(text, &tree, err);
    if (st == LW_OK && lw_tree_had_repeats(tree))
        st = lw_error_set(err, LW_ERR_INVALID, "a field is there twice");
    if (st == LW_OK) {
        reading r = { policy, err };
        st = read_policy(&r, lw_tree_root(tree));
    }
    lw_tree_free(tree);
    if (st < 0)
        lw_audit_policy_free(policy);
    else
        *out = policy;
    return st;
}

lw_status lw_audit_policy_read(lw_audit_policy **out, const char *path, lw_error *err)
{
    lw_buf text;
    lw_error why = LW_ERROR_INIT;
    lw_buf_init(&text, LW_AUDIT_POLICY_MAX);
    lw_status st = lw_file_read(path, &text, &why);
    if (st == LW_OK) {
        st = lw_audit_policy_parse(out, lw_buf_view(&text), &why);
        if (st < 0)
            (void)lw_error_set(err, st, "audit policy %s: %s", path, why.message);
    } else {
        (void)lw_error_set(err, st, "audit policy: %s", why.message);
    }
    lw_buf_done(&text);
    return st;
}

void lw_audit_policy_free(lw_audit_policy *policy)
{
    if (!policy)
        return;
    lw_arena_done(&policy->arena);
    lw_free(policy);
}
