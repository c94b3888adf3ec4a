/* SPDX-License-Identifier: Apache-2.0 */
/* strategic_patch_test.c -- strategic merge patches: each directive, each refusal, the bound.
 * Quotes are ' in the tables. */
#include "schema/strategicpatch/strategic_patch.h"

#include <stdlib.h>

#include "base/str.h"
#include "unit/json/document.h"

typedef struct patch_case {
    const char *document;
    const char *patch;
    const char *result; /* the document, or the message */
} patch_case;

static lw_gvk kind_named(const char *kind)
{
    return lw_gvk_make(strcmp(kind, "Deployment") == 0 ? "apps" : "", "v1", kind);
}

/* |text| with ' turned into "; freed by the caller. */
static char *quoted(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = test_malloc(size);
    memcpy(copy, text, size);
    for (char *at = copy; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    return copy;
}

static lw_status apply(const char *kind, const patch_case *c, lw_tree **out, lw_buf *why)
{
    char *document = quoted(c->document), *changes = quoted(c->patch);
    lw_tree *tree = parse_document(document), *patch = parse_document(changes);
    lw_buf_init(why, 1 << 20);
    lw_status st = lw_strategic_patch_apply(tree, kind_named(kind), lw_tree_root(patch), why);
    lw_tree_free(patch); /* the result holds nothing of it */
    test_free(document);
    test_free(changes);
    *out = tree;
    return st;
}

static void assert_patched(const char *kind, const patch_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lw_tree *tree;
        lw_buf why;
        char *result = quoted(cases[i].result);
        lw_status st = apply(kind, &cases[i], &tree, &why);
        if (st < 0)
            fail_msg("%s: %d %.*s", cases[i].patch, st, (int)why.len, why.data);
        assert_written(lw_tree_root(tree), result);
        test_free(result);
        lw_tree_free(tree);
        lw_buf_done(&why);
    }
}

static void assert_refused(const char *kind, lw_status wanted, const patch_case *cases,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lw_tree *tree;
        lw_buf why;
        assert_int_equal(apply(kind, &cases[i], &tree, &why), wanted);
        assert_str_equal(lw_buf_view(&why), cases[i].result);
        lw_tree_free(tree);
        lw_buf_done(&why);
    }
}

#define COUNT(cases)                 (sizeof(cases) / sizeof((cases)[0]))
#define PATCHED(kind, cases)         assert_patched((kind), (cases), COUNT(cases))
#define REFUSED(kind, wanted, cases) assert_refused((kind), (wanted), (cases), COUNT(cases))

static void maps_are_merged_and_null_deletes(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{'data':{'a':'1','b':'2'}}", "{'data':{'b':null,'c':'3'}}",
          "{'data':{'a':'1','c':'3'}}" },
        { "{'data':{'a':'1'}}", "{'data':null}", "{}" },
        { "{}", "{'data':{'a':null,'b':'1'},'x':[{'y':null},null]}",
          "{'data':{'b':'1'},'x':[{},null]}" },
        { "{'data':{'a':'1'}}", "{'data':{'a':'1'}}", "{'data':{'a':'1'}}" },
        { "{'metadata':{'labels':{'a':'1'}}}", "{'metadata':{'labels':{'a':'2','b':'3'}}}",
          "{'metadata':{'labels':{'a':'2','b':'3'}}}" },
        { "{'immutable':true}", "{'immutable':{'a':null,'b':1}}", "{'immutable':{'b':1}}" },
    };
    PATCHED("ConfigMap", cases);
}

static void what_the_type_does_not_know_is_merged_plainly(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{'odd':{'a':1,'l':[1,2]}}", "{'odd':{'b':2,'l':[3]}}", "{'odd':{'a':1,'l':[3],'b':2}}" },
        { "{'odd':{'a':{'b':{'c':1}}}}", "{'odd':{'a':{'b':{'c':null}}}}",
          "{'odd':{'a':{'b':{}}}}" },
    };
    PATCHED("ConfigMap", cases);
}

