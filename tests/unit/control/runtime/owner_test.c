/* SPDX-License-Identifier: Apache-2.0 */
/* owner_test.c -- the object that manages another. */
#include "control/runtime/owner.h"

#include "unit/control/things.h"

static void finds_the_one_owner_that_is_the_controller(void **state)
{
    (void)state;
    lw_owner owner;
    lw_object *pod =
        object_of("{'metadata':{'name':'a','ownerReferences':[{'kind':'Node','name':'n',"
                  "'uid':'1'},{'kind':'ReplicaSet','name':'web','uid':'2','controller':"
                  "true}]}}");
    assert_true(lw_owner_of(pod, &owner));
    assert_string_equal(owner.kind, "ReplicaSet");
    assert_string_equal(owner.name, "web");
    assert_string_equal(owner.uid, "2");
    lw_object_unref(pod);
    pod = object_of("{'metadata':{'name':'a','ownerReferences':[{'kind':'Node','name':'n',"
                    "'uid':'1','controller':false}]}}");
    assert_false(lw_owner_of(pod, &owner));
    lw_object_unref(pod);
}

static void an_owner_is_read_with_escapes_and_without_what_is_missing(void **state)
{
    (void)state;
    lw_owner owner;
    lw_object *pod =
        object_of("{'metadata':{'name':'a','ownerReferences':[{'controller':true,'uid':'2',"
                  "'name':'w\\u0065b','kind':null,'apiVersion':'apps/v1'}]}}");
    assert_true(lw_owner_of(pod, &owner));
    assert_string_equal(owner.kind, "");
    assert_string_equal(owner.name, "web");
    assert_string_equal(owner.uid, "2");
    lw_object_unref(pod);
    pod = object_of("{'metadata':{'name':'a','ownerReferences':[{'kind':'Node','name':'n',"
                    "'controller':true}]}}");
    assert_false(lw_owner_of(pod, &owner));
    lw_object_unref(pod);
}

static void a_name_that_is_too_long_is_cut(void **state)
{
    (void)state;
    lw_owner owner;
    lw_object *pod =
        object_of("{'metadata':{'name':'a','ownerReferences':[{'kind':"
                  "'Kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk',"
                  "'uid':'2','controller':true}]}}");
    assert_true(lw_owner_of(pod, &owner));
    assert_int_equal(strlen(owner.kind), sizeof(owner.kind) - 1);
    lw_object_unref(pod);
}

static void collect(void *to, lw_str value)
{
    (void)snprintf(to, 64, "%.*s", (int)value.len, value.ptr);
}

static void the_index_has_uids_of_owners_and_namespaces_of_orphans(void **state)
{
    (void)state;
    char value[64] = "";
    lw_object *pod =
        object_of("{'metadata':{'name':'a','namespace':'ns','ownerReferences':[{'kind':"
                  "'Job','name':'j','uid':'u-1','controller':true}]}}");
    lw_owner_index(pod, collect, value, NULL);
    assert_string_equal(value, "u-1");
    lw_object_unref(pod);
    pod = object_of("{'metadata':{'name':'a','namespace':'ns'}}");
    lw_owner_index(pod, collect, value, NULL);
    assert_string_equal(value, "orphans/ns");
    lw_object_unref(pod);
}

static void an_owner_is_added_as_the_controller(void **state)
{
    (void)state;
    lw_object *owner = object_of("{'apiVersion':'apps/v1','kind':'ReplicaSet','metadata':{'name':"
                                 "'web','uid':'7'}}"),
              *pod = NULL;
    lw_document *doc = document_of("{'metadata':{'name':'a'}}");
    lw_owner found;
    lw_owner_add(doc, owner);
    assert_int_equal(lw_document_to_object(doc, &pod, NULL), LW_OK);
    assert_true(lw_owner_of(pod, &found));
    assert_string_equal(found.uid, "7");
    assert_true(lw_object_bool(pod, "/metadata/ownerReferences/0/blockOwnerDeletion", false));
    lw_document_free(doc);
    lw_object_unref(pod);
    lw_object_unref(owner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(finds_the_one_owner_that_is_the_controller),
        TEST(an_owner_is_read_with_escapes_and_without_what_is_missing),
        TEST(a_name_that_is_too_long_is_cut),
        TEST(the_index_has_uids_of_owners_and_namespaces_of_orphans),
        TEST(an_owner_is_added_as_the_controller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
