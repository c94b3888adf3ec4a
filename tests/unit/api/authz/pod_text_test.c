/* SPDX-License-Identifier: Apache-2.0 */
/* pod_text_test.c -- the text of a pod has the same references as the parsed pod, or is refused. */
#include "api/authz/pod_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "support/object_gen.h"
#include "unit/test.h"
#include "json/fields.h"

enum {
    TEXT_MAX = 64 * 1024,
    GENERATED = 3000,
};

/* Each reference as "kind namespace/name,". */
static lw_status append_ref(lw_ref_kind kind, lw_str ns, lw_str name, void *arg)
{
    lw_buf_printf(arg, "%d %.*s/%.*s,", (int)kind, LW_STR_ARG(ns), LW_STR_ARG(name));
    return LW_OK;
}

static int compare_texts(const void *a, const void *b)
{
    return lw_str_compare(*(const lw_str *)a, *(const lw_str *)b);
}

/* Replaces the references |text| by them sorted: the order does not matter. */
static void sort_refs(lw_buf *text)
{
    lw_str refs[LW_POD_TEXT_REFS + 1], rest = lw_buf_view(text);
    lw_buf sorted;
    size_t count = 0;
    while (rest.len > 0) {
        assert_true(count <= LW_POD_TEXT_REFS);
        (void)lw_str_cut(rest, ',', &refs[count++], &rest);
    }
    qsort(refs, count, sizeof(refs[0]), compare_texts);
    lw_buf_init(&sorted, TEXT_MAX);
    for (size_t i = 0; i < count; i++)
        lw_buf_printf(&sorted, "%.*s,", LW_STR_ARG(refs[i]));
    lw_buf_append_char(&sorted, '\0');
    assert_int_equal(text->st, LW_OK);
    assert_int_equal(sorted.st, LW_OK);
    lw_buf_done(text);
    *text = sorted;
}

static void assert_str(lw_str a, lw_str b)
{
    if (!lw_str_equal(a, b))
        fail_msg("\"%.*s\" is not \"%.*s\"", LW_STR_ARG(a), LW_STR_ARG(b));
}

/* Compares the text |json| with the tree of it; false: the text is refused. */
static bool is_read_like_tree(lw_str json)
{
    static lw_pod_text pod;
    lw_tree *tree = NULL;
    lw_buf of_tree, of_text;
    lw_pod_text_parts parts;
    if (!lw_pod_text_read(json, &pod))
        return false;
    assert_int_equal(lw_tree_parse(&tree, json, 0, NULL), LW_OK);
    const lw_node *root = lw_tree_root(tree);
    lw_buf_init(&of_tree, TEXT_MAX);
    lw_buf_init(&of_text, TEXT_MAX);
    assert_int_equal(lw_pod_visit_refs(root, append_ref, &of_tree), LW_OK);
    for (size_t i = 0; i < pod.count; i++)
        (void)append_ref(pod.refs[i].kind, LW_STR(""), pod.refs[i].name, &of_text);
    sort_refs(&of_tree);
    sort_refs(&of_text);
    assert_string_equal(of_text.data, of_tree.data);
    assert_str(pod.node, lw_fields_text_at(root, "/spec/nodeName"));
    assert_int_equal(pod.is_mirror, lw_pod_is_mirror(root));
    lw_pod_text_find_parts(json, &parts);
    assert_str(pod.parts.spec, parts.spec);
    assert_str(pod.parts.annotations, parts.annotations);
    assert_int_equal(parts.claims.len + parts.extended_claim.len, 0);
    lw_buf_done(&of_tree);
    lw_buf_done(&of_text);
    lw_tree_free(tree);
    return true;
}

