/* SPDX-License-Identifier: Apache-2.0 */
/* service_table_test.c -- which services a pod belongs to. */
#include "control/endpoints/service_table.h"

#include "unit/control/objects.h"

static void note(lw_str ns, lw_str name, void *arg)
{
    char *text = arg;
    size_t len = strlen(text);
    (void)snprintf(text + len, 256 - len, "%.*s/%.*s ", (int)ns.len, ns.ptr, (int)name.len,
                   name.ptr);
}

static lw_object *service_of(const char *ns, const char *name, const char *selector)
{
    return object_of("{'kind':'Service','metadata':{'namespace':'%s','name':'%s'},'spec':{%s}}", ns,
                     name, selector);
}

static void assert_services(lw_service_table *table, const char *labels, const char *wanted)
{
    char text[256] = "", more[128];
    (void)snprintf(more, sizeof(more), "'labels':{%s}", labels);
    lw_object *pod = pod_of("p", more, "");
    lw_service_table_match(table, pod, note, text);
    assert_string_equal(text, wanted);
    lw_object_unref(pod);
}

static void pods_find_their_services(void **state)
{
    lw_service_table *table = NULL;
    (void)state;
    assert_int_equal(lw_service_table_new(&table, NULL), LW_OK);
    lw_object *web = service_of("default", "web", "'selector':{'app':'web'}");
    lw_object *db = service_of("default", "web", "'selector':{'app':'db'}");
    lw_object *other = service_of("other", "web", "'selector':{'app':'web'}");
    lw_object *none = service_of("default", "none", "'clusterIP':'None'");
    assert_int_equal(lw_service_table_set(table, web), LW_OK);
    assert_int_equal(lw_service_table_set(table, other), LW_OK);
    assert_int_equal(lw_service_table_set(table, none), LW_OK);
    assert_services(table, "'app':'web','tier':'1'", "default/web ");
    assert_services(table, "'app':'db'", "");
    assert_services(table, "", "");
    assert_int_equal(lw_service_table_set(table, db), LW_OK);
    assert_services(table, "'app':'web'", "");
    assert_services(table, "'app':'db'", "default/web ");
    lw_service_table_remove(table, db);
    lw_service_table_remove(table, none);
    assert_services(table, "'app':'db'", "");
    lw_service_table_free(table);
    lw_object_unref(none);
    lw_object_unref(other);
    lw_object_unref(db);
    lw_object_unref(web);
}

static void a_service_rests_longer_than_it_cost(void **state)
{
    lw_service_table *table = NULL;
    const lw_key key = lw_key_make("default", "web");
    (void)state;
    assert_int_equal(lw_service_table_new(&table, NULL), LW_OK);
    lw_object *web = service_of("default", "web", "'selector':{'app':'web'}");
    assert_int_equal(lw_service_table_set(table, web), LW_OK);
    assert_int_equal(lw_service_table_rest(table, key, 1000), 0);
    lw_service_table_ran(table, key, 50, 1000);
    assert_int_equal(lw_service_table_rest(table, key, 1100), 400);
    assert_int_equal(lw_service_table_rest(table, key, 1500), 0);
    lw_service_table_free(table);
    lw_object_unref(web);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pods_find_their_services),
        TEST(a_service_rests_longer_than_it_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
