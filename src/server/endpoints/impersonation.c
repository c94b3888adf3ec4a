/* SPDX-License-Identifier: Apache-2.0 */
/* impersonation.c -- reads the headers of impersonation and makes the user they name. */
#include "server/endpoints/impersonation.h"

#include <stdio.h>
#include <string.h>

#include "api/authz/forbidden.h"
#include "api/http/failures.h"
#include "api/media/percent.h"
#include "base/str.h"
#include "object/quote.h"

#define EXTRA_PREFIX "impersonate-extra-"

enum {
    KEYS_MAX_BYTES = 16 * 1024, /* of the keys of extras, decoded */
    GROUP_SIZE = 320,           /* "system:serviceaccounts:" and a namespace */
    SCRATCH_MAX = 1 << 20,
};

/* The identity that the headers name. */
typedef struct wanted {
    lw_str name, uid;
    lw_str groups[LW_USER_GROUPS_MAX];
    size_t group_count;
    lw_user_extra extras[LW_USER_EXTRAS_MAX];
    lw_str values[LW_USER_EXTRAS_MAX]; /* one for each extra */
    size_t extra_count;
    lw_buf keys; /* of the extras */
    bool has_too_many;
    char account_group[GROUP_SIZE];
} wanted;

static void add_extra(wanted *w, lw_str header, lw_str value)
{
    size_t start = w->keys.len;
    if (w->extra_count == LW_USER_EXTRAS_MAX ||
        !lw_percent_decode(lw_str_skip(header, sizeof(EXTRA_PREFIX) - 1), false, &w->keys)) {
        w->has_too_many = true;
        return;
    }
    w->values[w->extra_count] = value;
    w->extras[w->extra_count] = (lw_user_extra){ .key = lw_str_skip(lw_buf_view(&w->keys), start),
                                                 .values = &w->values[w->extra_count],
                                                 .count = 1 };
    w->extra_count++;
}

static bool has_headers(const lw_http_request *request)
{
    for (size_t i = 0; i < request->header_count; i++) {
        if (lw_str_starts_with(request->headers[i].name, LW_STR("impersonate-")))
            return true;
    }
    return false;
}

static void read_headers(wanted *w, const lw_http_request *request)
{
    for (size_t i = 0; i < request->header_count; i++) {
        const lw_http_header *h = &request->headers[i];
        if (lw_str_equal(h->name, LW_STR("impersonate-user"))) {
            w->name = h->value;
        } else if (lw_str_equal(h->name, LW_STR("impersonate-uid"))) {
            w->uid = h->value;
        } else if (lw_str_equal(h->name, LW_STR("impersonate-group"))) {
            /* Three are added below. */
            if (w->group_count < LW_USER_GROUPS_MAX - 4)
                w->groups[w->group_count++] = h->value;
            else
                w->has_too_many = true;
        } else if (lw_str_starts_with(h->name, LW_STR(EXTRA_PREFIX))) {
            add_extra(w, h->name, h->value);
        }
    }
}

static bool has_group(const wanted *w, lw_str group)
{
    for (size_t i = 0; i < w->group_count; i++) {
        if (lw_str_equal(w->groups[i], group))
            return true;
    }
    return false;
}

static void add_group(wanted *w, lw_str group)
{
    if (!has_group(w, group))
        w->groups[w->group_count++] = group;
}

/* Adds the groups that such a user always has.  |is_constrained|: the groups of a node are fixed.
 */
static void add_groups(wanted *w, bool is_constrained)
{
    lw_str ns, name;
    if (lw_impersonation_is_account(w->name, &ns, &name) && w->group_count == 0) {
        (void)snprintf(w->account_group, GROUP_SIZE, "system:serviceaccounts:%.*s", LW_STR_ARG(ns));
        add_group(w, LW_STR("system:serviceaccounts"));
        add_group(w, lw_str_of(w->account_group));
    }
    if (is_constrained && lw_impersonation_is_node(w->name, &name))
        add_group(w, LW_STR("system:nodes"));
    if (lw_str_equal(w->name, LW_STR(LW_USER_ANONYMOUS)))
        add_group(w, LW_STR(LW_GROUP_UNAUTHENTICATED));
    else if (!has_group(w, LW_STR(LW_GROUP_UNAUTHENTICATED)))
        add_group(w, LW_STR(LW_GROUP_AUTHENTICATED));
}

/* Values of one key stand together. */
static void merge_extras(wanted *w)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->extra_count; i++) {
        lw_user_extra *last = kept > 0 ? &w->extras[kept - 1] : NULL;
        if (last && lw_str_equal(last->key, w->extras[i].key))
            last->count++; /* its values are next to each other */
        else
            w->extras[kept++] = w->extras[i];
    }
    w->extra_count = kept;
}

static bool refuse(lw_api_status *status, const char *message)
{
    lw_api_status_bad_request(status, lw_str_of(message));
    return false;
}

/* []string{"a", "b"}, as Go prints it. */
static void append_texts(lw_buf *out, const lw_str *texts, size_t count)
{
    lw_buf_append_text(out, count > 0 ? "[]string{" : "[]string(nil)");
    for (size_t i = 0; i < count; i++) {
        lw_buf_append_text(out, i > 0 ? ", " : "");
        lw_quote_append(out, texts[i]);
    }
    lw_buf_append_text(out, count > 0 ? "}" : "");
}

