/* SPDX-License-Identifier: Apache-2.0 */
/* access_review.c -- writes SubjectAccessReviews and reads their answers. */
#include "server/webhook/access_review.h"

#include <listwatch/field_selector.h>
#include <listwatch/label_selector.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "json/fields.h"
#include "json/writer.h"

static const char *version_name(lw_review_version version)
{
    return version == LW_REVIEW_V1 ? "authorization.k8s.io/v1" : "authorization.k8s.io/v1beta1";
}

static void write_text(lw_json_writer *w, const char *key, lw_str value)
{
    if (value.len > 0)
        lw_json_write_member_string(w, key, value);
}

static void write_texts(lw_json_writer *w, lw_str key, const lw_str *texts, size_t count)
{
    lw_json_write_key(w, key);
    lw_json_write_array_begin(w);
    for (size_t i = 0; i < count; i++)
        lw_json_write_string(w, texts[i]);
    lw_json_write_array_end(w);
}

static void write_requirement(lw_json_writer *w, lw_str key, const char *operator,
                              const lw_str * values, size_t count)
{
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "key", key);
    lw_json_write_member_string(w, "operator", lw_str_of(operator));
    if (count > 0)
        write_texts(w, LW_STR("values"), values, count);
    lw_json_write_object_end(w);
}

static void begin_requirements(lw_json_writer *w, const char *member)
{
    lw_json_write_key(w, lw_str_of(member));
    lw_json_write_object_begin(w);
    lw_json_write_key(w, LW_STR("requirements"));
    lw_json_write_array_begin(w);
}

static void end_requirements(lw_json_writer *w)
{
    lw_json_write_array_end(w);
    lw_json_write_object_end(w);
}

/* What cannot be parsed is left out.  LW_ERR_NOMEM. */
static lw_status write_field_selector(lw_json_writer *w, lw_str text)
{
    lw_field_selector *selector = NULL;
    size_t count = 0;
    lw_status st = text.len > 0 ? lw_field_selector_parse(&selector, text, NULL) : LW_OK;
    if (st < 0)
        return st == LW_ERR_NOMEM ? st : LW_OK;
    const lw_field_requirement *all = lw_field_selector_requirements(selector, &count);
    if (count > 0) {
        begin_requirements(w, "fieldSelector");
        for (size_t i = 0; i < count; i++)
            write_requirement(w, all[i].field, all[i].is_negated ? "NotIn" : "In", &all[i].value,
                              1);
        end_requirements(w);
    }
    lw_field_selector_free(selector);
    return LW_OK;
}

/* NULL: reviews have no such operator. */
static const char *label_operator(lw_label_operator op)
{
    switch (op) {
    case LW_LABEL_EXISTS: return "Exists";
    case LW_LABEL_DOES_NOT_EXIST: return "DoesNotExist";
    case LW_LABEL_EQUALS:
    case LW_LABEL_DOUBLE_EQUALS:
    case LW_LABEL_IN: return "In";
    case LW_LABEL_NOT_EQUALS:
    case LW_LABEL_NOT_IN: return "NotIn";
    case LW_LABEL_GREATER_THAN:
    case LW_LABEL_LESS_THAN: break;
    }
    return NULL;
}

static lw_status write_label_selector(lw_json_writer *w, lw_str text)
{
    lw_label_selector *selector = NULL;
    size_t count = 0, known = 0;
    lw_status st = text.len > 0 ? lw_label_selector_parse(&selector, text, NULL) : LW_OK;
    if (st < 0)
        return st == LW_ERR_NOMEM ? st : LW_OK;
    const lw_label_requirement *all = lw_label_selector_requirements(selector, &count);
    for (size_t i = 0; i < count; i++)
        known += label_operator(all[i].op) != NULL;
    if (known > 0) {
        begin_requirements(w, "labelSelector");
        for (size_t i = 0; i < count; i++) {
            if (label_operator(all[i].op))
                write_requirement(w, all[i].key, label_operator(all[i].op), all[i].values,
                                  all[i].value_count);
        }
        end_requirements(w);
    }
    lw_label_selector_free(selector);
    return LW_OK;
}

/* Selectors count for requests that select. */
static bool has_selectors(lw_str verb)
{
    return lw_str_equal(verb, LW_STR("list")) || lw_str_equal(verb, LW_STR("watch")) ||
           lw_str_equal(verb, LW_STR("deletecollection"));
}

