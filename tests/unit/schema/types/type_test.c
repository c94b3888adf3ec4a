/* SPDX-License-Identifier: Apache-2.0 */
/* type_test.c -- the types of the built-in kinds: all there, in order, and with the facts that
 * patches, apply and protobuf rest on. */
#include "schema/types/type.h"

#include <stdio.h>

#include "base/str.h"
#include "schema/kinds/kind.h"
#include "schema/types/type_table.h"
#include "unit/test.h"

static const lw_type *type_of(const char *group, const char *version, const char *kind)
{
    const lw_type *type = lw_type_of_kind(lw_gvk_make(group, version, kind));
    if (!type)
        fail_msg("no type of %s/%s %s", group, version, kind);
    return type;
}

/* The field at |path| ("spec.containers.ports"), through lists and maps. */
static const lw_field *field_at(const lw_type *type, const char *path)
{
    lw_str rest = lw_str_of(path), name;
    const lw_field *field = NULL;
    while (rest.len > 0) {
        (void)lw_str_cut(rest, '.', &name, &rest);
        while (type->element)
            type = type->element;
        field = lw_type_field(type, name);
        if (!field)
            fail_msg("%.*s has no %.*s", LW_STR_ARG(type->go), LW_STR_ARG(name));
        type = field->type;
    }
    return field;
}

static const lw_field *pod_field(const char *path)
{
    return field_at(type_of("", "v1", "Pod"), path);
}

static void assert_keys(const lw_field *field, const char *first, const char *second)
{
    assert_true(field->flags & LW_FIELD_LIST_MAP);
    assert_str_equal(field->rules->list_keys[0], first);
    assert_str_equal(field->rules->list_keys[1], second);
    if (*second)
        assert_int_equal(field->rules->list_keys[2].len, 0);
}

static void every_served_kind_and_its_list_has_a_type(void **state)
{
    (void)state;
    size_t count;
    const lw_kind *const *kinds = lw_kinds_builtin(&count);
    for (size_t i = 0; i < count; i++) {
        lw_gvk gvk = { kinds[i]->group, kinds[i]->version, kinds[i]->kind };
        const lw_type *type = lw_type_of_kind(gvk);
        gvk.kind = kinds[i]->list_kind;
        const lw_type *list = lw_type_of_kind(gvk);
        if (!type || (!list && gvk.kind.len > 0))
            fail_msg("%.*s or its list has no type", LW_STR_ARG(kinds[i]->kind));
        assert_str_equal(field_at(type, "metadata")->type->go, "v1.ObjectMeta");
        if (!list)
            continue;
        assert_str_equal(field_at(list, "metadata")->type->go, "v1.ListMeta");
        assert_ptr_equal(field_at(list, "items")->type->element, type);
        assert_int_equal(field_at(list, "items")->number, 2);
    }
}

static void what_is_not_there_is_not_found(void **state)
{
    (void)state;
    assert_null(lw_type_of_kind(lw_gvk_make("", "v1", "Pods")));
    assert_null(lw_type_of_kind(lw_gvk_make("", "v2", "Pod")));
    assert_null(lw_type_of_kind(lw_gvk_make("apps", "v1", "Pod")));
    const lw_type *pod = type_of("", "v1", "Pod");
    assert_null(lw_type_field(pod, LW_STR("Spec")));
    assert_null(lw_type_field(pod, LW_STR("")));
    assert_null(lw_type_field(pod_field("spec.containers")->type, LW_STR("name")));
    assert_null(lw_type_field_numbered(pod, 0));
    assert_null(lw_type_field_numbered(pod, 4));
}

static void names_and_kinds_are_sorted_and_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < lw_type_kind_count; i++) {
        const lw_type *type = lw_type_kinds[i].type;
        assert_ptr_equal(lw_type_of_kind(lw_type_kinds[i].gvk), type);
        for (size_t j = 0; j < type->member_count; j++) {
            assert_ptr_equal(lw_type_member(type, type->members[j].field->name), &type->members[j]);
            if (j > 0)
                assert_true(lw_str_compare(type->members[j - 1].field->name,
                                           type->members[j].field->name) < 0);
        }
    }
}

