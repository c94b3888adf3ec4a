/* SPDX-License-Identifier: Apache-2.0 */
/* kinds_test.c -- the table of the built-in kinds agrees with itself. */
#include "schema/kinds/kinds.h"

#include "base/str.h"
#include "object/names.h"
#include "schema/kinds/subresource.h"
#include "schema/printers/printers.h"
#include "unit/test.h"

static const lw_kind *const *all(size_t *count)
{
    const lw_kind *const *kinds = lw_kinds_builtin(count);
    assert_true(*count > 20);
    return kinds;
}

static void fail_for(const lw_kind *kind, const char *what)
{
    fail_msg("%.*s.%.*s: %s", LW_STR_ARG(kind->plural), LW_STR_ARG(kind->group), what);
}

static bool is_lower_name(lw_str name)
{
    return lw_name_is_dns1035_label(name, NULL);
}

/* Created and nothing else: a question. */
static bool is_asked(const lw_kind *kind)
{
    return kind->verbs == LW_VERB_CREATE;
}

static void every_kind_has_its_names(void **state)
{
    (void)state;
    size_t count;
    const lw_kind *const *kinds = all(&count);
    for (size_t i = 0; i < count; i++) {
        const lw_kind *kind = kinds[i];
        if (!is_lower_name(kind->plural) || !is_lower_name(kind->singular))
            fail_for(kind, "plural and singular are small letters");
        if (kind->version.len == 0)
            fail_for(kind, "it has a version");
        if (is_asked(kind)) {
            if (kind->storage.len > 0 || kind->list_kind.len > 0)
                fail_for(kind, "what is only asked is not kept, and has no list");
            continue;
        }
        if (kind->storage.len == 0 && kind->verbs & ~(unsigned)(LW_VERB_GET | LW_VERB_LIST))
            fail_for(kind, "what is kept has its place");
        if (kind->list_kind.len != kind->kind.len + 4 ||
            !lw_str_starts_with(kind->list_kind, kind->kind) ||
            !lw_str_ends_with(kind->list_kind, LW_STR("List")))
            fail_for(kind, "the list is the kind and List");
        if (kind->group.len > 0 && !lw_name_is_dns1123_subdomain(kind->group, NULL))
            fail_for(kind, "the group is a domain");
    }
}

static void no_two_kinds_share_a_name_or_a_place(void **state)
{
    (void)state;
    size_t count;
    const lw_kind *const *kinds = all(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            const lw_kind *a = kinds[i], *b = kinds[j];
            if (a->storage.len > 0 && lw_str_equal(a->storage, b->storage) &&
                lw_kind_stored(a) != lw_kind_stored(b))
                fail_for(a, "has its place for itself");
            if (lw_str_equal(a->group, b->group) && lw_str_equal(a->version, b->version) &&
                (lw_str_equal(a->plural, b->plural) || lw_str_equal(a->kind, b->kind) ||
                 lw_str_equal(a->singular, b->singular)))
                fail_for(a, "has its name for itself");
        }
    }
}

static void no_place_lies_inside_of_another(void **state)
{
    (void)state;
    size_t count;
    const lw_kind *const *kinds = all(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            lw_str outer = kinds[i]->storage, inner = kinds[j]->storage;
            if (i != j && outer.len > 0 && inner.len > outer.len &&
                lw_str_starts_with(inner, outer) && inner.ptr[outer.len] == '/')
                fail_for(kinds[j], "would be listed with another kind");
        }
    }
}

static void groups_stand_together_and_their_resources_are_sorted(void **state)
{
    (void)state;
    size_t count;
    const lw_kind *const *kinds = all(&count);
    for (size_t i = 1; i < count; i++) {
        if (lw_str_equal(kinds[i]->group, kinds[i - 1]->group)) {
            if (lw_str_equal(kinds[i]->version, kinds[i - 1]->version) &&
                lw_str_compare(kinds[i - 1]->plural, kinds[i]->plural) >= 0)
                fail_for(kinds[i], "is out of order");
            continue;
        }
        for (size_t j = 0; j + 1 < i; j++) {
            if (lw_str_equal(kinds[j]->group, kinds[i]->group))
                fail_for(kinds[i], "is apart from its group");
        }
    }
}

