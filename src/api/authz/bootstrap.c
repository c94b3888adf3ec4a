/* SPDX-License-Identifier: Apache-2.0 */
/* bootstrap.c -- reads bootstrap.rbac, which has the syntax, and reconciles the stored objects with
 * it. */
#include "api/authz/bootstrap.h"

#include <assert.h>

#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

#define GROUP_NAME "rbac.authorization.k8s.io"
#define AUTOUPDATE "rbac.authorization.kubernetes.io/autoupdate"

/* The object that is being read. */
typedef struct reader {
    lw_seed_batch *batch;
    const lw_kind *kind; /* NULL: none */
    lw_key key;
    lw_tree *tree;
    lw_node *list; /* "rules" or "subjects" */
} reader;

/* Takes the next word of |line|; empty: there is none. */
static lw_str next_word(lw_str *line)
{
    lw_str word;
    *line = lw_str_trim(*line);
    (void)lw_str_cut(*line, ' ', &word, line);
    return word;
}

static lw_node *root_of(const reader *r)
{
    return lw_tree_root(r->tree);
}

/* Appends the words of |list|, separated by commas, as the array |name|; "core" is the group "". */
static void set_list(reader *r, lw_node *rule, const char *name, lw_str list, bool is_of_groups)
{
    lw_node *array = lw_tree_array(r->tree);
    lw_str word, rest = list;
    bool goes_on = list.len > 0;
    while (goes_on) {
        goes_on = lw_str_cut(rest, ',', &word, &rest);
        if (is_of_groups && lw_str_equal(word, LW_STR("core")))
            word = LW_STR("");
        lw_node_append(r->tree, array, lw_tree_string(r->tree, word));
    }
    lw_node_put(r->tree, rule, lw_str_of(name), array);
}

static void set_pair(reader *r, lw_node *object, lw_str pair)
{
    lw_str name, value;
    (void)lw_str_cut(pair, '=', &name, &value);
    lw_node_put(r->tree, object, name, lw_tree_string(r->tree, value));
}

/* A line of a role: a rule, or what it aggregates. */
static void read_rule(reader *r, lw_str line)
{
    lw_str first = next_word(&line), second = next_word(&line);
    lw_node *rule = lw_tree_object(r->tree);
    if (lw_str_equal(first, LW_STR("aggregate"))) {
        lw_node *aggregation = lw_fields_object(r->tree, root_of(r), "aggregationRule");
        lw_node *selectors = lw_tree_array(r->tree);
        set_pair(r, lw_fields_object(r->tree, rule, "matchLabels"), second);
        lw_node_append(r->tree, selectors, rule);
        lw_node_put(r->tree, aggregation, LW_STR("clusterRoleSelectors"), selectors);
        return;
    }
    set_list(r, rule, "verbs", next_word(&line), false);
    if (lw_str_equal(first, LW_STR("url"))) {
        set_list(r, rule, "nonResourceURLs", second, false);
    } else {
        lw_str names = next_word(&line);
        set_list(r, rule, "apiGroups", first, true);
        set_list(r, rule, "resources", second, false);
        if (names.len > 0)
            set_list(r, rule, "resourceNames", names, false);
    }
    lw_node_append(r->tree, r->list, rule);
}

/* user:NAME, group:NAME or account:NAMESPACE/NAME */
static void read_subject(reader *r, lw_str word)
{
    lw_str type, name;
    lw_node *subject = lw_tree_object(r->tree);
    (void)lw_str_cut(word, ':', &type, &name);
    if (lw_str_equal(type, LW_STR("account"))) {
        lw_str ns;
        (void)lw_str_cut(name, '/', &ns, &name);
        lw_fields_set_text(r->tree, subject, "kind", LW_STR("ServiceAccount"));
        lw_fields_set_text(r->tree, subject, "name", name);
        lw_fields_set_text(r->tree, subject, "namespace", ns);
    } else {
        bool is_user = lw_str_equal(type, LW_STR("user"));
        lw_fields_set_text(r->tree, subject, "kind", is_user ? LW_STR("User") : LW_STR("Group"));
        lw_fields_set_text(r->tree, subject, "apiGroup", LW_STR(GROUP_NAME));
        lw_fields_set_text(r->tree, subject, "name", name);
    }
    lw_node_append(r->tree, r->list, subject);
}

