/* SPDX-License-Identifier: Apache-2.0 */
/* template_hash_test.c -- templates that mean the same have one hash, others have not. */
#include "control/deployment/template_hash.h"

#include "unit/control/things.h"

static uint64_t hash_of(const char *text)
{
    lw_document *doc = document_of(text);
    uint64_t hash = lw_template_hash(doc, lw_document_find(doc, NULL, ""));
    lw_document_free(doc);
    return hash;
}

static const char plain[] =
    "{'metadata':{'labels':{'a':'1','b':'2'}},'spec':{'containers':[{'name':'c','image':'i'},"
    "{'name':'d','image':'i'}]}}";

static void order_of_members_and_emptiness_do_not_count(void **state)
{
    (void)state;
    static const char *const same[] = {
        "{'spec':{'containers':[{'image':'i','name':'c'},{'name':'d','image':'i'}]},"
        "'metadata':{'labels':{'b':'2','a':'1'}}}",
        "{'metadata':{'creationTimestamp':null,'annotations':{},'labels':{'a':'1','b':'2'}},"
        "'spec':{'volumes':[],'securityContext':{},'hostname':'','containers':[{'name':'c',"
        "'image':'i','resources':{}},{'name':'d','image':'i'}]}}",
        "{'metadata':{'labels':{'a':'1','b':'2','pod-template-hash':'xyz'}},'spec':{'containers':[{"
        "'name':'c','image':'i'},{'name':'d','image':'i'}]}}",
    };
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        assert_true(hash_of(same[i]) == hash_of(plain));
}

static void every_difference_that_means_something_counts(void **state)
{
    (void)state;
    static const char *const other[] = {
        "{'metadata':{'labels':{'a':'2','b':'1'}},'spec':{'containers':[{'name':'c','image':'i'},"
        "{'name':'d','image':'i'}]}}",
        "{'metadata':{'labels':{'a':'1','b':'2'}},'spec':{'containers':[{'name':'d','image':'i'},"
        "{'name':'c','image':'i'}]}}",
        "{'metadata':{'labels':{'a':'1','b':'2'}},'spec':{'containers':[{'name':'c','image':'i'}]}"
        "}",
        "{'metadata':{'labels':{'a':'1','b':'2'}},'spec':{'containers':[{'name':'c','image':'j'},"
        "{'name':'d','image':'i'}]}}",
        "{'metadata':{'labels':{'a':'1','b':'2'}},'spec':{'hostNetwork':true,'containers':[{"
        "'name':'c','image':'i'},{'name':'d','image':'i'}]}}",
    };
    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
        assert_true(hash_of(other[i]) != hash_of(plain));
}

/* Names of ReplicaSets come of it: it must never change. */
static void the_text_is_the_same_for_ever(void **state)
{
    (void)state;
    char text[LW_TEMPLATE_HASH_SIZE], collided[LW_TEMPLATE_HASH_SIZE];
    lw_template_hash_text(text, hash_of(plain), 0);
    lw_template_hash_text(collided, hash_of(plain), 1);
    assert_string_equal(text, "jrcbzqrbnz");
    assert_string_not_equal(text, collided);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(order_of_members_and_emptiness_do_not_count),
        TEST(every_difference_that_means_something_counts),
        TEST(the_text_is_the_same_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
