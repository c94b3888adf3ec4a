/* SPDX-License-Identifier: Apache-2.0 */
/* request_header.c -- reads the user from the headers of an authenticating proxy. */
#include "server/authn/request_header.h"

#include <strings.h>

#include "api/media/percent.h"
#include "base/error.h"
#include "base/str.h"

enum {
    KEYS_MAX_BYTES = 16 * 1024, /* of the keys of extras, decoded */
};

static lw_status read_names(lw_request_header_names *out, const char *option, const char *text,
                            lw_error *err)
{
    lw_str rest = lw_str_of(text), one;
    bool goes_on = rest.len > 0;
    while (goes_on) {
        goes_on = lw_str_cut(rest, ',', &one, &rest);
        one = lw_str_trim(one);
        if (one.len == 0)
            return lw_error_set(err, LW_ERR_INVALID, "%s: a name is empty", option);
        if (out->count == LW_REQUEST_HEADER_NAMES_MAX)
            return lw_error_set(err, LW_ERR_INVALID, "%s: more than %d names", option,
                                LW_REQUEST_HEADER_NAMES_MAX);
        out->at[out->count++] = one;
    }
    return LW_OK;
}

lw_status lw_request_headers_read(lw_request_headers *headers, const lw_server_webhooks *options,
                                  bool *is_used, lw_error *err)
{
    const struct {
        lw_request_header_names *names;
        const char *option, *text;
    } lists[] = {
        { &headers->allowed_names, "--requestheader-allowed-names",
          options->requestheader_allowed_names },
        { &headers->users, "--requestheader-username-headers",
          options->requestheader_username_headers },
        { &headers->uids, "--requestheader-uid-headers", options->requestheader_uid_headers },
        { &headers->groups, "--requestheader-group-headers", options->requestheader_group_headers },
        { &headers->extra_prefixes, "--requestheader-extra-headers-prefix",
          options->requestheader_extra_headers_prefix },
    };
    *headers = (lw_request_headers){ .users = { .count = 0 } };
    *is_used = options->requestheader_client_ca_file != NULL;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (lists[i].text && !*is_used)
            return lw_error_set(err, LW_ERR_INVALID, "%s requires --requestheader-client-ca-file",
                                lists[i].option);
        lw_status st = read_names(lists[i].names, lists[i].option, lists[i].text, err);
        if (st < 0)
            return st;
    }
    if (*is_used && headers->users.count == 0)
        return lw_error_set(err, LW_ERR_INVALID,
                            "--requestheader-client-ca-file requires "
                            "--requestheader-username-headers, for example X-Remote-User");
    return LW_OK;
}

static bool is_proxy(const lw_request_headers *headers, const lw_peer *peer)
{
    if (!peer->is_proxy)
        return false;
    for (size_t i = 0; i < headers->allowed_names.count; i++) {
        if (lw_str_equal(headers->allowed_names.at[i], peer->common_name))
            return true;
    }
    return headers->allowed_names.count == 0;
}

/* Names of headers in requests are in lower case. */
static bool is_header(lw_str name, lw_str wanted)
{
    return name.len == wanted.len && strncasecmp(name.ptr, wanted.ptr, name.len) == 0;
}

/* Returns the first value of the first header of |names| that is not empty. */
static lw_str first_value(const lw_http_request *request, const lw_request_header_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        for (size_t k = 0; k < request->header_count; k++) {
            const lw_http_header *h = &request->headers[k];
            if (is_header(h->name, names->at[i]) && h->value.len > 0)
                return h->value;
        }
    }
    return LW_STR("");
}

static void read_groups(lw_request_user *out, const lw_http_request *request,
                        const lw_request_header_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        for (size_t k = 0; k < request->header_count; k++) {
            const lw_http_header *h = &request->headers[k];
            if (is_header(h->name, names->at[i]) && h->value.len > 0 &&
                out->user.group_count < LW_USER_GROUPS_MAX - 1)
                out->groups[out->user.group_count++] = h->value;
        }
    }
}

static bool has_prefix(lw_str name, lw_str prefix)
{
    return name.len > prefix.len && strncasecmp(name.ptr, prefix.ptr, prefix.len) == 0;
}

/* Adds one value; values of one key stand together, because equal headers do. */
static void add_extra(lw_request_user *out, lw_str key, lw_str value, size_t *used)
{
    size_t start = out->keys.len, count = out->user.extra_count;
    if (*used == LW_USER_EXTRAS_MAX || !lw_percent_decode(key, false, &out->keys))
        return;
    key = lw_str_skip(lw_buf_view(&out->keys), start);
    lw_user_extra *last = count > 0 ? &out->extras[count - 1] : NULL;
    if (!last || !lw_str_equal(last->key, key)) {
        last = &out->extras[out->user.extra_count++];
        *last = (lw_user_extra){ key, out->values + *used, 0 };
    }
    out->values[(*used)++] = value;
    last->count++;
}

static void read_extras(lw_request_user *out, const lw_http_request *request,
                        const lw_request_header_names *prefixes)
{
    size_t used = 0;
    /* The keys are views of the buffer: it must not move. */
    if (prefixes->count == 0 || lw_buf_reserve(&out->keys, KEYS_MAX_BYTES) < 0)
        return;
    for (size_t i = 0; i < prefixes->count; i++) {
        for (size_t k = 0; k < request->header_count; k++) {
            const lw_http_header *h = &request->headers[k];
            if (has_prefix(h->name, prefixes->at[i]))
                add_extra(out, lw_str_skip(h->name, prefixes->at[i].len), h->value, &used);
        }
    }
}

bool lw_request_headers_find(const lw_request_headers *headers, const lw_http_request *request,
                             lw_request_user *out)
{
    lw_buf_init(&out->keys, KEYS_MAX_BYTES);
    out->user = (lw_user){ .groups = out->groups, .extras = out->extras };
    if (!is_proxy(headers, request->peer))
        return false;
    out->user.name = first_value(request, &headers->users);
    if (out->user.name.len == 0)
        return false;
    out->user.uid = first_value(request, &headers->uids);
    read_groups(out, request, &headers->groups);
    read_extras(out, request, &headers->extra_prefixes);
    return true;
}

void lw_request_user_done(lw_request_user *user)
{
    lw_buf_done(&user->keys);
}