static void every_table_begins_with_the_name_and_ends(void **state)
{
    (void)state;
    size_t count;
    const lw_kind *const *kinds = all(&count);
    for (size_t i = 0; i < count; i++) {
        const lw_table_column *column =
            kinds[i]->columns ? kinds[i]->columns : lw_table_columns_default;
        size_t columns = 0, named = 0;
        /* An event is told from its last sighting on; its name stands last. */
        bool is_event = lw_str_equal(kinds[i]->kind, LW_STR("Event"));
        /* Kubernetes does not mark the name of a migration as one. */
        bool is_migration = lw_str_equal(kinds[i]->kind, LW_STR("StorageVersionMigration"));
        if (!is_event && !is_migration && !lw_str_equal(column->format, LW_STR("name")))
            fail_for(kinds[i], "the first column is the name");
        for (; column->name.len > 0; column++, columns++) {
            if (!column->cell || column->type.len == 0 || column->description.len == 0)
                fail_for(kinds[i], "a column says what it is");
            if (column->priority != 0 && column->priority != 1)
                fail_for(kinds[i], "a column is for all or for wide tables");
            named += lw_str_equal(column->format, LW_STR("name"));
        }
        if (columns < 2 || named + is_migration != 1)
            fail_for(kinds[i], "one column is the name, and there are others");
    }
}

static void fields_and_scales_point_into_objects(void **state)
{
    (void)state;
    size_t count;
    const lw_kind *const *kinds = all(&count);
    for (size_t i = 0; i < count; i++) {
        const lw_kind *kind = kinds[i];
        for (const lw_field_label *field = kind->fields; field && field->label.len > 0; field++) {
            lw_field_label found;
            if (field->pointer && field->pointer[0] != '/')
                fail_for(kind, "a field is a JSON Pointer");
            if (!lw_kind_find_field(kind, field->label, &found) || found.pointer != field->pointer)
                fail_for(kind, "a field is found by its label");
        }
        if (!(kind->subresources & LW_SUB_SCALE) != !kind->scale)
            fail_for(kind, "a scale has its numbers");
    }
}

static void only_known_verbs_and_subresources_are_offered(void **state)
{
    (void)state;
    size_t count;
    unsigned known = 0;
    const lw_kind *const *kinds = all(&count);
    for (const lw_subresource *sub = lw_subresources; sub->bit; sub++)
        known |= sub->bit;
    for (size_t i = 0; i < count; i++) {
        if (kinds[i]->verbs & ~(unsigned)LW_VERB_ALL || kinds[i]->verbs == 0)
            fail_for(kinds[i], "has verbs");
        if (kinds[i]->subresources & ~known)
            fail_for(kinds[i], "has a subresource nobody knows");
    }
}

static void places_are_those_of_kube_apiserver(void **state)
{
    (void)state;
    assert_str_equal(lw_kind_services.storage, "services/specs");
    assert_str_equal(lw_kind_endpoints.storage, "services/endpoints");
    assert_str_equal(lw_kind_nodes.storage, "minions");
    assert_str_equal(lw_kind_replicationcontrollers.storage, "controllers");
    assert_str_equal(lw_kind_ingresses.storage, "ingress");
    assert_str_equal(lw_kind_deployments.storage, "deployments");
    assert_str_equal(lw_kind_customresourcedefinitions.storage,
                     "apiextensions.k8s.io/customresourcedefinitions");
}

static void writes_are_treated_as_kubernetes_treats_them(void **state)
{
    (void)state;
    assert_int_equal(lw_kind_pods.flags,
                     LW_KIND_GENERATION | LW_KIND_DELETE_RETURNS | LW_KIND_GRACEFUL);
    assert_int_equal(lw_kind_configmaps.flags, 0);
    assert_int_equal(lw_kind_secrets.flags, 0);
    assert_int_equal(lw_kind_leases.flags, LW_KIND_CONDITIONAL | LW_KIND_CREATE_ON_UPDATE);
    assert_int_equal(lw_kind_deployments.flags, LW_KIND_GENERATION | LW_KIND_ANNOTATION_GENERATION);
    assert_int_equal(lw_kind_services.flags, LW_KIND_CREATE_ON_UPDATE | LW_KIND_DELETE_RETURNS);
    assert_int_equal(lw_kind_services.name_rule, LW_NAME_LABEL);
    assert_int_equal(lw_kind_namespaces.name_rule, LW_NAME_LABEL);
    assert_int_equal(lw_kind_clusterroles.name_rule, LW_NAME_PATH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_kind_has_its_names),
        TEST(no_two_kinds_share_a_name_or_a_place),
        TEST(no_place_lies_inside_of_another),
        TEST(groups_stand_together_and_their_resources_are_sorted),
        TEST(every_table_begins_with_the_name_and_ends),
        TEST(fields_and_scales_point_into_objects),
        TEST(only_known_verbs_and_subresources_are_offered),
        TEST(places_are_those_of_kube_apiserver),
        TEST(writes_are_treated_as_kubernetes_treats_them),
    };
    return cmocka_run_group_tests_name("kinds", tests, NULL, NULL);
}