static void kinds_that_do_not_exist_are_not_found(void **state)
{
    (void)state;
    assert_null(lw_type_of_kind(lw_gvk_make("", "v1", "Pods")));
    assert_null(lw_type_of_kind(lw_gvk_make("", "v1", "")));
    assert_null(lw_type_of_kind(lw_gvk_make("", "v2", "Pod")));
    assert_null(lw_type_of_kind(lw_gvk_make("apps", "v1", "Pod")));
    assert_null(lw_type_of_kind(lw_gvk_make("apps", "v1", "DeploymentLists")));
}

/* What lw_typed_write adds to a struct is listed. */
static void assert_additions_are_listed(const lw_type *type)
{
    size_t next = 0;
    for (size_t i = 0; i < type->member_count; i++) {
        const lw_member *member = &type->members[i];
        bool is_added = member->field->flags & LW_FIELD_ADDED &&
                        !(member->via && member->via->flags & LW_FIELD_POINTER);
        if (is_added)
            assert_int_equal(type->added[next++], i);
    }
    assert_int_equal(next, type->added_count);
}

static void members_that_are_always_written_are_listed(void **state)
{
    (void)state;
    for (size_t i = 0; i < lw_type_kind_count; i++) {
        const lw_type *kind = lw_type_kinds[i].type;
        assert_additions_are_listed(kind);
        for (size_t j = 0; j < kind->member_count; j++) {
            const lw_type *type = kind->members[j].field->type;
            while (type->element)
                type = type->element;
            if (type->form == LW_TYPE_STRUCT)
                assert_additions_are_listed(type);
        }
    }
}

/* Sorted; the search compares eight bytes first. */
static void names_that_start_alike_are_told_apart(void **state)
{
    (void)state;
    enum {
        NAMES = 12
    };
    static const lw_str names[NAMES] = {
        LW_STR_INIT("a"),         LW_STR_INIT("a\0"),        LW_STR_INIT("ab"),
        LW_STR_INIT("abcd"),      LW_STR_INIT("abcde"),      LW_STR_INIT("abcdefg"),
        LW_STR_INIT("abcdefgh"),  LW_STR_INIT("abcdefgh\0"), LW_STR_INIT("abcdefgha"),
        LW_STR_INIT("abcdefghb"), LW_STR_INIT("abcdefghbb"), LW_STR_INIT("b"),
    };
    static const char *const others[] = { "",         "abc",       "abcdef",      "abcdefgi",
                                          "abcdefgg", "abcdefghc", "abcdefghbbb", "c" };
    lw_field fields[NAMES] = { 0 };
    lw_member members[NAMES];
    for (size_t i = 0; i < NAMES; i++) {
        fields[i].name = names[i];
        members[i] = (lw_member){ &fields[i], NULL, lw_type_name_start(names[i]) };
    }
    for (size_t count = 0; count <= NAMES; count++) {
        lw_type type = { .form = LW_TYPE_STRUCT,
                         .fields = fields,
                         .members = members,
                         .member_count = (uint16_t)count };
        for (size_t i = 0; i < NAMES; i++)
            assert_ptr_equal(lw_type_member(&type, names[i]), i < count ? &members[i] : NULL);
        for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
            assert_null(lw_type_member(&type, lw_str_of(others[i])));
    }
}

static void fields_stand_in_the_order_they_are_written_in(void **state)
{
    (void)state;
    static const char *const names[] = { "TypeMeta", "metadata", "spec", "status" };
    const lw_type *pod = type_of("", "v1", "Pod");
    assert_int_equal(pod->field_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_str_equal(pod->fields[i].name, names[i]);
        assert_int_equal(pod->fields[i].number, i);
    }
    assert_int_equal(pod->member_count, 5);
    assert_str_equal(pod->package->proto, "k8s.io.api.core.v1");
    assert_str_equal(pod->name, "Pod");
}

