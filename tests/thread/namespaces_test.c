/* SPDX-License-Identifier: Apache-2.0 */
/* namespaces_test.c -- what every namespace is given by controllers, on a server of our own. */
#include "support/control_world.h"
#include "unit/test.h"

#define NAMESPACE "{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'%s'}}"
#define CA_NAME   "kube-root-ca.crt"
#define HAS_CA    "'ca.crt':'" CONTROL_WORLD_CA "'"

static control_world world;

static int open_world(void **state)
{
    (void)state;
    control_world_open(&world, "serviceaccounts,root-ca", 0, 0);
    return 0;
}

static int close_world(void **state)
{
    (void)state;
    control_world_close(&world);
    return 0;
}

static void await(const char *resource, const char *ns, const char *name, control_world_fn is_so,
                  const char *arg)
{
    lw_object_unref(control_world_await(&world, resource, ns, name, is_so, arg));
}

static void a_namespace_gets_its_account_and_the_ca(void **state)
{
    (void)state;
    await("serviceaccounts", "kube-system", "default", control_world_exists, NULL);
    control_world_create(&world, "namespaces", NAMESPACE, "new");
    await("serviceaccounts", "new", "default", control_world_exists, NULL);
    await("configmaps", "new", CA_NAME, control_world_has, HAS_CA);
}

static bool has_another_uid(const lw_object *obj, const char *uid)
{
    return obj && strcmp(lw_object_uid(obj), uid) != 0;
}

static void comes_again(const char *resource, const char *name)
{
    lw_object *first =
        control_world_await(&world, resource, "default", name, control_world_exists, NULL);
    control_world_delete(&world, resource, "default", name);
    await(resource, "default", name, has_another_uid, lw_object_uid(first));
    lw_object_unref(first);
}

static void what_is_deleted_comes_again(void **state)
{
    (void)state;
    comes_again("serviceaccounts", "default");
    comes_again("configmaps", CA_NAME);
}

static void a_ca_that_was_changed_is_set_right_and_the_rest_stays(void **state)
{
    (void)state;
    await("configmaps", "default", CA_NAME, control_world_exists, NULL);
    control_world_patch(&world, "configmaps", "default", CA_NAME,
                        "{'data':{'ca.crt':'wrong','mine':'stays'}}");
    await("configmaps", "default", CA_NAME, control_world_has, HAS_CA);
    await("configmaps", "default", CA_NAME, control_world_has, "'mine':'stays'");
}

static void a_namespace_that_is_deleted_ends(void **state)
{
    (void)state;
    control_world_create(&world, "namespaces", NAMESPACE, "old");
    await("serviceaccounts", "old", "default", control_world_exists, NULL);
    await("configmaps", "old", CA_NAME, control_world_exists, NULL);
    control_world_delete(&world, "namespaces", NULL, "old");
    await("namespaces", NULL, "old", control_world_is_gone, NULL);
    await("serviceaccounts", "old", "default", control_world_is_gone, NULL);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_namespace_gets_its_account_and_the_ca),
        CASE(what_is_deleted_comes_again),
        CASE(a_ca_that_was_changed_is_set_right_and_the_rest_stays),
        CASE(a_namespace_that_is_deleted_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
