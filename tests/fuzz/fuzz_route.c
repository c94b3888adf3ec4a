/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_route.c -- a request line and an Accept header: "METHOD path?query\naccept".  For any input
 * the route is safe to use in a key, and matches the kind that was found. */
#include <stdlib.h>
#include <string.h>

#include "api/http/list_options.h"
#include "api/http/route.h"
#include "api/media/media.h"
#include "base/str.h"
#include "fuzz/fuzz.h"

/* A segment must not contain a path separator. */
static void check_segment(lw_str s)
{
    if (s.len > 0 && (memchr(s.ptr, '/', s.len) || memchr(s.ptr, '\0', s.len)))
        abort();
    if (lw_str_equal(s, LW_STR(".")) || lw_str_equal(s, LW_STR("..")))
        abort();
}

static void check_route(const lw_route *route)
{
    check_segment(route->ns);
    check_segment(route->name);
    if (route->target != LW_ROUTE_RESOURCE)
        return;
    const lw_kind *kind = route->kind;
    if (!kind || !route->verb || (route->verb & (route->verb - 1)))
        abort();
    if (route->subresource && (!(route->subresource & kind->subresources) || !route->name.len))
        abort();
    if (!route->subresource && !(route->verb & kind->verbs))
        abort();
    if (kind->is_namespaced ? route->name.len > 0 && route->ns.len == 0 : route->ns.len > 0)
        abort();
}

/* Options are valid or rejected; valid ones give a plan. */
static void check_options(const lw_route *route, const lw_query *query)
{
    lw_api_list_options options;
    lw_list_plan plan;
    lw_cache_filter filter;
    lw_api_status status;
    bool is_watch = route->verb == LW_VERB_WATCH;
    bool is_good = lw_api_list_options_read(&options, query, route->kind, is_watch, false, &status);
    if (is_good)
        is_good = lw_api_list_options_filter(&options, route->kind, route->ns, route->name, &filter,
                                             &status);
    if (is_good) {
        is_good = lw_list_plan_make(&plan, &options, &status);
        if (is_good && plan.is_exact && plan.revision == 0)
            abort();
        lw_list_plan_done(&plan);
    }
    if (!is_good) {
        if (status.code < 400 || status.code >= 500)
            abort();
        lw_api_status_done(&status);
    }
    lw_api_list_options_done(&options);
}

static void check_media(lw_str accept, const lw_query *query)
{
    lw_http_header header = { LW_STR("accept"), accept };
    lw_http_request request = { .headers = &header, .header_count = 1 };
    for (unsigned allowed = 0; allowed < 32; allowed++) {
        lw_media media;
        if (lw_media_choose(&media, &request, query, allowed) && media.format == LW_MEDIA_YAML &&
            !(allowed & LW_MEDIA_ALLOW_YAML))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static lw_registry *registry;
    lw_str line, accept, method, target, path, raw_query;
    lw_query query;
    lw_route route;
    lw_buf scratch;
    if (!registry && lw_registry_new(&registry) < 0)
        return 0;
    (void)lw_str_cut(lw_str_make((const char *)data, size), '\n', &line, &accept);
    (void)lw_str_cut(line, ' ', &method, &target);
    (void)lw_str_cut(target, '?', &path, &raw_query);
    lw_buf_init(&scratch, 1 << 20);
    lw_status st = lw_query_parse(&query, raw_query);
    bool is_watch = st == LW_OK && lw_query_bool(&query, "watch");
    if (lw_route_find(&route, registry, lw_http_method_of(method), path, is_watch, &scratch) ==
        LW_OK) {
        check_route(&route);
        if (st == LW_OK && route.target == LW_ROUTE_RESOURCE)
            check_options(&route, &query);
    }
    if (st == LW_OK)
        check_media(accept, &query);
    lw_query_done(&query);
    lw_buf_done(&scratch);
    return 0;
}
