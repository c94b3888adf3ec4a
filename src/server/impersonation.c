/* SPDX-License-Identifier: Apache-2.0 */
/* impersonation.c -- reads the headers of impersonation and asks the authorizers about each of
 * them.
 *
 * As in kube-apiserver, each part of the identity is a resource with the verb "impersonate": users,
 * groups, serviceaccounts; uids and userextras/KEY of the group authentication.k8s.io. */
#include "server/impersonation.h"

#include <stdio.h>
#include <string.h>

#include "api/authz/forbidden.h"
#include "api/media/percent.h"
#include "base/str.h"

#define ACCOUNT_PREFIX "system:serviceaccount:"
#define EXTRA_PREFIX   "impersonate-extra-"

enum {
    KEYS_MAX_BYTES = 16 * 1024, /* of the keys of extras, decoded */
    GROUP_SIZE = 320,           /* "system:serviceaccounts:" and a namespace */
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
            /* Two are added below. */
            if (w->group_count < LW_USER_GROUPS_MAX - 3)
                w->groups[w->group_count++] = h->value;
            else
                w->has_too_many = true;
        } else if (lw_str_starts_with(h->name, LW_STR(EXTRA_PREFIX))) {
            add_extra(w, h->name, h->value);
        }
    }
}

/* "system:serviceaccount:NAMESPACE:NAME" */
static bool is_account(lw_str user, lw_str *ns, lw_str *name)
{
    return lw_str_starts_with(user, LW_STR(ACCOUNT_PREFIX)) &&
           lw_str_cut(lw_str_skip(user, sizeof(ACCOUNT_PREFIX) - 1), ':', ns, name) &&
           ns->len > 0 && name->len > 0 && !memchr(name->ptr, ':', name->len);
}

/* Asks the authorizers; false: |status| is the 403. */
static bool may(lw_authz *authz, const lw_user *user, lw_authz_attributes attributes,
                lw_api_status *status)
{
    lw_buf reason;
    attributes.user = user;
    attributes.verb = LW_STR("impersonate");
    attributes.is_resource = true;
    bool is_allowed = authz ? lw_authz_allows(authz, &attributes) : lw_authz_is_privileged(user);
    if (is_allowed)
        return true;
    lw_buf_init(&reason, LW_AUTHZ_REASON_MAX);
    if (authz)
        (void)lw_authz_decide(authz, &attributes, &reason);
    lw_authz_forbid(status, &attributes, lw_buf_view(&reason));
    lw_buf_done(&reason);
    return false;
}

static bool may_all(const wanted *w, lw_authz *authz, const lw_user *user, lw_api_status *status)
{
    static const lw_str authentication = LW_STR_INIT("authentication.k8s.io"),
                        v1 = LW_STR_INIT("v1");
    lw_str ns, account;
    lw_authz_attributes a = { .version = v1, .resource = LW_STR("users"), .name = w->name };
    if (is_account(w->name, &ns, &account)) {
        a.resource = LW_STR("serviceaccounts");
        a.ns = ns;
        a.name = account;
    }
    if (!may(authz, user, a, status))
        return false;
    for (size_t i = 0; i < w->group_count; i++) {
        a = (lw_authz_attributes){ .version = v1,
                                   .resource = LW_STR("groups"),
                                   .name = w->groups[i] };
        if (!may(authz, user, a, status))
            return false;
    }
    for (size_t i = 0; i < w->extra_count; i++) {
        a = (lw_authz_attributes){ .group = authentication,
                                   .version = v1,
                                   .resource = LW_STR("userextras"),
                                   .subresource = w->extras[i].key,
                                   .name = w->values[i] };
        if (!may(authz, user, a, status))
            return false;
    }
    a = (lw_authz_attributes){
        .group = authentication, .version = v1, .resource = LW_STR("uids"), .name = w->uid
    };
    return w->uid.len == 0 || may(authz, user, a, status);
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

/* Adds the groups that such a user always has. */
static void add_groups(wanted *w)
{
    lw_str ns, name;
    if (is_account(w->name, &ns, &name) && w->group_count == 0) {
        (void)snprintf(w->account_group, GROUP_SIZE, "system:serviceaccounts:%.*s", LW_STR_ARG(ns));
        add_group(w, LW_STR("system:serviceaccounts"));
        add_group(w, lw_str_of(w->account_group));
    }
    if (lw_str_equal(w->name, LW_STR(LW_USER_ANONYMOUS)))
        add_group(w, LW_STR(LW_GROUP_UNAUTHENTICATED));
    else
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

static bool replace_user(wanted *w, lw_authz *authz, lw_authn *auth, const lw_user **user,
                         lw_api_status *status)
{
    const lw_user *other = NULL;
    if (w->has_too_many)
        return refuse(status, "too many Impersonate-Group or Impersonate-Extra headers");
    if (w->name.len == 0)
        return refuse(status, "requested groups, a UID or extra fields without impersonating a "
                              "user: add the header Impersonate-User");
    if (!may_all(w, authz, *user, status))
        return false;
    add_groups(w);
    merge_extras(w);
    const lw_user found = { .name = w->name,
                            .uid = w->uid,
                            .groups = w->groups,
                            .group_count = w->group_count,
                            .extras = w->extras,
                            .extra_count = w->extra_count };
    lw_status st = lw_authn_keep(auth, &found, &other);
    if (st < 0) {
        lw_api_status_unavailable(status, LW_STR("too many users, or out of memory"));
        return false;
    }
    lw_user_unref(*user);
    *user = other;
    return true;
}

bool lw_impersonate(lw_authz *authz, lw_authn *auth, const lw_http_request *request,
                    const lw_user **user, lw_api_status *status)
{
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
        goes_on = replace_user(&w, authz, auth, user, status);
    }
    lw_buf_done(&w.keys);
    return goes_on;
}