/* map[string][]string{"key":[]string{"value"}}: the keys in order. */
static void append_extras(lw_buf *out, const wanted *w)
{
    size_t order[LW_USER_EXTRAS_MAX];
    for (size_t i = 0; i < w->extra_count; i++) {
        size_t place = i;
        for (; place > 0 && lw_str_compare(w->extras[order[place - 1]].key, w->extras[i].key) > 0;
             place--)
            order[place] = order[place - 1];
        order[place] = i;
    }
    lw_buf_append_text(out,
                       w->extra_count > 0 ? "map[string][]string{" : "map[string][]string(nil)");
    for (size_t i = 0; i < w->extra_count; i++) {
        const lw_user_extra *extra = &w->extras[order[i]];
        lw_buf_append_text(out, i > 0 ? ", " : "");
        lw_quote_append(out, extra->key);
        lw_buf_append_char(out, ':');
        append_texts(out, extra->values, extra->count);
    }
    lw_buf_append_text(out, w->extra_count > 0 ? "}" : "");
}

/* 400: groups, a UID or extra fields without Impersonate-User, shown as kube-apiserver does. */
static bool refuse_nameless(wanted *w, lw_api_status *status)
{
    lw_buf message;
    merge_extras(w);
    lw_buf_init(&message, LW_API_STATUS_TEXT_MAX);
    lw_buf_append_text(&message, "requested &user.DefaultInfo{Name:\"\", UID:");
    lw_quote_append(&message, w->uid);
    lw_buf_append_text(&message, ", Groups:");
    append_texts(&message, w->groups, w->group_count);
    lw_buf_append_text(&message, ", Extra:");
    append_extras(&message, w);
    lw_buf_append_text(&message, "} without impersonating a user name");
    return lw_failure_bad_request(status, &message);
}

/* Asks the authorizers whether |user| may make the request of |stream| as the wanted user. */
static bool may_be(const wanted *w, const lw_impersonation *how, lw_http_stream *stream,
                   const lw_user *user, bool *is_constrained, lw_api_status *status)
{
    const lw_user other = { .name = w->name,
                            .uid = w->uid,
                            .groups = w->groups,
                            .group_count = w->group_count,
                            .extras = w->extras,
                            .extra_count = w->extra_count };
    lw_authz_attributes asked;
    lw_buf scratch;
    bool is_allowed = false;
    lw_buf_init(&scratch, SCRATCH_MAX);
    lw_status st = lw_authz_read_request(&asked, &stream->request, user, &scratch);
    asked.stream = stream;
    if (st == LW_OK) {
        is_allowed = lw_impersonation_allowed(how->modes, how->authz, &other, &asked,
                                              is_constrained, status);
    } else if (st == LW_ERR_INVALID) {
        lw_api_status_bad_request(status, LW_STR("the path has an invalid escape sequence"));
    } else {
        lw_api_status_init(status);
        status->st = st;
    }
    lw_buf_done(&scratch);
    return is_allowed;
}

static bool replace_user(wanted *w, const lw_impersonation *how, lw_http_stream *stream,
                         const lw_user **user, lw_api_status *status)
{
    const lw_user *other = NULL;
    bool is_constrained = false;
    if (w->has_too_many)
        return refuse(status, "too many Impersonate-Group or Impersonate-Extra headers");
    if (w->name.len == 0 && w->uid.len == 0 && w->group_count == 0 && w->extra_count == 0)
        return true; /* no header has a value */
    if (w->name.len == 0)
        return refuse_nameless(w, status);
    if (!may_be(w, how, stream, *user, &is_constrained, status))
        return false;
    add_groups(w, is_constrained);
    merge_extras(w);
    const lw_user found = { .name = w->name,
                            .uid = w->uid,
                            .groups = w->groups,
                            .group_count = w->group_count,
                            .extras = w->extras,
                            .extra_count = w->extra_count };
    lw_status st = lw_authn_keep(how->auth, &found, &other);
    if (st < 0) {
        lw_api_status_unavailable(status, LW_STR("too many users, or out of memory"));
        return false;
    }
    lw_user_unref(*user);
    *user = other;
    return true;
}

bool lw_impersonate(const lw_impersonation *how, lw_http_stream *stream, const lw_user **user,
                    lw_api_status *status)
{
    const lw_http_request *request = &stream->request;
    if (!has_headers(request))
        return true;
    wanted w = { .group_count = 0 };
    bool goes_on = false;
    lw_buf_init(&w.keys, KEYS_MAX_BYTES);
    /* The keys are views of the buffer: it must not move. */
    if (lw_buf_reserve(&w.keys, KEYS_MAX_BYTES) < 0) {
        lw_api_status_init(status);
        status->st = LW_ERR_NOMEM;
    } else {
        read_headers(&w, request);
        goes_on = replace_user(&w, how, stream, user, status);
    }
    lw_buf_done(&w.keys);
    return goes_on;
}