static void set_role_ref(reader *r, lw_str role, bool is_of_cluster)
{
    lw_node *ref = lw_fields_object(r->tree, root_of(r), "roleRef");
    lw_fields_set_text(r->tree, ref, "apiGroup", LW_STR(GROUP_NAME));
    lw_fields_set_text(r->tree, ref, "kind",
                       is_of_cluster ? LW_STR("ClusterRole") : LW_STR("Role"));
    lw_fields_set_text(r->tree, ref, "name", role);
}

/* Whether |role| has a rule that is equal to |rule|. */
static bool has_item(const lw_node *list, const lw_node *item)
{
    for (size_t i = 0; i < lw_node_count(list); i++) {
        if (lw_node_equal(lw_node_at(list, i), item))
            return true;
    }
    return false;
}

/* Appends the items of |wanted| that |list| does not have.  Returns true if there are any. */
static bool add_missing(lw_tree *tree, lw_node *object, const char *name, const lw_node *wanted)
{
    lw_node *list = lw_node_get(object, lw_str_of(name));
    bool has_changed = false;
    for (size_t i = 0; i < lw_node_count(wanted); i++) {
        const lw_node *item = lw_node_at(wanted, i);
        if (has_item(list, item))
            continue;
        if (!lw_node_is(list, LW_JSON_ARRAY)) {
            list = lw_tree_array(tree);
            lw_node_put(tree, object, lw_str_of(name), list);
        }
        lw_node_append(tree, list, lw_tree_copy(tree, item));
        has_changed = true;
    }
    return has_changed;
}

/* Gives |present| back what it has lost. */
static lw_status reconcile(reader *r, const lw_object *present, const char *list_name)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, lw_object_json(present), 0, NULL);
    if (st < 0)
        return st;
    lw_node *root = lw_tree_root(tree);
    lw_str autoupdate = lw_node_text(
        lw_node_get(lw_fields_find(root, "/metadata/annotations"), LW_STR(AUTOUPDATE)));
    bool is_aggregated = lw_node_get(root_of(r), LW_STR("aggregationRule")) != NULL;
    if (!lw_str_equal(autoupdate, LW_STR("false")) && !is_aggregated &&
        add_missing(tree, root, list_name, r->list)) {
        st = lw_tree_status(tree);
        if (st == LW_OK)
            st = lw_seed_batch_update(r->batch, r->kind, r->key, root, lw_object_revision(present));
    }
    lw_tree_free(tree);
    return st;
}

/* Ends the object that was being read. */
static lw_status finish(reader *r)
{
    if (!r->kind)
        return LW_OK;
    bool is_role = r->kind == &lw_kind_roles || r->kind == &lw_kind_clusterroles;
    const char *list_name = is_role ? "rules" : "subjects";
    lw_object *present =
        lw_cache_get_ref(lw_api_resource(r->batch->api, r->kind), r->key.ns, r->key.name);
    lw_status st = lw_tree_status(r->tree);
    if (st == LW_OK && present) {
        st = reconcile(r, present, list_name);
    } else if (st == LW_OK) {
        bool is_aggregated = lw_node_get(root_of(r), LW_STR("aggregationRule")) != NULL;
        if (lw_node_count(r->list) > 0 || (is_role && !is_aggregated))
            lw_node_put(r->tree, root_of(r), lw_str_of(list_name), r->list);
        st = lw_seed_batch_create(r->batch, r->kind, r->key, r->tree, root_of(r));
    }
    lw_object_unref(present);
    lw_tree_free(r->tree);
    r->tree = NULL;
    r->kind = NULL;
    return st;
}