static lw_status write_resource(lw_json_writer *w, const lw_authz_attributes *a)
{
    lw_status st = LW_OK;
    lw_json_write_key(w, LW_STR("resourceAttributes"));
    lw_json_write_object_begin(w);
    write_text(w, "namespace", a->ns);
    write_text(w, "verb", a->verb);
    write_text(w, "group", a->group);
    write_text(w, "version", a->version);
    write_text(w, "resource", a->resource);
    write_text(w, "subresource", a->subresource);
    write_text(w, "name", a->name);
    if (has_selectors(a->verb)) {
        st = write_field_selector(w, a->field_selector);
        if (st == LW_OK)
            st = write_label_selector(w, a->label_selector);
    }
    lw_json_write_object_end(w);
    return st;
}

static void write_user(lw_json_writer *w, const lw_user *user, lw_review_version version)
{
    write_text(w, "user", user->name);
    if (user->group_count > 0)
        write_texts(w, version == LW_REVIEW_V1 ? LW_STR("groups") : LW_STR("group"), user->groups,
                    user->group_count);
    if (user->extra_count > 0) {
        lw_json_write_key(w, LW_STR("extra"));
        lw_json_write_object_begin(w);
        for (size_t i = 0; i < user->extra_count; i++)
            write_texts(w, user->extras[i].key, user->extras[i].values, user->extras[i].count);
        lw_json_write_object_end(w);
    }
    write_text(w, "uid", user->uid);
}

lw_status lw_access_review_write_spec(const lw_authz_attributes *attributes,
                                      lw_review_version version, lw_buf *out)
{
    lw_json_writer w;
    lw_status st = LW_OK;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    if (attributes->is_resource) {
        st = write_resource(&w, attributes);
    } else {
        lw_json_write_key(&w, LW_STR("nonResourceAttributes"));
        lw_json_write_object_begin(&w);
        write_text(&w, "path", attributes->path);
        write_text(&w, "verb", attributes->verb);
        lw_json_write_object_end(&w);
    }
    write_user(&w, attributes->user, version);
    lw_json_write_object_end(&w);
    return st < 0 ? st : lw_json_writer_status(&w);
}

void lw_access_review_write(lw_str spec, lw_review_version version, lw_buf *out)
{
    lw_buf_printf(out, "{\"kind\":\"SubjectAccessReview\",\"apiVersion\":\"%s\",\"metadata\":{},",
                  version_name(version));
    lw_buf_printf(out, "\"spec\":%.*s,\"status\":{\"allowed\":false}}", LW_STR_ARG(spec));
}

static lw_status read_status(lw_access_answer *out, const lw_node *status)
{
    lw_str reason = lw_fields_text(status, "reason");
    bool is_denied = lw_node_bool(lw_node_get(status, LW_STR("denied")));
    out->is_allowed = lw_node_bool(lw_node_get(status, LW_STR("allowed")));
    out->is_contradictory = out->is_allowed && is_denied;
    out->decision = is_denied         ? LW_AUTHZ_DENY
                    : out->is_allowed ? LW_AUTHZ_ALLOW
                                      : LW_AUTHZ_NO_OPINION;
    out->reason = reason.len > 0 ? lw_str_dup(reason) : NULL;
    return reason.len > 0 && !out->reason ? LW_ERR_NOMEM : LW_OK;
}

/* As in kube-apiserver, an answer need not say what it is. */
static bool is_or_empty(lw_str text, const char *wanted)
{
    return text.len == 0 || lw_str_equal(text, lw_str_of(wanted));
}

lw_status lw_access_review_read(lw_access_answer *out, lw_str body, lw_review_version version,
                                lw_error *err)
{
    lw_tree *tree = NULL;
    lw_error why = LW_ERROR_INIT;
    lw_status st = lw_tree_parse(&tree, body, LW_ACCESS_REVIEW_MAX * 4, &why);
    if (st < 0)
        return st == LW_ERR_NOMEM
                   ? lw_error_nomem(err)
                   : lw_error_set(err, LW_ERR_INVALID, "the answer is not JSON: %s", why.message);
    const lw_node *root = lw_tree_root(tree);
    if (!is_or_empty(lw_fields_text(root, "kind"), "SubjectAccessReview") ||
        !is_or_empty(lw_fields_text(root, "apiVersion"), version_name(version)) ||
        !lw_node_is(root, LW_JSON_OBJECT))
        st = lw_error_set(err, LW_ERR_INVALID,
                          "the answer is not a SubjectAccessReview of %s: check its kind and "
                          "apiVersion, and subjectAccessReviewVersion of the configuration",
                          version_name(version));
    else if (read_status(out, lw_node_get(root, LW_STR("status"))) < 0)
        st = lw_error_nomem(err);
    lw_tree_free(tree);
    return st;
}
