/* SPDX-License-Identifier: Apache-2.0 */
/* audit_scenarios.c -- auditing with every allocation failing in turn: a policy is read completely
 * or not at all; a request is recorded, or counted as not recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/context/port.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "oom/api_scene.h"
#include "oom/oom.h"
#include "server/audit/audit.h"
#include "support/fake_http.h"

#define POLICY                                                                                     \
    "{\"apiVersion\":\"audit.k8s.io/v1\",\"kind\":\"Policy\",\"omitManagedFields\":true,"          \
    "\"rules\":[{\"level\":\"None\",\"users\":[\"somebody-else\"],\"resources\":[{\"group\":"      \
    "\"apps\",\"resources\":[\"deployments\"],\"resourceNames\":[\"a-long-name\"]}]},"             \
    "{\"level\":\"RequestResponse\"}]}"

static lw_status wrong(lw_error *err, const char *what)
{
    return lw_error_set(err, LW_ERR_INTERNAL, "wrong: %s", what);
}

static const lw_user jane = { .name = LW_STR_INIT("jane") };

static lw_status reads_a_policy(lw_error *err)
{
    lw_audit_policy *policy = NULL;
    const lw_authz_attributes attributes = { .user = &jane, .verb = LW_STR("get") };
    lw_status st = lw_audit_policy_parse(&policy, LW_STR(POLICY), err);
    if (st == LW_OK &&
        lw_audit_policy_decide(policy, &attributes).level != LW_AUDIT_REQUEST_RESPONSE)
        st = wrong(err, "the level");
    lw_audit_policy_free(policy);
    return st;
}

/* Writes the policy to a file whose name is put into |path|. */
static lw_status write_policy(char *path, lw_error *err)
{
    int fd = mkstemp(path);
    if (fd < 0)
        return wrong(err, "no temporary file");
    bool is_written = write(fd, POLICY, strlen(POLICY)) == (ssize_t)strlen(POLICY);
    (void)close(fd);
    return is_written ? LW_OK : wrong(err, "the temporary file");
}

static lw_status open_audit(lw_audit **out, lw_error *err)
{
    char path[] = "/tmp/listwatch-oom-XXXXXX";
    const lw_audit_options options = {
        .policy_file = path,
        .sink = { .log = { .path = "/dev/null", .clock = lw_clock_system() },
                  .mode = LW_AUDIT_BLOCKING }, /* allocations fail in one thread only */
    };
    lw_status st = write_policy(path, err);
    if (st == LW_OK)
        st = lw_audit_new(out, &options, err);
    (void)unlink(path);
    return st;
}

/* Serves one request; its events must be in the log, or counted. */
static lw_status serve(api_scene *s, lw_audit *audit, const fake_http_request *request,
                       size_t events, lw_error *err)
{
    lw_audit_stats before, after;
    lw_api_port *port = lw_loop_data(s->loop);
    fake_http *http = fake_http_new(s->loop, request);
    if (!http)
        return lw_error_nomem(err);
    lw_audit_read_stats(audit, &before);
    bool goes_on = lw_audit_begin(audit, &http->stream, &jane, &port->random);
    lw_audit_authorize(&http->stream, NULL, &jane);
    if (goes_on)
        (void)lw_api_serve(s->api, &http->stream, &jane);
    for (int i = 0; i < 20; i++)
        (void)lw_loop_turn(s->loop, 0, NULL);
    bool is_complete = !http->is_aborted && http->status != 500 && http->status != 0 &&
                       http->body.st == LW_OK && http->headers.st == LW_OK;
    fake_http_free(http);
    lw_audit_read_stats(audit, &after);
    if (!goes_on)
        return wrong(err, "a request is refused without the strict mode");
    if (!is_complete || after.sink.failed > before.sink.failed)
        return lw_error_nomem(err);
    return after.events - before.events == events ? LW_OK : wrong(err, "an event is missing");
}

static lw_status audits_requests(lw_error *err)
{
    static const fake_http_request requests[] = {
        { .method = "GET", .target = "/api/v1/namespaces/a%20b/configmaps/x" },
        { .method = "GET",
          .target = "/api/v1/configmaps",
          .headers = { "accept", "application/yaml", "user-agent", "test" } },
        { .method = "POST",
          .target = "/api/v1/namespaces/none/configmaps",
          .headers = { "content-type", "application/yaml" },
          .body = LW_STR_INIT("{kind: ConfigMap, apiVersion: v1, metadata: {name: x}}") },
    };
    api_scene s;
    lw_audit *audit = NULL;
    api_scene_init(&s);
    s.ops.submit = api_scene_submit;
    lw_status st = api_scene_begin(&s, err);
    if (st == LW_OK)
        st = open_audit(&audit, err);
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]) && st == LW_OK; i++)
        st = serve(&s, audit, &requests[i], 2, err);
    api_scene_end(&s);
    lw_audit_free(audit);
    return st;
}

const oom_scenario audit_scenarios[] = {
    { "reads_a_policy", reads_a_policy },
    { "audits_requests", audits_requests },
};
const size_t audit_scenario_count = sizeof(audit_scenarios) / sizeof(audit_scenarios[0]);
