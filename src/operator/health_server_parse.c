/* SPDX-License-Identifier: Apache-2.0 */
/* health_server_parse.c -- the first line of a request (RFC 9112, section 3).  Header fields do not
 * matter here. */
#include "base/str.h"
#include "operator/health_server.h"

/* Visible ASCII only. */
static bool is_clean(lw_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] <= ' ' || text.ptr[i] >= 0x7f)
            return false;
    }
    return text.len > 0;
}

int lw_health_server_parse(lw_str head, lw_health_server_request *out)
{
    lw_str line, rest, method, target, version;
    if (!lw_str_cut(head, '\n', &line, &rest) || !lw_str_ends_with(line, LW_STR("\r")))
        return 400;
    line.len--;
    if (!lw_str_cut(line, ' ', &method, &rest) || !lw_str_cut(rest, ' ', &target, &version))
        return 400;
    if (!is_clean(method) || !is_clean(target) || target.ptr[0] != '/')
        return 400;
    if (!lw_str_equal(version, LW_STR("HTTP/1.1")) && !lw_str_equal(version, LW_STR("HTTP/1.0")))
        return lw_str_starts_with(version, LW_STR("HTTP/")) ? 505 : 400;
    out->is_head = lw_str_equal(method, LW_STR("HEAD"));
    if (!out->is_head && !lw_str_equal(method, LW_STR("GET")))
        return 405;
    (void)lw_str_cut(target, '?', &out->path, &out->query);
    return 200;
}