/* In |text|, ' is a quotation mark. */
static bool reads(const char *text, size_t refs)
{
    static lw_pod_text pod;
    char json[4096];
    size_t len = strlen(text);
    assert_true(len < sizeof(json));
    for (size_t i = 0; i < len; i++)
        json[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    lw_str whole = lw_str_make(json, len);
    if (!is_read_like_tree(whole))
        return false;
    assert_true(lw_pod_text_read(whole, &pod));
    assert_int_equal(pod.count, refs);
    return true;
}

static void has_the_references_of_volumes(void **state)
{
    (void)state;
    assert_true(reads(
        "{'metadata':{'name':'p'},'spec':{'nodeName':'n','volumes':[{'name':'a','secret':{"
        "'secretName':'s1'}},{'azureFile':{'secretName':'s2'},'name':'b'},{'name':'c','cephfs':{"
        "'secretRef':{'name':'s3'}}},{'name':'d','cinder':{'secretRef':{'name':'s4'}}},{'name':'e',"
        "'rbd':{'secretRef':{'name':'s5'}}},{'name':'f','flexVolume':{'secretRef':{'name':'s6'}}},"
        "{'name':'g','scaleIO':{'secretRef':{'name':'s7'}}},{'name':'h','iscsi':{'secretRef':{"
        "'name':'s8'}}},{'name':'i','storageos':{'secretRef':{'name':'s9'}}},{'name':'j','csi':{"
        "'nodePublishSecretRef':{'name':'s10'}}},{'name':'k','configMap':{'name':'m1'}},{'name':"
        "'l','persistentVolumeClaim':{'claimName':'c1'}},{'name':'m','projected':{'sources':[{"
        "'secret':{'name':'s11'}},{'configMap':{'name':'m2'}}]}},{'ephemeral':{},'name':'o'}]}}",
        15));
}

static void has_the_references_of_containers(void **state)
{
    (void)state;
    assert_true(reads(
        "{'metadata':{'annotations':{'kubernetes.io/config.mirror':'y'},'name':'p'},'spec':{"
        "'initContainers':[{'name':'x','env':[{'name':'A','value':'[{valueFrom'},{'name':'B',"
        "'valueFrom':{'secretKeyRef':{'name':'s','key':'k'}}}]}],'containers':[{'env':[{"
        "'valueFrom':{'configMapKeyRef':{'name':'m'}},'name':'C'}]},{'envFrom':[{'secretRef':{"
        "'name':'t'}},{'configMapRef':{'name':'u'}}]}],'ephemeralContainers':[{'name':'y'}],"
        "'imagePullSecrets':[{'name':'q'}],'serviceAccountName':'r'},'status':{'containers':[]}}",
        6));
}

static void names_the_claim_of_an_ephemeral_volume_after_the_pod(void **state)
{
    static lw_pod_text pod;
    (void)state;
    assert_true(lw_pod_text_read(
        LW_STR("{\"spec\":{\"volumes\":[{\"ephemeral\":{},\"name\":\"v\"},{\"name\":\"w\"}]},"
               "\"metadata\":{\"name\":\"p\"}}"),
        &pod));
    assert_int_equal(pod.count, 1);
    assert_str(pod.refs[0].name, LW_STR("p-v"));
}

static void refuses_what_it_would_misread(void **state)
{
    static const char *const texts[] = {
        "{'sp\\u0065c':{}}",
        "{'spec':{'serviceAccountName':'a\\u0062'}}",
        "{'spec':{'serviceAccountName':'a','serviceAccountName':'b'}}",
        "{'spec':{},'spec':{}}",
        "{'spec':{'serviceAccountName':7}}",
        "{'spec':{'volumes':{}}}",
        "{'spec':{'volumes':[7]}}",
        "{'spec':{'containers':[{'env':[null]}]}}",
        "{'spec':{'containers':null}}",
        "{'spec':{'resourceClaims':[]}}",
        "{'status':{'resourceClaimStatuses':[]}}",
        "{'status':{'extendedResourceClaimStatus':{}}}",
        "[]",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (reads(texts[i], 0))
            fail_msg("reads %s", texts[i]);
    }
}

static void refuses_more_references_than_it_has_room_for(void **state)
{
    static lw_pod_text pod;
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        lw_buf json;
        lw_buf_init(&json, TEXT_MAX);
        lw_buf_append_text(&json, "{\"spec\":{\"imagePullSecrets\":[");
        for (size_t i = 0; i < LW_POD_TEXT_REFS + more; i++)
            lw_buf_printf(&json, "%s{\"name\":\"s%zu\"}", i > 0 ? "," : "", i);
        lw_buf_append_text(&json, "]}}");
        assert_int_equal(lw_pod_text_read(lw_buf_view(&json), &pod), more == 0);
        lw_buf_done(&json);
    }
}

static void refuses_names_of_claims_that_are_too_long(void **state)
{
    static lw_pod_text pod;
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        lw_buf json;
        lw_buf_init(&json, TEXT_MAX);
        lw_buf_append_text(&json, "{\"spec\":{\"volumes\":[{\"ephemeral\":{},\"name\":\"");
        for (size_t i = 0; i + 1 < LW_POD_TEXT_NAMES + more; i++)
            lw_buf_append_char(&json, 'x');
        lw_buf_append_text(&json, "\"}]}}");
        assert_int_equal(lw_pod_text_read(lw_buf_view(&json), &pod), more == 0);
        lw_buf_done(&json);
    }
}

/* Removes the escapes, which are refused; the rest is valid. */
static void remove_escapes(lw_buf *json)
{
    size_t to = 0;
    for (size_t i = 0; i < json->len; i++) {
        if (json->data[i] == '\\')
            i++;
        else
            json->data[to++] = json->data[i];
    }
    lw_buf_truncate(json, to);
}

/* Pods with any fields; some are refused because of claims of devices. */
static void reads_generated_pods_like_trees(void **state)
{
    const lw_gvk gvk = { LW_STR(""), LW_STR("v1"), LW_STR("Pod") };
    size_t read = 0, with_refs = 0;
    static lw_pod_text pod;
    (void)state;
    for (uint64_t seed = 0; seed < GENERATED; seed++) {
        lw_buf json;
        lw_buf_init(&json, 16 * TEXT_MAX);
        object_gen_write(seed, lw_type_of_kind(gvk), gvk, &json);
        assert_int_equal(json.st, LW_OK);
        remove_escapes(&json);
        if (is_read_like_tree(lw_buf_view(&json))) {
            read++;
            with_refs += lw_pod_text_read(lw_buf_view(&json), &pod) && pod.count > 0;
        }
        lw_buf_done(&json);
    }
    assert_true(read > GENERATED / 20 && with_refs > GENERATED / 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(has_the_references_of_volumes),
        TEST(has_the_references_of_containers),
        TEST(names_the_claim_of_an_ephemeral_volume_after_the_pod),
        TEST(refuses_what_it_would_misread),
        TEST(refuses_more_references_than_it_has_room_for),
        TEST(refuses_names_of_claims_that_are_too_long),
        TEST(reads_generated_pods_like_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
