/* SPDX-License-Identifier: Apache-2.0 */
/* subresource.c -- the table of subresources. */
#include "schema/kinds/subresource.h"

enum {
    VERBS_PART = LW_VERB_GET | LW_VERB_PATCH | LW_VERB_UPDATE,
    VERBS_STREAM = LW_VERB_CREATE | LW_VERB_GET,
    VERBS_PROXY = LW_VERB_CREATE | LW_VERB_DELETE | LW_VERB_GET | LW_VERB_PATCH | LW_VERB_UPDATE,
};

/* A kind of the core group. */
#define CORE(name)                                                                                 \
    {                                                                                              \
        .version = LW_STR_INIT("v1"), .kind = LW_STR_INIT(name)                                    \
    }

const lw_subresource lw_subresources[] = {
    { .bit = LW_SUB_APPROVAL, .name = LW_STR_INIT("approval"), .verbs = VERBS_PART },
    { LW_SUB_ATTACH, LW_STR_INIT("attach"), VERBS_STREAM, CORE("PodAttachOptions") },
    { LW_SUB_BINDING,
      LW_STR_INIT("binding"),
      LW_VERB_CREATE,
      { .version = LW_STR_INIT("v1"), .kind = LW_STR_INIT("Binding") } },
    { .bit = LW_SUB_EPHEMERALCONTAINERS,
      .name = LW_STR_INIT("ephemeralcontainers"),
      .verbs = VERBS_PART },
    { LW_SUB_EVICTION,
      LW_STR_INIT("eviction"),
      LW_VERB_CREATE,
      { LW_STR_INIT("policy"), LW_STR_INIT("v1"), LW_STR_INIT("Eviction") } },
    { LW_SUB_EXEC, LW_STR_INIT("exec"), VERBS_STREAM, CORE("PodExecOptions") },
    { .bit = LW_SUB_FINALIZE, .name = LW_STR_INIT("finalize"), .verbs = LW_VERB_UPDATE },
    { .bit = LW_SUB_LOG, .name = LW_STR_INIT("log"), .verbs = LW_VERB_GET },
    { LW_SUB_PORTFORWARD, LW_STR_INIT("portforward"), VERBS_STREAM, CORE("PodPortForwardOptions") },
    { LW_SUB_NODE_PROXY, LW_STR_INIT("proxy"), VERBS_PROXY, CORE("NodeProxyOptions") },
    { LW_SUB_POD_PROXY, LW_STR_INIT("proxy"), VERBS_PROXY, CORE("PodProxyOptions") },
    { LW_SUB_SERVICE_PROXY, LW_STR_INIT("proxy"), VERBS_PROXY, CORE("ServiceProxyOptions") },
    { .bit = LW_SUB_RESIZE, .name = LW_STR_INIT("resize"), .verbs = VERBS_PART },
    { LW_SUB_SCALE,
      LW_STR_INIT("scale"),
      VERBS_PART,
      { LW_STR_INIT("autoscaling"), LW_STR_INIT("v1"), LW_STR_INIT("Scale") } },
    { .bit = LW_SUB_STATUS, .name = LW_STR_INIT("status"), .verbs = VERBS_PART },
    { LW_SUB_TOKEN,
      LW_STR_INIT("token"),
      LW_VERB_CREATE,
      { LW_STR_INIT("authentication.k8s.io"), LW_STR_INIT("v1"), LW_STR_INIT("TokenRequest") } },
    { .bit = 0 },
};

lw_gvk lw_subresource_gvk(const lw_subresource *sub, const lw_kind *kind)
{
    const lw_gvk own = { kind->group, kind->version, kind->kind };
    return sub->gvk.kind.len > 0 ? sub->gvk : own;
}
