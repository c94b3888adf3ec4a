/* SPDX-License-Identifier: Apache-2.0 */
/* conversion_review.c -- writes reviews, and reads what is common to all objects of a reply. */
#include "api/conversion/conversion_review.h"

#include "api/conversion/converted_object.h"
#include "base/str.h"
#include "object/gvk.h"
#include "json/fields.h"

enum {
    TREE_MAX = 64 * 1024 * 1024,
};

void lw_conversion_append_subject(const lw_object *obj, lw_buf *out)
{
    lw_buf_printf(out, "conversion webhook for %s, Kind=%s", lw_object_api_version(obj),
                  lw_object_kind(obj));
}

static const char *api_version_of(lw_hook_version version)
{
    return version == LW_HOOK_V1BETA1 ? "apiextensions.k8s.io/v1beta1" : "apiextensions.k8s.io/v1";
}

/* As it would be shown in its own version: with the defaults that it may lack. */
static void append_object(const lw_kind *to, const lw_object *obj, lw_buf *out)
{
    lw_str group, version;
    const lw_kind *kind = NULL;
    if (lw_api_version_parse(lw_str_of(lw_object_api_version(obj)), &group, &version, NULL) ==
        LW_OK)
        kind = lw_definition_version(to->custom->definition, version);
    if (kind)
        lw_kind_append_object(kind, obj, out);
    else
        lw_buf_append_str(out, lw_object_json(obj));
}

void lw_conversion_review_write(const lw_conversion_review *review, lw_buf *out)
{
    lw_buf_append_text(out, "{\"kind\":\"ConversionReview\",\"apiVersion\":\"");
    lw_buf_append_text(out, api_version_of(review->version));
    lw_buf_append_text(out, "\",\"request\":{\"uid\":\"");
    lw_buf_append_str(out, review->uid);
    lw_buf_append_text(out, "\",\"desiredAPIVersion\":\"");
    lw_api_version_append(out, review->to->group, review->to->version);
    lw_buf_append_text(out, "\",\"objects\":[");
    for (size_t i = 0; i < review->count; i++) {
        if (i > 0)
            lw_buf_append_char(out, ',');
        append_object(review->to, review->objects[i], out);
    }
    lw_buf_append_text(out, "]},\"response\":{\"uid\":\"\",\"convertedObjects\":null,\"result\":{"
                            "\"metadata\":{}}}}");
}

static lw_status fail(const lw_conversion_review *review, lw_buf *why, const char *text)
{
    lw_conversion_append_subject(review->objects[0], why);
    lw_buf_append_text(why, " failed: ");
    lw_buf_append_text(why, text);
    return LW_ERR_INVALID;
}

/* The kind is "apiextensions.k8s.io/v1, Kind=ConversionReview". */
static lw_status check_kind(const lw_conversion_review *review, const lw_node *root, lw_buf *why)
{
    lw_str group = LW_STR(""), version = LW_STR("");
    lw_str kind = lw_fields_text(root, "kind"), api_version = lw_fields_text(root, "apiVersion");
    if (lw_str_equal(kind, LW_STR("ConversionReview")) &&
        lw_str_equal(api_version, lw_str_of(api_version_of(review->version))))
        return LW_OK;
    (void)lw_api_version_parse(api_version, &group, &version, NULL);
    (void)fail(review, why, "expected webhook response of ");
    lw_buf_printf(why, "%s, Kind=ConversionReview, got %.*s/%.*s, Kind=%.*s",
                  api_version_of(review->version), LW_STR_ARG(group), LW_STR_ARG(version),
                  LW_STR_ARG(kind));
    return LW_ERR_INVALID;
}

static lw_status check_uid(const lw_conversion_review *review, lw_str uid, lw_buf *why)
{
    if (lw_str_equal(uid, review->uid))
        return LW_OK;
    (void)fail(review, why, "expected response.uid=");
    lw_buf_printf(why, "\"%.*s\", got \"%.*s\"", LW_STR_ARG(review->uid), LW_STR_ARG(uid));
    return LW_ERR_INVALID;
}

static lw_status check_result(const lw_conversion_review *review, const lw_node *result,
                              lw_buf *why)
{
    lw_str status = lw_fields_text(result, "status"), message = lw_fields_text(result, "message");
    if (lw_str_equal(status, LW_STR("Success")))
        return LW_OK;
    (void)fail(review, why, "");
    if (message.len > 0)
        lw_buf_append_str(why, message);
    else
        lw_buf_printf(why, "response.result.status was '%.*s', not 'Success'", LW_STR_ARG(status));
    return LW_ERR_INVALID;
}

/* v1beta1 checks neither the kind nor the uid, for compatibility. */
static lw_status check(const lw_conversion_review *review, const lw_node *root, lw_buf *why)
{
    const lw_node *response = lw_node_get(root, LW_STR("response"));
    bool is_v1 = review->version == LW_HOOK_V1;
    lw_status st = is_v1 ? check_kind(review, root, why) : LW_OK;
    if (st == LW_OK && !lw_node_is(response, LW_JSON_OBJECT))
        st = fail(review, why, "no response provided");
    if (st == LW_OK && is_v1)
        st = check_uid(review, lw_fields_text(response, "uid"), why);
    return st < 0 ? st : check_result(review, lw_node_get(response, LW_STR("result")), why);
}

static lw_status read_objects(const lw_conversion_review *review, lw_tree *tree,
                              const lw_node *list, lw_object **converted, lw_buf *why)
{
    lw_status st = LW_OK;
    size_t i;
    for (i = 0; st == LW_OK && i < review->count; i++)
        st = lw_converted_object_read(review->to, review->objects[i], tree, lw_node_at(list, i),
                                      &converted[i], why);
    for (i--; st < 0 && i-- > 0;) {
        lw_object_unref(converted[i]);
        converted[i] = NULL;
    }
    return st;
}

lw_status lw_conversion_review_read(const lw_conversion_review *review, lw_str json,
                                    lw_object **converted, lw_conversion_failure *failure,
                                    lw_buf *why)
{
    lw_tree *tree = NULL;
    *failure = LW_CONVERSION_CALL_FAILED;
    lw_status st = lw_tree_parse(&tree, json, TREE_MAX, NULL);
    if (st == LW_ERR_NOMEM)
        return st;
    const lw_node *root = st == LW_OK ? lw_tree_root(tree) : NULL;
    if (!lw_node_is(root, LW_JSON_OBJECT)) {
        lw_tree_free(tree);
        return fail(review, why,
                    "couldn't get version/kind; json parse error: the reply is not a JSON object");
    }
    const lw_node *list = lw_fields_find(root, "/response/convertedObjects");
    st = check(review, root, why);
    *failure = LW_CONVERSION_MALFORMED;
    if (st == LW_OK && lw_node_count(list) != review->count) {
        *failure = LW_CONVERSION_PARTIAL;
        lw_conversion_append_subject(review->objects[0], why);
        lw_buf_printf(why, " returned %zu objects, expected %zu", lw_node_count(list),
                      review->count);
        st = LW_ERR_INVALID;
    } else if (st == LW_OK) {
        *failure = LW_CONVERSION_INVALID_OBJECT;
        st = read_objects(review, tree, list, converted, why);
    }
    lw_tree_free(tree);
    return st;
}
