/* SPDX-License-Identifier: Apache-2.0 */
/* linear.c -- requests, and the comparison of their work. */
#include "bench/linear/linear.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"

enum {
    SHOWN_MAX = 30, /* failures that are printed */
};

bool linear_open(linear *run)
{
    lw_error err = LW_ERROR_INIT;
    return api_world_open(&run->world, &err) == LW_OK && lw_api_seed(run->world.api, &err) == LW_OK;
}

void linear_close(linear *run)
{
    api_world_close(&run->world);
}

void linear_put(linear *run, const char *key, const char *json)
{
    if (api_world_put(&run->world, key, json) == 0) {
        (void)fprintf(stderr, "%s cannot be stored\n", key);
        abort();
    }
}

void linear_delete(linear *run, const char *key)
{
    (void)api_world_delete(&run->world, key);
}

static fake_http *ask(linear *run, const linear_request *request, const lw_buf *body)
{
    fake_http_request sent = { .method = request->method,
                               .target = request->target,
                               .body = lw_buf_view(body) };
    if (request->type) {
        sent.headers[0] = "content-type";
        sent.headers[1] = request->type;
    }
    fake_http *http = api_world_ask(&run->world, &sent);
    while (http && !http->is_ended)
        (void)lw_loop_turn(run->world.loop, 1000, NULL);
    if (!http || body->st < 0)
        abort();
    return http;
}

work linear_measure(linear *run, const linear_request *request, lw_buf *body)
{
    work before = work_meter_read();
    fake_http *http = ask(run, request, body);
    work after = work_meter_read();
    fake_http_free(http);
    return (work){ after.blocks - before.blocks, after.bytes - before.bytes };
}

void linear_send(linear *run, const linear_request *request, lw_buf *body)
{
    fake_http *http = ask(run, request, body);
    if (http->status / 100 != 2) {
        (void)fprintf(stderr, "%s %s: %d %.*s\n", request->method, request->target, http->status,
                      http->body.len < 500 ? (int)http->body.len : 500, http->body.data);
        abort();
    }
    fake_http_free(http);
}

double linear_ratio(uint64_t small, uint64_t large)
{
    return small > 0 ? (double)large / (double)small : 0;
}

void linear_judge(linear *run, const char *name, work small, work large)
{
    double blocks = linear_ratio(small.blocks, large.blocks);
    double bytes = linear_ratio(small.bytes, large.bytes);
    run->compared++;
    if (blocks > run->worst) {
        run->worst = blocks;
        (void)snprintf(run->worst_name, sizeof(run->worst_name), "%s", name);
    }
    if (blocks <= LINEAR_RATIO_MAX && bytes <= LINEAR_BYTES_RATIO_MAX)
        return;
    if (run->failed++ < SHOWN_MAX)
        printf("# %s: %llu and %llu blocks (%.2f), %llu and %llu bytes (%.2f)\n", name,
               (unsigned long long)small.blocks, (unsigned long long)large.blocks, blocks,
               (unsigned long long)small.bytes, (unsigned long long)large.bytes, bytes);
}

void linear_compare(linear *run, const linear_request *request, const char *name, lw_buf *small,
                    lw_buf *large)
{
    work less = linear_measure(run, request, small);
    work more = linear_measure(run, request, large);
    linear_judge(run, name, less, more);
}