static void lists_with_a_key_are_merged_by_it(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{'spec':{'containers':[{'name':'a','image':'1'},{'name':'b','image':'1'}]}}",
          "{'spec':{'containers':[{'name':'b','image':'2'}]}}",
          "{'spec':{'containers':[{'name':'a','image':'1'},{'name':'b','image':'2'}]}}" },
        /* New ones come before what only the server has. */
        { "{'spec':{'containers':[{'name':'a'}]}}", "{'spec':{'containers':[{'name':'b'}]}}",
          "{'spec':{'containers':[{'name':'b'},{'name':'a'}]}}" },
        { "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':1,'name':'x'}]}]}}",
          "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':1,'name':'y'},"
          "{'containerPort':2}]}]}}",
          "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':1,'name':'y'},"
          "{'containerPort':2}]}]}}" },
        /* 1 and '1' and 1.0 are three. */
        { "{'spec':{'containers':[{'name':1,'image':'i'}]}}",
          "{'spec':{'containers':[{'name':1,'image':'j'},{'name':'1'},{'name':1.0}]}}",
          "{'spec':{'containers':[{'name':1,'image':'j'},{'name':'1'},{'name':1.0}]}}" },
        /* The order of the patch counts for what it names. */
        { "{'spec':{'containers':[{'name':'a'},{'name':'s'},{'name':'b'}]}}",
          "{'spec':{'containers':[{'name':'b'},{'name':'a'}]}}",
          "{'spec':{'containers':[{'name':'s'},{'name':'b'},{'name':'a'}]}}" },
    };
    PATCHED("Pod", cases);
}

static void lists_of_plain_values_are_sets_or_replaced(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{'metadata':{'finalizers':['a','b']}}", "{'metadata':{'finalizers':['c','b']}}",
          "{'metadata':{'finalizers':['c','a','b']}}" },
        { "{'metadata':{'finalizers':['a']}}", "{'metadata':{'finalizers':['a','a']}}",
          "{'metadata':{'finalizers':['a']}}" },
        { "{'metadata':{'finalizers':['a']}}", "{'metadata':{'finalizers':[]}}",
          "{'metadata':{'finalizers':['a']}}" },
        { "{'spec':{'tolerations':[{'key':'a'}]}}", "{'spec':{'tolerations':[{'key':'b'}]}}",
          "{'spec':{'tolerations':[{'key':'b'}]}}" },
    };
    PATCHED("Pod", cases);
}

static void patch_directives_of_maps(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{'data':{'a':'1','b':'2'}}", "{'data':{'$patch':'replace','c':'3'}}",
          "{'data':{'c':'3'}}" },
        { "{'data':{'a':'1','b':'2'}}", "{'data':{'$patch':'delete'}}", "{'data':{}}" },
        { "{'data':{'a':'1'}}", "{'$patch':'replace','kind':'x'}", "{'kind':'x'}" },
        { "{}", "{'data':{'$patch':'replace','c':'3'}}", "{}" },
        { "{}", "{'data':{'$patch':'delete'}}", "{}" },
    };
    PATCHED("ConfigMap", cases);
}

