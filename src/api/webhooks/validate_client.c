/* SPDX-License-Identifier: Apache-2.0 */
/* validate_client.c -- validates clientConfig: where a webhook is. */
#include <stdio.h>
#include <string.h>

#include "api/http/field_errors.h"
#include "api/pending/value_validation.h"
#include "api/webhooks/validate.h"
#include "base/str.h"
#include "object/names.h"
#include "json/fields.h"

enum {
    DETAIL_SIZE = 1024,
};

#define FORMAT "; desired format: https://host[/path]"

/* Cuts what follows |mark| off |*rest| and returns it. */
static lw_str cut_tail(lw_str *rest, char mark)
{
    lw_str tail;
    (void)lw_str_cut(*rest, mark, rest, &tail);
    return tail;
}

static bool is_scheme(lw_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = (char)(text.ptr[i] | 0x20);
        bool is_letter = c >= 'a' && c <= 'z';
        bool is_other = lw_char_is_digit(text.ptr[i]) || strchr("+-.", text.ptr[i]) != NULL;
        if (!is_letter && (i == 0 || !is_other))
            return false;
    }
    return text.len > 0;
}

static void check_url(lw_str url, const char *field, lw_api_status *errors)
{
    char detail[DETAIL_SIZE];
    lw_str rest = url, scheme = LW_STR(""), user = LW_STR(""), host = LW_STR(""), path;
    lw_str fragment = cut_tail(&rest, '#'), query = cut_tail(&rest, '?'), after;
    if (lw_str_cut(rest, ':', &scheme, &after) && !memchr(scheme.ptr, '/', scheme.len)) {
        if (!is_scheme(scheme)) {
            (void)
                snprintf(detail, sizeof(detail),
                         "url must be a valid URL: parse \"%.*s\": missing protocol scheme" FORMAT,
                         LW_STR_ARG(url));
            lw_field_error_required(errors, field, detail);
            return;
        }
        rest = after;
    } else {
        scheme = LW_STR("");
    }
    if (lw_str_starts_with(rest, LW_STR("//"))) {
        (void)lw_str_cut(lw_str_skip(rest, 2), '/', &host, &path);
        lw_str before;
        if (lw_str_cut(host, '@', &before, &after)) {
            user = before;
            host = after;
        }
    }
    if (!lw_str_equal(scheme, LW_STR("https")))
        lw_field_error_invalid(errors, field, scheme,
                               "'https' is the only allowed URL scheme" FORMAT);
    if (host.len == 0)
        lw_field_error_invalid(errors, field, host, "host must be specified" FORMAT);
    if (user.len > 0)
        lw_field_error_invalid(errors, field, user, "user information is not permitted in the URL");
    if (fragment.len > 0)
        lw_field_error_invalid(errors, field, fragment, "fragments are not permitted in the URL");
    if (query.len > 0)
        lw_field_error_invalid(errors, field, query,
                               "query parameters are not permitted in the URL");
}

static void check_segment(lw_str path, lw_str segment, size_t index, const char *field,
                          lw_api_status *errors)
{
    char detail[DETAIL_SIZE];
    lw_name_problems problems;
    if (lw_name_is_dns1123_subdomain(segment, &problems))
        return;
    for (size_t i = 0; i < problems.count; i++) {
        (void)snprintf(detail, sizeof(detail), "segment[%zu]: %s", index, problems.text[i]);
        lw_field_error_invalid(errors, field, path, detail);
    }
}

/* "/a/b/": segments are subdomains; the last may be empty. */
static void check_path(lw_str path, const char *field, lw_api_status *errors)
{
    char detail[DETAIL_SIZE];
    lw_str rest = path, segment;
    if (path.len == 0 || lw_str_equal(path, LW_STR("/")))
        return;
    if (path.ptr[0] != '/') {
        lw_field_error_invalid(errors, field, path, "must start with a '/'");
        lw_field_error_invalid(errors, field, path, "segment[0] may not be empty");
        return;
    }
    if (lw_str_ends_with(path, LW_STR("/")))
        rest.len--;
    rest = lw_str_skip(rest, 1);
    for (size_t i = 0; rest.ptr; i++) {
        bool has_more = lw_str_cut(rest, '/', &segment, &rest);
        if (segment.len == 0) {
            (void)snprintf(detail, sizeof(detail), "segment[%zu] may not be empty", i);
            lw_field_error_invalid(errors, field, path, detail);
        } else {
            check_segment(path, segment, i, field, errors);
        }
        if (!has_more)
            return;
    }
}

static void check_service(const lw_node *service, const lw_field_path *at, lw_api_status *errors)
{
    char text[LW_FIELD_PATH_SIZE];
    const lw_node *port = lw_node_get(service, LW_STR("port"));
    int64_t number = lw_fields_int(service, "port", 1);
    static const char *const needed[] = { "name", "namespace" };
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        if (lw_fields_text(service, needed[i]).len == 0)
            lw_field_error_required(
                errors, lw_field_path_text(text, lw_field_path_in(at, lw_str_of(needed[i]))), "");
    }
    check_path(lw_fields_text(service, "path"),
               lw_field_path_text(text, lw_field_path_in(at, LW_STR("path"))), errors);
    if (number < 1 || number > UINT16_MAX)
        lw_field_error_plain(errors, lw_field_path_text(text, lw_field_path_in(at, LW_STR("port"))),
                             lw_node_text(port),
                             "port is not valid: must be between 1 and 65535, inclusive");
}

void lw_client_config_validate(const lw_node *config, const lw_field_path *at,
                               lw_api_status *errors)
{
    char text[LW_FIELD_PATH_SIZE];
    const lw_node *url = lw_node_get(config, LW_STR("url"));
    const lw_node *service = lw_node_get(config, LW_STR("service"));
    const lw_field_path place = lw_field_path_in(at, LW_STR("service"));
    if (!url == !service)
        lw_field_error_required(errors, lw_field_path_text(text, *at),
                                "exactly one of url or service is required");
    else if (url)
        check_url(lw_node_text(url), lw_field_path_text(text, lw_field_path_in(at, LW_STR("url"))),
                  errors);
    else
        check_service(service, &place, errors);
}

void lw_webhook_validate_client(const lw_node *webhook, const lw_field_path *at,
                                lw_api_status *errors)
{
    const lw_field_path client = lw_field_path_in(at, LW_STR("clientConfig"));
    lw_client_config_validate(lw_node_get(webhook, LW_STR("clientConfig")), &client, errors);
}
