/* SPDX-License-Identifier: Apache-2.0 */
/* review.c -- writes AdmissionReviews, with the members in the order of Kubernetes. */
#include "api/webhooks/review.h"

#include "base/str.h"
#include "json/writer.h"

static void write_triple(lw_json_writer *w, const char *member, lw_str group, lw_str version,
                         const char *last, lw_str name)
{
    lw_json_write_plain_key(w, member, LW_STR(""));
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "group", group);
    lw_json_write_member_string(w, "version", version);
    lw_json_write_member_string(w, last, name);
    lw_json_write_object_end(w);
}

static void write_nonempty(lw_json_writer *w, const char *member, lw_str value)
{
    if (value.len > 0)
        lw_json_write_member_string(w, member, value);
}

/* The kind of the object: that of the resource, or of a subresource such as Scale. */
static void write_kind(lw_json_writer *w, const char *member, const lw_hook_review *review,
                       const lw_kind *kind)
{
    lw_gvk gvk = review->gvk.kind.len > 0 ? review->gvk : lw_kind_gvk(kind);
    write_triple(w, member, gvk.group, gvk.version, "kind", gvk.kind);
}

static void write_extras(lw_json_writer *w, const lw_user *user)
{
    lw_json_write_plain_key(w, "extra", LW_STR(""));
    lw_json_write_object_begin(w);
    for (size_t i = 0; i < user->extra_count; i++) {
        lw_json_write_key(w, user->extras[i].key);
        lw_json_write_array_begin(w);
        for (size_t j = 0; j < user->extras[i].count; j++)
            lw_json_write_string(w, user->extras[i].values[j]);
        lw_json_write_array_end(w);
    }
    lw_json_write_object_end(w);
}

static void write_user(lw_json_writer *w, const lw_user *user)
{
    lw_json_write_plain_key(w, "userInfo", LW_STR(""));
    lw_json_write_object_begin(w);
    if (user) {
        write_nonempty(w, "username", user->name);
        write_nonempty(w, "uid", user->uid);
    }
    if (user && user->group_count > 0) {
        lw_json_write_plain_key(w, "groups", LW_STR(""));
        lw_json_write_array_begin(w);
        for (size_t i = 0; i < user->group_count; i++)
            lw_json_write_string(w, user->groups[i]);
        lw_json_write_array_end(w);
    }
    if (user && user->extra_count > 0)
        write_extras(w, user);
    lw_json_write_object_end(w);
}

static void write_raw(lw_json_writer *w, const char *member, lw_str json)
{
    lw_json_write_plain_key(w, member, LW_STR(""));
    if (json.len > 0)
        lw_json_write_raw(w, json);
    else
        lw_json_write_null(w);
}

/* The members before the objects. */
static void write_head(lw_json_writer *w, const lw_hook_review *review, const lw_kind *as,
                       lw_str uid)
{
    const lw_kind *kind = review->kind;
    lw_json_write_member_string(w, "uid", uid);
    write_kind(w, "kind", review, as);
    write_triple(w, "resource", as->group, as->version, "resource", as->plural);
    write_nonempty(w, "subResource", review->subresource);
    write_kind(w, "requestKind", review, kind);
    write_triple(w, "requestResource", kind->group, kind->version, "resource", kind->plural);
    write_nonempty(w, "requestSubResource", review->subresource);
    write_nonempty(w, "name", review->name);
    write_nonempty(w, "namespace", review->ns);
    lw_json_write_member_string(w, "operation", lw_operation_name(review->operation));
    write_user(w, review->user);
}

static void write_tail(lw_json_writer *w, const lw_hook_review *review)
{
    lw_json_write_plain_key(w, "dryRun", LW_STR(""));
    lw_json_write_bool(w, review->is_dry_run);
    write_raw(w, "options", review->options);
}

static void note(lw_buf *out, const lw_json_writer *w)
{
    if (out->st == LW_OK)
        out->st = lw_json_writer_status(w);
}

void lw_hook_review_write_request(const lw_hook_review *review, const lw_kind *as, lw_str uid,
                                  lw_buf *out)
{
    lw_json_writer w;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    write_head(&w, review, as, uid);
    write_tail(&w, review);
    lw_json_write_object_end(&w);
    note(out, &w);
}

void lw_hook_review_write(const lw_hook_review *review, const lw_kind *as, lw_hook_version version,
                          lw_str uid, lw_str object, lw_str old, lw_buf *out)
{
    lw_json_writer w;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "kind", LW_STR("AdmissionReview"));
    lw_json_write_member_string(&w, "apiVersion",
                                version == LW_HOOK_V1BETA1 ? LW_STR("admission.k8s.io/v1beta1")
                                                           : LW_STR("admission.k8s.io/v1"));
    lw_json_write_plain_key(&w, "request", LW_STR(""));
    lw_json_write_object_begin(&w);
    write_head(&w, review, as, uid);
    write_raw(&w, "object", object);
    write_raw(&w, "oldObject", old);
    write_tail(&w, review);
    lw_json_write_object_end(&w);
    lw_json_write_object_end(&w);
    note(out, &w);
}