static void patch_directives_of_elements(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{'spec':{'containers':[{'name':'a'},{'name':'b'},{'name':'a'}]}}",
          "{'spec':{'containers':[{'$patch':'delete','name':'a'}]}}",
          "{'spec':{'containers':[{'name':'b'}]}}" },
        { "{'spec':{'containers':[{'name':'a'}]}}",
          "{'spec':{'containers':[{'$patch':'delete','name':'x'},{'name':'c'}]}}",
          "{'spec':{'containers':[{'name':'c'},{'name':'a'}]}}" },
        { "{'spec':{'containers':[{'name':'a'},{'name':'b'}]}}",
          "{'spec':{'containers':[{'$patch':'replace'},{'name':'c','image':'i'}]}}",
          "{'spec':{'containers':[{'name':'c','image':'i'}]}}" },
        { "{'spec':{'containers':[{'name':'a'}]}}",
          "{'spec':{'containers':[{'$patch':'replace'}]}}", "{'spec':{'containers':[]}}" },
        { "{'spec':{}}", "{'spec':{'containers':[{'$patch':'delete','name':'a'},{'name':'b'}]}}",
          "{'spec':{'containers':[{'name':'b'}]}}" },
        /* Deleted and made anew. */
        { "{'spec':{'containers':[{'name':'a','image':'i'}]}}",
          "{'spec':{'containers':[{'$patch':'delete','name':'a'},{'name':'a','tty':true}]}}",
          "{'spec':{'containers':[{'name':'a','tty':true}]}}" },
        { "{'spec':{'containers':[{'name':'a'}]}}",
          "{'spec':{'containers':[{'$patch':'delete','name':'a'},{'name':'b'},{'name':'a'}]}}",
          "{'spec':{'containers':[{'name':'b'},{'name':'a'}]}}" },
    };
    PATCHED("Pod", cases);
}

static void values_are_deleted_from_plain_lists(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{'metadata':{'finalizers':['a','b','a','c']}}",
          "{'metadata':{'$deleteFromPrimitiveList/finalizers':['a','x']}}",
          "{'metadata':{'finalizers':['b','c']}}" },
        { "{'metadata':{}}", "{'metadata':{'$deleteFromPrimitiveList/finalizers':['a']}}",
          "{'metadata':{}}" },
        { "{'metadata':{'finalizers':['a']}}",
          "{'metadata':{'$deleteFromPrimitiveList/finalizers':null}}", "{'metadata':{}}" },
        /* A list that is replaced otherwise, too. */
        { "{'spec':{'containers':[{'name':'a','args':['x','y']}]}}",
          "{'spec':{'containers':[{'name':'a','$deleteFromPrimitiveList/args':['x']}]}}",
          "{'spec':{'containers':[{'name':'a','args':['y']}]}}" },
    };
    PATCHED("Pod", cases);
}

static void elements_are_ordered(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{'metadata':{'finalizers':['a','b','c']}}",
          "{'metadata':{'$setElementOrder/finalizers':['c','a']}}",
          "{'metadata':{'finalizers':['b','c','a']}}" },
        { "{'metadata':{'finalizers':['a','s','b']}}",
          "{'metadata':{'$setElementOrder/finalizers':['b','n','a'],'finalizers':['n']}}",
          "{'metadata':{'finalizers':['s','b','n','a']}}" },
        { "{'spec':{'containers':[{'name':'a'},{'name':'s'},{'name':'b'},{'name':'t'}]}}",
          "{'spec':{'$setElementOrder/containers':[{'name':'a'},{'name':'n'},{'name':'b'}],"
          "'containers':[{'name':'n','image':'i'}]}}",
          "{'spec':{'containers':[{'name':'a'},{'name':'n','image':'i'},{'name':'s'},{'name':'b'},"
          "{'name':'t'}]}}" },
        /* A new one that takes the place of a deleted one stands behind what remained. */
        { "{'spec':{'containers':[{'name':'a'},{'name':'s'}]}}",
          "{'spec':{'$setElementOrder/containers':[{'name':'n'}],"
          "'containers':[{'$patch':'delete','name':'a'},{'name':'n'}]}}",
          "{'spec':{'containers':[{'name':'s'},{'name':'n'}]}}" },
        { "{'spec':{}}",
          "{'spec':{'$setElementOrder/containers':[{'name':'b'},{'name':'a'}],"
          "'containers':[{'name':'b'},{'$patch':'delete','name':'c'},{'name':'a'}]}}",
          "{'spec':{'containers':[{'name':'b'},{'name':'a'}]}}" },
        { "{'spec':{}}", "{'spec':{'$setElementOrder/containers':[{'name':'b'}]}}", "{'spec':{}}" },
    };
    PATCHED("Pod", cases);
}

