/* SPDX-License-Identifier: Apache-2.0 */
/* review.c -- writes AdmissionReviews, with the members in the order of Kubernetes. */
#include "api/webhooks/review.h"

#include <assert.h>

#include "base/str.h"
#include "json/writer.h"

enum {
    PIECES_MAX = 40, /* of the types of a review */
};

/* Text that is copied as it is: names of types are letters, digits, dots and dashes. */
typedef struct pieces {
    lw_str list[PIECES_MAX];
    size_t count;
} pieces;

static void add(pieces *p, lw_str text)
{
    assert(p->count < PIECES_MAX);
    p->list[p->count++] = text;
}

/* Adds {"group":...,"version":...,|last|:|name|}; |open| is what precedes the group. */
static void add_triple(pieces *p, lw_str open, lw_str group, lw_str version, lw_str last,
                       lw_str name)
{
    add(p, open);
    add(p, group);
    add(p, LW_STR("\",\"version\":\""));
    add(p, version);
    add(p, last);
    add(p, name);
    add(p, LW_STR("\"}"));
}

/* The kind of the object: that of the resource, or of a subresource such as Scale. */
static void add_kind(pieces *p, lw_str open, const lw_hook_review *review, const lw_kind *kind)
{
    lw_gvk gvk = review->gvk.kind.len > 0 ? review->gvk : lw_kind_gvk(kind);
    add_triple(p, open, gvk.group, gvk.version, LW_STR("\",\"kind\":\""), gvk.kind);
}

static void add_resource(pieces *p, lw_str open, const lw_kind *kind)
{
    add_triple(p, open, kind->group, kind->version, LW_STR("\",\"resource\":\""), kind->plural);
}

static void add_subresource(pieces *p, lw_str open, lw_str subresource)
{
    if (subresource.len == 0)
        return;
    add(p, open);
    add(p, subresource);
    add(p, LW_STR("\""));
}

static void write_nonempty(lw_json_writer *w, const char *member, lw_str value)
{
    if (value.len > 0)
        lw_json_write_member_string(w, member, value);
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

/* Writes who is asked about what.  Most of it is the same for all requests of a resource, and
 * written at once. */
static void write_head(lw_json_writer *w, const lw_hook_review *review, const lw_kind *as,
                       lw_str uid)
{
    pieces types = { .count = 0 };
    add(&types, LW_STR("\"uid\":\""));
    add(&types, uid);
    add_kind(&types, LW_STR("\",\"kind\":{\"group\":\""), review, as);
    add_resource(&types, LW_STR(",\"resource\":{\"group\":\""), as);
    add_subresource(&types, LW_STR(",\"subResource\":\""), review->subresource);
    add_kind(&types, LW_STR(",\"requestKind\":{\"group\":\""), review, review->kind);
    add_resource(&types, LW_STR(",\"requestResource\":{\"group\":\""), review->kind);
    add_subresource(&types, LW_STR(",\"requestSubResource\":\""), review->subresource);
    lw_json_write_raw_pieces(w, types.list, types.count);
    write_nonempty(w, "name", review->name);
    write_nonempty(w, "namespace", review->ns);
    lw_json_write_member_string(w, "operation", lw_operation_name(review->operation));
    write_user(w, review->user);
}

static lw_str or_null(lw_str json)
{
    return json.len > 0 ? json : LW_STR("null");
}

static void write_objects(lw_json_writer *w, lw_str object, lw_str old)
{
    const lw_str objects[] = { LW_STR("\"object\":"), or_null(object), LW_STR(",\"oldObject\":"),
                               or_null(old) };
    lw_json_write_raw_pieces(w, objects, sizeof(objects) / sizeof(objects[0]));
}

static void write_tail(lw_json_writer *w, const lw_hook_review *review)
{
    const lw_str tail[] = { LW_STR("\"dryRun\":"),
                            review->is_dry_run ? LW_STR("true") : LW_STR("false"),
                            LW_STR(",\"options\":"), or_null(review->options) };
    lw_json_write_raw_pieces(w, tail, sizeof(tail) / sizeof(tail[0]));
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
    lw_buf_append_str(out, version == LW_HOOK_V1BETA1
                               ? LW_STR("{\"kind\":\"AdmissionReview\",\"apiVersion\":"
                                        "\"admission.k8s.io/v1beta1\",\"request\":")
                               : LW_STR("{\"kind\":\"AdmissionReview\",\"apiVersion\":"
                                        "\"admission.k8s.io/v1\",\"request\":"));
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    write_head(&w, review, as, uid);
    write_objects(&w, object, old);
    write_tail(&w, review);
    lw_json_write_object_end(&w);
    lw_buf_append_char(out, '}');
    note(out, &w);
}