static void numbers_are_those_of_protobuf(void **state)
{
    (void)state;
    assert_int_equal(pod_field("spec.volumes")->number, 1);
    assert_int_equal(pod_field("spec.initContainers")->number, 20);
    assert_int_equal(pod_field("metadata.managedFields")->number, 17);
    const lw_type *spec = pod_field("spec")->type;
    assert_str_equal(lw_type_field_numbered(spec, 20)->name, "initContainers");
}

static void forms_are_as_declared(void **state)
{
    (void)state;
    assert_int_equal(pod_field("spec.containers")->type->form, LW_TYPE_LIST);
    assert_str_equal(pod_field("spec.containers")->type->go, "[]v1.Container");
    assert_str_equal(pod_field("spec.restartPolicy")->type->go, "v1.RestartPolicy");
    assert_int_equal(pod_field("spec.restartPolicy")->type->form, LW_TYPE_STRING);
    assert_str_equal(pod_field("metadata.uid")->type->go, "types.UID");
    const lw_type *limits = pod_field("spec.containers.resources.limits")->type;
    assert_int_equal(limits->form, LW_TYPE_MAP);
    assert_int_equal(limits->element->form, LW_TYPE_QUANTITY);
    assert_str_equal(limits->go, "v1.ResourceList");
    assert_int_equal(pod_field("spec.containers.livenessProbe.httpGet.port")->type->form,
                     LW_TYPE_INT_OR_STRING);
    assert_int_equal(field_at(type_of("", "v1", "Secret"), "data")->type->element->form,
                     LW_TYPE_BYTES);
    assert_int_equal(
        field_at(type_of("coordination.k8s.io", "v1", "Lease"), "spec.renewTime")->type->form,
        LW_TYPE_MICRO_TIME);
    const lw_type *crd = type_of("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    const lw_field *schema = field_at(crd, "spec.versions.schema.openAPIV3Schema");
    assert_ptr_equal(field_at(schema->type, "properties")->type->element, schema->type);
    const lw_type *either = field_at(schema->type, "additionalProperties")->type;
    assert_int_equal(either->form, LW_TYPE_EITHER);
    assert_int_equal(either->field_count, 2);
}

static void lists_carry_the_rules_of_apply_and_of_strategic_patches(void **state)
{
    (void)state;
    const lw_field *ports = pod_field("spec.containers.ports");
    assert_keys(ports, "containerPort", "protocol");
    assert_str_equal(ports->rules->patch_key, "containerPort");
    assert_true(ports->flags & LW_FIELD_PATCH_MERGE);
    assert_str_equal(field_at(ports->type->element, "protocol")->rules->fallback, "\"TCP\"");

    const lw_field *volumes = pod_field("spec.volumes");
    assert_keys(volumes, "name", "");
    assert_true(volumes->flags & LW_FIELD_RETAIN_KEYS);
    assert_str_equal(volumes->rules->patch_key, "name");

    const lw_field *finalizers = pod_field("metadata.finalizers");
    assert_true(finalizers->flags & LW_FIELD_LIST_SET);
    assert_true(finalizers->flags & LW_FIELD_PATCH_MERGE);
    assert_null(finalizers->rules);

    const lw_field *tolerations = pod_field("spec.tolerations");
    assert_true(tolerations->flags & LW_FIELD_LIST_ATOMIC);
    assert_false(tolerations->flags & LW_FIELD_PATCH_MERGE);

    const lw_type *budget = type_of("policy", "v1", "PodDisruptionBudget");
    assert_true(field_at(budget, "spec.selector")->flags & LW_FIELD_PATCH_REPLACE);
    assert_true(field_at(budget, "spec.selector")->type->is_atomic);
    const lw_type *service = type_of("", "v1", "Service");
    assert_true(field_at(service, "spec.selector")->flags & LW_FIELD_ATOMIC);
}

static void what_may_be_absent_is_known(void **state)
{
    (void)state;
    assert_true(pod_field("spec.containers")->flags & LW_FIELD_IS_REQUIRED);
    assert_true(pod_field("spec.containers")->flags & LW_FIELD_ALWAYS);
    assert_false(pod_field("spec.nodeName")->flags & (LW_FIELD_IS_REQUIRED | LW_FIELD_POINTER));
    const lw_type *deployment = type_of("apps", "v1", "Deployment");
    assert_true(field_at(deployment, "spec.replicas")->flags & LW_FIELD_POINTER);
    assert_true(field_at(deployment, "spec")->flags & LW_FIELD_IS_REQUIRED);
    assert_false(field_at(deployment, "spec")->flags & LW_FIELD_ALWAYS);
}

static void inline_structs_are_members_in_json_and_messages_in_protobuf(void **state)
{
    (void)state;
    const lw_type *volume = pod_field("spec.volumes")->type->element;
    const lw_member *member = lw_type_member(volume, LW_STR("emptyDir"));
    assert_non_null(member);
    assert_str_equal(member->via->name, "VolumeSource");
    assert_int_equal(member->via->number, 2);
    assert_ptr_equal(lw_type_field_numbered(volume, 2), member->via);
    assert_ptr_equal(lw_type_field(member->via->type, LW_STR("emptyDir")), member->field);
    assert_null(lw_type_member(volume, LW_STR("name"))->via);
    assert_null(lw_type_member(volume, LW_STR("VolumeSource")));
}

/* Adds |type| to the |max| structs |seen|; false: it is there. */
static bool note_struct(const lw_type *type, const lw_type **seen, size_t max)
{
    for (size_t i = 0; i < max; i++) {
        if (seen[i] == type)
            return false;
        if (!seen[i]) {
            seen[i] = type;
            return true;
        }
    }
    fail_msg("more than %zu structs", max);
    return false;
}

static void find_members(const lw_type *type, const lw_type **seen, size_t max)
{
    while (type->element)
        type = type->element;
    if (type->form != LW_TYPE_STRUCT || !note_struct(type, seen, max))
        return;
    for (size_t i = 0; i < type->member_count; i++) {
        char other[256];
        lw_str name = type->members[i].field->name;
        int len = snprintf(other, sizeof(other), "%.*s_", LW_STR_ARG(name));
        assert_ptr_equal(lw_type_member(type, name), &type->members[i]);
        assert_null(lw_type_member(type, lw_str_make(other, (size_t)len)));
        find_members(type->members[i].field->type, seen, max);
    }
    assert_null(lw_type_member(type, LW_STR("")));
    assert_null(lw_type_member(type, LW_STR("zzzzzzzzzzzz")));
}

static void every_member_of_every_struct_is_found_and_no_other(void **state)
{
    static const lw_type *seen[4096];
    (void)state;
    for (size_t i = 0; i < lw_type_kind_count; i++)
        find_members(lw_type_kinds[i].type, seen, sizeof(seen) / sizeof(seen[0]));
    assert_non_null(seen[500]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_served_kind_and_its_list_has_a_type),
        TEST(what_is_not_there_is_not_found),
        TEST(names_and_kinds_are_sorted_and_found),
        TEST(kinds_that_do_not_exist_are_not_found),
        TEST(members_that_are_always_written_are_listed),
        TEST(names_that_start_alike_are_told_apart),
        TEST(every_member_of_every_struct_is_found_and_no_other),
        TEST(fields_stand_in_the_order_they_are_written_in),
        TEST(numbers_are_those_of_protobuf),
        TEST(forms_are_as_declared),
        TEST(lists_carry_the_rules_of_apply_and_of_strategic_patches),
        TEST(what_may_be_absent_is_known),
        TEST(inline_structs_are_members_in_json_and_messages_in_protobuf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