static void keys_are_retained(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{'spec':{'strategy':{'type':'RollingUpdate','rollingUpdate':{'maxSurge':1}}}}",
          "{'spec':{'strategy':{'$retainKeys':['type'],'type':'Recreate'}}}",
          "{'spec':{'strategy':{'type':'Recreate'}}}" },
        { "{'spec':{'strategy':{'type':'RollingUpdate','rollingUpdate':{'maxSurge':1}}}}",
          "{'spec':{'strategy':{'$retainKeys':['type'],'rollingUpdate':null}}}",
          "{'spec':{'strategy':{'type':'RollingUpdate'}}}" },
        { "{'spec':{'template':{'spec':{'volumes':[{'name':'v','emptyDir':{}}]}}}}",
          "{'spec':{'template':{'spec':{'volumes':[{'name':'v','hostPath':{'path':'/'},"
          "'$retainKeys':['name','hostPath']}]}}}}",
          "{'spec':{'template':{'spec':{'volumes':[{'name':'v','hostPath':{'path':'/'}}]}}}}" },
        /* What is new has no directives left in it. */
        { "{'spec':{}}", "{'spec':{'strategy':{'$retainKeys':['type'],'type':'Recreate'}}}",
          "{'spec':{'strategy':{'type':'Recreate'}}}" },
    };
    PATCHED("Deployment", cases);
}

static void malformed_directives_are_told(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{}", "{'$retainKeys':'a'}", "invalid patch format of retainKeys" },
        { "{}", "{'$retainKeys':['a'],'b':1}", "invalid patch format of retainKeys" },
        { "{}", "{'$setElementOrder':[]}", "invalid patch format of setElementOrder list" },
        { "{}", "{'$deleteFromPrimitiveList':[]}", "invalid patch format of primitive list" },
    };
    REFUSED("Pod", LW_ERR_INVALID, cases);
}

static void what_cannot_be_merged_is_told(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{'spec':{'containers':[{'name':'a'}]}}",
          "{'spec':{'containers':[{'image':'i','args':['x','y'],'tty':true}]}}",
          "map: map[args:[x y] image:i tty:true] does not contain declared merge key: name" },
        { "{'spec':{'containers':[{'name':'a'}]}}", "{'spec':{'containers':[{'$patch':'delete'}]}}",
          "map: map[$patch:delete] does not contain declared merge key: name" },
        { "{'spec':{'containers':[{'name':'a'}]}}",
          "{'spec':{'containers':[{'$patch':'merge','name':'a'}]}}",
          "merging lists cannot yet be specified in the patch" },
        { "{'spec':{'containers':[{'name':'a'}]}}",
          "{'spec':{'containers':[{'$patch':'x','name':'a'}]}}",
          "unknown patch type: x in map: map[$patch:x name:a]" },
        { "{'spec':{}}", "{'spec':{'$patch':'merge','b':null}}",
          "unknown patch type: merge in map: map[$patch:merge b:<nil>]" },
        { "{'spec':{}}", "{'spec':{'$patch':1}}",
          "unknown patch type: %!s(int64=1) in map: map[$patch:1]" },
        { "{'metadata':{'finalizers':['a']}}", "{'metadata':{'finalizers':[1]}}",
          "list element types are not identical: [[a] [1]]" },
        { "{'metadata':{'finalizers':[{'a':1}]}}", "{'metadata':{'finalizers':[{'b':1}]}}",
          "cannot merge lists without merge key for string" },
        { "{'spec':{'containers':['a']}}", "{'spec':{'containers':['b']}}",
          "expected a map[string]interface {}, but received a string" },
        { "{'spec':{'containers':[{'name':'a'}]}}",
          "{'spec':{'$setElementOrder/containers':[{'name':'a'}],'containers':[{'name':'b'}]}}",
          "The order in patch list:\n[map[name:b]]\n doesn't match $setElementOrder "
          "list:\n[map[name:a]]\n" },
        { "{'spec':{'containers':[{'name':'a'}]}}",
          "{'spec':{'$setElementOrder/containers':['a']}}", "value for key 0 is not a map" },
        { "{'spec':{'containers':[{'name':'a'}]}}", "{'spec':{'$setElementOrder/containers':'a'}}",
          "expected a []interface {}, but received a string" },
        { "{'spec':{}}", "{'spec':{'$setElementOrder/containers':[],'containers':null}}",
          "expected a []interface {}, but received a %!s(<nil>)" },
        { "{'spec':{}}", "{'spec':{'$setElementOrder/odd':[]}}",
          "unable to find api field in struct PodSpec for the json field \"odd\"" },
        { "{'metadata':{'labels':{}}}", "{'metadata':{'labels':{'$setElementOrder/odd':[]}}}",
          "merging an object in json but data type is not struct, instead is: map" },
    };
    REFUSED("Pod", LW_ERR_INTERNAL, cases);
}

