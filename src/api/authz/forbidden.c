/* SPDX-License-Identifier: Apache-2.0 */
/* forbidden.c -- from a request to attributes, and from attributes to a 403. */
#include "api/authz/forbidden.h"

#include <string.h>

#include "api/media/percent.h"
#include "base/str.h"
#include "object/quote.h"

enum {
    MESSAGE_MAX = 64 * 1024,
};

/* Decodes |*text| if it has an escape.  The buffer must not move: it has its room already. */
static lw_status decode(lw_str *text, bool is_of_query, lw_buf *scratch)
{
    size_t start = scratch->len;
    if (text->len == 0 ||
        (!memchr(text->ptr, '%', text->len) && !(is_of_query && memchr(text->ptr, '+', text->len))))
        return LW_OK;
    if (!lw_percent_decode(*text, is_of_query, scratch))
        return scratch->st < 0 ? scratch->st : LW_ERR_INVALID;
    *text = lw_str_skip(lw_buf_view(scratch), start);
    return scratch->st;
}

lw_status lw_authz_read_info(lw_authz_attributes *attributes, const lw_request_info *info,
                             const lw_http_request *request, const lw_user *user, lw_buf *scratch)
{
    *attributes = (lw_authz_attributes){ .user = user,
                                         .verb = info->verb,
                                         .is_resource = info->is_resource,
                                         .group = info->group,
                                         .version = info->version,
                                         .resource = info->resource,
                                         .subresource = info->subresource,
                                         .ns = info->ns,
                                         .name = info->name,
                                         .field_selector = LW_STR(""),
                                         .label_selector = LW_STR(""),
                                         .path = info->path,
                                         .cache = NULL };
    if (request->query.len > 0) {
        (void)lw_query_raw(request->query, LW_STR("fieldSelector"), &attributes->field_selector);
        (void)lw_query_raw(request->query, LW_STR("labelSelector"), &attributes->label_selector);
    }
    /* The name is a part of the path or of the field selector. */
    if (!memchr(request->path.ptr, '%', request->path.len) &&
        attributes->field_selector.len + attributes->label_selector.len == 0)
        return LW_OK;
    lw_str *const texts[] = { &attributes->group,       &attributes->version, &attributes->resource,
                              &attributes->subresource, &attributes->ns,      &attributes->name,
                              &attributes->path };
    /* All of them are parts of path and query, so this is room enough for the copies. */
    lw_status st = lw_buf_reserve(scratch, 2 * (request->path.len + request->query.len));
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && st == LW_OK; i++)
        st = decode(texts[i], false, scratch);
    /* The query ignores a parameter that cannot be decoded, and so does the authorizer. */
    if (st == LW_OK && decode(&attributes->field_selector, true, scratch) < 0)
        attributes->field_selector = LW_STR("");
    if (st == LW_OK && decode(&attributes->label_selector, true, scratch) < 0)
        attributes->label_selector = LW_STR("");
    return scratch->st < 0 ? scratch->st : st;
}

lw_status lw_authz_read_request(lw_authz_attributes *attributes, const lw_http_request *request,
                                const lw_user *user, lw_buf *scratch)
{
    lw_request_info info;
    lw_request_info_read(&info, request);
    return lw_authz_read_info(attributes, &info, request, user, scratch);
}

static void append_user(const lw_authz_attributes *attributes, lw_buf *out)
{
    lw_buf_append_text(out, "User ");
    lw_quote_append(out, attributes->user->name);
    lw_buf_printf(out, " cannot %.*s ", LW_STR_ARG(attributes->verb));
}

static void append_resource(const lw_authz_attributes *attributes, lw_buf *out)
{
    lw_buf name;
    lw_buf_init(&name, MESSAGE_MAX);
    lw_buf_append_str(&name, attributes->resource);
    if (attributes->subresource.len > 0)
        lw_buf_printf(&name, "/%.*s", LW_STR_ARG(attributes->subresource));
    lw_buf_append_text(out, "resource ");
    lw_quote_append(out, lw_buf_view(&name));
    lw_buf_append_text(out, " in API group ");
    lw_quote_append(out, attributes->group);
    if (attributes->ns.len > 0) {
        lw_buf_append_text(out, " in the namespace ");
        lw_quote_append(out, attributes->ns);
    } else {
        lw_buf_append_text(out, " at the cluster scope");
    }
    lw_buf_done(&name);
}

void lw_authz_append_forbidden(const lw_authz_attributes *attributes, lw_str reason, lw_buf *out)
{
    append_user(attributes, out);
    if (attributes->is_resource) {
        append_resource(attributes, out);
    } else {
        lw_buf_append_text(out, "path ");
        lw_quote_append(out, attributes->path);
    }
    if (reason.len > 0) {
        lw_buf_append_text(out, ": ");
        lw_buf_append_str(out, reason);
    }
}

void lw_authz_forbid(lw_api_status *status, const lw_authz_attributes *attributes, lw_str reason)
{
    lw_buf message;
    const lw_gvr gvr = { attributes->group, attributes->version, attributes->resource };
    lw_buf_init(&message, MESSAGE_MAX);
    lw_authz_append_forbidden(attributes, reason, &message);
    lw_api_status_forbidden(status, attributes->is_resource ? gvr : (lw_gvr){ .group = LW_STR("") },
                            attributes->name, lw_buf_view(&message));
    if (message.st < 0)
        status->st = message.st;
    lw_buf_done(&message);
}
