/* SPDX-License-Identifier: Apache-2.0 */
/* pod_outline_test.c -- the outline of a pod has the same references as the pod. */
#include "api/authz/pod_outline.h"

#include <stdio.h>

#include "api/authz/pod_refs.h"
#include "base/str.h"
#include "unit/test.h"
#include "json/fields.h"

/* Each reference as "kind namespace/name," in order. */
typedef struct found {
    lw_buf text;
} found;

static lw_status note(lw_ref_kind kind, lw_str ns, lw_str name, void *arg)
{
    found *f = arg;
    lw_buf_printf(&f->text, "%d %.*s/%.*s,", (int)kind, LW_STR_ARG(ns), LW_STR_ARG(name));
    return LW_OK;
}

static void visit(const lw_tree *tree, found *f)
{
    lw_buf_init(&f->text, 4096);
    assert_int_equal(lw_pod_visit_refs(lw_tree_root(tree), note, f), LW_OK);
    lw_buf_append_char(&f->text, '\0');
    assert_int_equal(f->text.st, LW_OK);
}

/* Returns the outline of |json|, whose references are those of |json| and |count|. */
static lw_tree *outline_of(const char *json, size_t count)
{
    lw_tree *whole = NULL, *outline = NULL;
    found in_whole, in_outline;
    size_t commas = 0;
    assert_int_equal(lw_tree_parse(&whole, lw_str_of(json), 0, NULL), LW_OK);
    assert_int_equal(lw_pod_outline_parse(lw_str_of(json), &outline), LW_OK);
    visit(whole, &in_whole);
    visit(outline, &in_outline);
    for (const char *at = in_whole.text.data; *at; at++)
        commas += *at == ',';
    assert_int_equal(commas, count);
    assert_string_equal(in_outline.text.data, in_whole.text.data);
    assert_int_equal(lw_pod_is_mirror(lw_tree_root(outline)),
                     lw_pod_is_mirror(lw_tree_root(whole)));
    assert_true(lw_str_equal(lw_fields_text_at(lw_tree_root(outline), "/spec/nodeName"),
                             lw_fields_text_at(lw_tree_root(whole), "/spec/nodeName")));
    lw_buf_done(&in_whole.text);
    lw_buf_done(&in_outline.text);
    lw_tree_free(whole);
    return outline;
}

static void has_the_references_of_volumes(void **state)
{
    (void)state;
    lw_tree_free(outline_of(
        "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeName\":\"n\",\"volumes\":["
        "{\"name\":\"a\",\"secret\":{\"secretName\":\"s1\"}},{\"azureFile\":{\"secretName\":\"s2\"}"
        ","
        "\"name\":\"b\"},{\"name\":\"c\",\"cephfs\":{\"secretRef\":{\"name\":\"s3\"}}},{\"name\":"
        "\"d\",\"cinder\":{\"secretRef\":{\"name\":\"s4\"}}},{\"name\":\"e\",\"rbd\":{"
        "\"secretRef\":"
        "{\"name\":\"s5\"}}},{\"name\":\"f\",\"flexVolume\":{\"secretRef\":{\"name\":\"s6\"}}},"
        "{\"name\":\"g\",\"scaleIO\":{\"secretRef\":{\"name\":\"s7\"}}},{\"name\":\"h\",\"iscsi\":{"
        "\"secretRef\":{\"name\":\"s8\"}}},{\"name\":\"i\",\"storageos\":{\"secretRef\":{\"name\":"
        "\"s9\"}}},{\"name\":\"j\",\"csi\":{\"nodePublishSecretRef\":{\"name\":\"s10\"}}},{"
        "\"name\":"
        "\"k\",\"configMap\":{\"name\":\"m1\"}},{\"name\":\"l\",\"persistentVolumeClaim\":{"
        "\"claimName\":\"c1\"}},{\"name\":\"m\",\"projected\":{\"sources\":[{\"secret\":{\"name\":"
        "\"s11\"}},{\"configMap\":{\"name\":\"m2\"}}]}},{\"name\":\"o\",\"ephemeral\":{}}]}}",
        15));
}

static void has_the_references_of_containers(void **state)
{
    static const char env[] =
        "{\"name\":\"x\",\"image\":\"i\",\"env\":[{\"name\":\"A\",\"value\":\"[{\\\"valueFrom\"},{"
        "\"name\":\"B\",\"valueFrom\":{\"secretKeyRef\":{\"name\":\"s\",\"key\":\"k\"}}},{"
        "\"valueFrom\":{\"configMapKeyRef\":{\"name\":\"m\"}},\"name\":\"C\"},null,[7]],"
        "\"envFrom\":"
        "[{\"secretRef\":{\"name\":\"t\"}},{\"configMapRef\":{\"name\":\"u\"}}]}";
    char json[4096];
    (void)state;
    (void)
        snprintf(json, sizeof(json),
                 "{\"metadata\":{\"annotations\":{\"kubernetes.io/config.mirror\":\"y\"},\"name\":"
                 "\"p\"},\"spec\":{\"initContainers\":[%s],\"containers\":[%s,%s],"
                 "\"ephemeralContainers\":[%s],\"imagePullSecrets\":[{\"name\":\"q\"}],"
                 "\"serviceAccountName\":\"r\"},\"status\":{\"containers\":[]}}",
                 env, env, env, env);
    lw_tree_free(outline_of(json, 18));
}

static void finds_members_whose_names_are_escaped(void **state)
{
    (void)state;
    lw_tree_free(outline_of("{\"sp\\u0065c\":{\"service\\u0041ccountName\":\"a\\u0062\"}}", 1));
}

static void has_the_claims_of_devices(void **state)
{
    (void)state;
    lw_tree_free(outline_of(
        "{\"spec\":{\"resourceClaims\":[{\"name\":\"a\",\"resourceClaimName\":\"c1\"},{\"name\":"
        "\"b\","
        "\"resourceClaimTemplateName\":\"t\"}]},\"status\":{\"resourceClaimStatuses\":[{\"name\":"
        "\"b\",\"resourceClaimName\":\"c2\"}],\"extendedResourceClaimStatus\":{"
        "\"resourceClaimName\":\"c3\"}}}",
        3));
}

static void leaves_out_what_refers_to_nothing(void **state)
{
    (void)state;
    lw_tree *outline = outline_of(
        "{\"kind\":\"Pod\",\"spec\":{\"containers\":[{\"image\":\"i\",\"env\":[{\"name\":\"A\"}]}],"
        "\"tolerations\":[{}]},\"status\":{\"phase\":\"Running\"}}",
        0);
    const lw_node *root = lw_tree_root(outline);
    assert_int_equal(lw_node_count(root), 2);
    assert_int_equal(lw_node_count(lw_node_get(root, LW_STR("spec"))), 1);
    assert_int_equal(lw_node_count(lw_node_get(root, LW_STR("status"))), 0);
    lw_tree_free(outline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(has_the_references_of_volumes),         TEST(has_the_references_of_containers),
        TEST(finds_members_whose_names_are_escaped), TEST(has_the_claims_of_devices),
        TEST(leaves_out_what_refers_to_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