static void lists_of_lists_are_told(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{'metadata':{'finalizers':[['a']]}}", "{'metadata':{'finalizers':[['b']]}}",
          "lists of lists are not supported" },
    };
    REFUSED("Pod", LW_ERR_UNSUPPORTED, cases);
}

static void long_values_are_cut_in_messages(void **state)
{
    (void)state;
    lw_buf text, why;
    lw_tree *tree;
    lw_buf_init(&text, 1 << 20);
    lw_buf_append_text(&text, "{'spec':{'containers':[{'image':'");
    for (int i = 0; i < 100000; i++)
        lw_buf_append_char(&text, 'x');
    lw_buf_append_text(&text, "'}]}}");
    lw_buf_append_char(&text, '\0');
    const patch_case c = { "{'spec':{'containers':[{'name':'a'}]}}", text.data, NULL };
    assert_int_equal(apply("Pod", &c, &tree, &why), LW_ERR_INTERNAL);
    assert_in_range(why.len, 8 * 1024, 9 * 1024);
    assert_non_null(memmem(why.data, why.len, "xxx... does not contain", 23));
    lw_tree_free(tree);
    lw_buf_done(&why);
    lw_buf_done(&text);
}

/* A document with |count| variables in one container. */
static void append_env(lw_buf *text, unsigned count)
{
    lw_buf_append_text(text, "{'spec':{'containers':[{'name':'a','env':[");
    for (unsigned i = 0; i < count; i++)
        lw_buf_printf(text, "%s{'name':'v%u'}", i ? "," : "", i);
    lw_buf_append_text(text, "]}]}}");
    lw_buf_append_char(text, '\0');
}

static void large_lists_are_merged_fast(void **state)
{
    (void)state;
    lw_buf text, why;
    lw_tree *tree;
    lw_buf_init(&text, 8 << 20);
    append_env(&text, 100000);
    const patch_case c = { text.data, text.data, NULL };
    assert_int_equal(apply("Pod", &c, &tree, &why), LW_OK);
    lw_tree_free(tree);
    lw_buf_done(&why);
    lw_buf_done(&text);
}

/* Each element of the patch has the whole list of the document merged again. */
static void patches_that_make_much_work_of_little_are_refused(void **state)
{
    (void)state;
    lw_buf document, patch, why;
    lw_tree *tree;
    lw_buf_init(&document, 8 << 20);
    lw_buf_init(&patch, 8 << 20);
    append_env(&document, 10000);
    lw_buf_append_text(&patch, "{'spec':{'containers':[");
    for (int i = 0; i < 10000; i++)
        lw_buf_printf(&patch, "%s{'name':'a','env':[{'name':'v1'}]}", i ? "," : "");
    lw_buf_append_text(&patch, "]}}");
    lw_buf_append_char(&patch, '\0');
    const patch_case c = { document.data, patch.data, NULL };
    assert_int_equal(apply("Pod", &c, &tree, &why), LW_ERR_LIMIT);
    assert_str_equal(
        lw_buf_view(&why),
        "the patch visits more than 1000000 list elements: split it into smaller patches");
    lw_tree_free(tree);
    lw_buf_done(&why);
    lw_buf_done(&document);
    lw_buf_done(&patch);
}