static const lw_kind *kind_of(lw_str word)
{
    if (lw_str_equal(word, LW_STR("clusterrole")))
        return &lw_kind_clusterroles;
    if (lw_str_equal(word, LW_STR("role")))
        return &lw_kind_roles;
    if (lw_str_equal(word, LW_STR("clusterbinding")))
        return &lw_kind_clusterrolebindings;
    assert(lw_str_equal(word, LW_STR("binding")));
    return &lw_kind_rolebindings;
}

/* Begins the object of a line such as "clusterbinding NAME ROLE SUBJECT". */
static lw_status begin(reader *r, lw_str line)
{
    const lw_kind *kind = kind_of(next_word(&line));
    lw_str name = next_word(&line), ns = LW_STR(""), word;
    if (kind->is_namespaced)
        (void)lw_str_cut(name, '/', &ns, &name);
    lw_status st = lw_tree_new(&r->tree, 0);
    if (st < 0)
        return st;
    r->kind = kind;
    r->key = (lw_key){ ns, name };
    lw_node *root = lw_tree_object(r->tree);
    lw_tree_set_root(r->tree, root);
    lw_fields_set_text(r->tree, root, "kind", kind->kind);
    lw_fields_set_text(r->tree, root, "apiVersion", LW_STR(GROUP_NAME "/v1"));
    lw_node *metadata = lw_fields_object(r->tree, root, "metadata");
    lw_node *labels = lw_fields_object(r->tree, metadata, "labels");
    lw_fields_set_text(r->tree, lw_fields_object(r->tree, metadata, "annotations"), AUTOUPDATE,
                       LW_STR("true"));
    lw_fields_set_text(r->tree, labels, "kubernetes.io/bootstrapping", LW_STR("rbac-defaults"));
    r->list = lw_tree_array(r->tree);
    if (kind == &lw_kind_roles || kind == &lw_kind_clusterroles) {
        while ((word = next_word(&line)).len > 0)
            set_pair(r, labels, word);
        return LW_OK;
    }
    set_role_ref(r, next_word(&line), kind == &lw_kind_clusterrolebindings);
    while ((word = next_word(&line)).len > 0)
        read_subject(r, word);
    return LW_OK;
}

/* Returns the lines after that of the ClusterRole |name|. */
static lw_str find_cluster_role(lw_str name)
{
    lw_str rest = lw_str_of(lw_rbac_bootstrap_text), line;
    while (rest.len > 0) {
        (void)lw_str_cut(rest, '\n', &line, &rest);
        if (lw_str_equal(next_word(&line), LW_STR("clusterrole")) &&
            lw_str_equal(next_word(&line), name))
            break;
    }
    return rest;
}

lw_status lw_rbac_bootstrap_rules(lw_rbac_rules **out, lw_str name)
{
    reader r = { .batch = NULL };
    lw_str rest = find_cluster_role(name), line;
    lw_status st = lw_tree_new(&r.tree, 0);
    if (st < 0)
        return st;
    r.list = lw_tree_array(r.tree);
    while (rest.len > 0 && rest.ptr[0] == ' ') {
        (void)lw_str_cut(rest, '\n', &line, &rest);
        read_rule(&r, line);
    }
    st = lw_tree_status(r.tree);
    if (st == LW_OK)
        st = lw_rbac_rules_new(out, r.list);
    lw_tree_free(r.tree);
    return st;
}

lw_status lw_rbac_bootstrap(lw_seed_batch *batch)
{
    reader r = { .batch = batch };
    lw_str rest = lw_str_of(lw_rbac_bootstrap_text), line;
    lw_status st = LW_OK;
    while (rest.len > 0 && st == LW_OK) {
        (void)lw_str_cut(rest, '\n', &line, &rest);
        if (line.len == 0 || line.ptr[0] == '#')
            continue;
        if (line.ptr[0] == ' ') {
            read_rule(&r, line);
        } else {
            st = finish(&r);
            if (st == LW_OK)
                st = begin(&r, line);
        }
    }
    if (st == LW_OK)
        st = finish(&r);
    lw_tree_free(r.tree);
    return st;
}