/* {'a':{'a': ... |inner| ... }}, as deep as trees may be. */
static void append_nested(lw_buf *text, const char *inner)
{
    for (int i = 0; i < LW_TREE_DEPTH - 1; i++)
        lw_buf_append_text(text, "{'a':");
    lw_buf_append_text(text, inner);
    for (int i = 0; i < LW_TREE_DEPTH - 1; i++)
        lw_buf_append_char(text, '}');
    lw_buf_append_char(text, '\0');
}

static void deep_documents_are_merged(void **state)
{
    (void)state;
    lw_buf document, patch, result;
    lw_buf_init(&document, 8192);
    lw_buf_init(&patch, 8192);
    lw_buf_init(&result, 8192);
    append_nested(&document, "{'b':1}");
    append_nested(&patch, "{'c':2}");
    append_nested(&result, "{'b':1,'c':2}");
    const patch_case c = { document.data, patch.data, result.data };
    assert_patched("Pod", &c, 1);
    lw_buf_done(&document);
    lw_buf_done(&patch);
    lw_buf_done(&result);
}

static void patch_stays_as_it_is(void **state)
{
    (void)state;
    static const char changes[] =
        "{\"spec\":{\"$setElementOrder/containers\":[{\"name\":\"a\"}],\"containers\":[{\"name\":"
        "\"a\",\"$retainKeys\":[\"name\"],\"env\":null}],\"tolerations\":[{\"$patch\":\"delete\"}]"
        "}}";
    lw_buf why;
    lw_tree *patch = parse_document(changes);
    lw_buf_init(&why, 1024);
    for (int i = 0; i < 2; i++) {
        lw_tree *tree = parse_document("{\"spec\":{\"containers\":[{\"name\":\"a\",\"x\":1}]}}");
        assert_int_equal(lw_strategic_patch_apply(tree, kind_named("Pod"), lw_tree_root(patch),
                                                  &why),
                         LW_OK);
        assert_written(lw_tree_root(tree),
                       "{\"spec\":{\"containers\":[{\"name\":\"a\"}],\"tolerations\":[]}}");
        lw_tree_free(tree);
    }
    assert_written(lw_tree_root(patch), changes);
    lw_tree_free(patch);
    lw_buf_done(&why);
}

static void kinds_without_fields_are_refused(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{}", "{}", "strategic merge patch format is not supported" },
    };
    assert_true(lw_strategic_patch_knows(kind_named("Pod")));
    assert_false(lw_strategic_patch_knows(kind_named("Widget")));
    REFUSED("Widget", LW_ERR_NOT_FOUND, cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(maps_are_merged_and_null_deletes),
        TEST(what_the_type_does_not_know_is_merged_plainly),
        TEST(lists_with_a_key_are_merged_by_it),
        TEST(lists_of_plain_values_are_sets_or_replaced),
        TEST(patch_directives_of_maps),
        TEST(patch_directives_of_elements),
        TEST(values_are_deleted_from_plain_lists),
        TEST(elements_are_ordered),
        TEST(keys_are_retained),
        TEST(malformed_directives_are_told),
        TEST(what_cannot_be_merged_is_told),
        TEST(lists_of_lists_are_told),
        TEST(long_values_are_cut_in_messages),
        TEST(large_lists_are_merged_fast),
        TEST(patches_that_make_much_work_of_little_are_refused),
        TEST(deep_documents_are_merged),
        TEST(patch_stays_as_it_is),
        TEST(kinds_without_fields_are_refused),
    };
    return cmocka_run_group_tests_name("strategic_patch", tests, NULL, NULL);
}
