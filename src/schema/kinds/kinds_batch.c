/* SPDX-License-Identifier: Apache-2.0 */
/* kinds_batch.c -- work that ends (batch), and what watches over workloads (autoscaling, policy).
 */
#include "schema/kinds/kinds.h"
#include "schema/printers/printers.h"

static const lw_field_label job_fields[] = {
    { .label = LW_STR_INIT("status.successful"), .pointer = "/status/succeeded", .fallback = "0" },
    { .label = { NULL, 0 } },
};

const lw_kind lw_kind_horizontalpodautoscalers = {
    .group = LW_STR_INIT("autoscaling"),
    .version = LW_STR_INIT("v2"),
    .kind = LW_STR_INIT("HorizontalPodAutoscaler"),
    .list_kind = LW_STR_INIT("HorizontalPodAutoscalerList"),
    .plural = LW_STR_INIT("horizontalpodautoscalers"),
    .singular = LW_STR_INIT("horizontalpodautoscaler"),
    .storage = LW_STR_INIT("horizontalpodautoscalers"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_STATUS,
    .flags = LW_KIND_GENERATION,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("hpa"), { NULL, 0 } },
    .categories = lw_category_all,
    .columns = lw_table_columns_horizontalpodautoscaler,
    .empty_members =
        LW_STR_INIT(",\"spec\":{\"scaleTargetRef\":{\"kind\":\"\",\"name\":\"\"},\"maxReplicas\":0}"
                    ",\"status\":{\"desiredReplicas\":0,\"currentMetrics\":null}"),
};

const lw_kind lw_kind_cronjobs = {
    .group = LW_STR_INIT("batch"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("CronJob"),
    .list_kind = LW_STR_INIT("CronJobList"),
    .plural = LW_STR_INIT("cronjobs"),
    .singular = LW_STR_INIT("cronjob"),
    .storage = LW_STR_INIT("cronjobs"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_STATUS,
    .flags = LW_KIND_GENERATION,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("cj"), { NULL, 0 } },
    .categories = lw_category_all,
    .columns = lw_table_columns_cronjob,
    .empty_members = LW_STR_INIT(
        ",\"spec\":{\"schedule\":\"\",\"jobTemplate\":{\"metadata\":{},\"spec\":{\"template\":{"
        "\"metadata\":{},\"spec\":{\"containers\":null}}}}},\"status\":{}"),
};

const lw_kind lw_kind_jobs = {
    .group = LW_STR_INIT("batch"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("Job"),
    .list_kind = LW_STR_INIT("JobList"),
    .plural = LW_STR_INIT("jobs"),
    .singular = LW_STR_INIT("job"),
    .storage = LW_STR_INIT("jobs"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_STATUS,
    .flags = LW_KIND_GENERATION,
    .name_rule = LW_NAME_SUBDOMAIN,
    .categories = lw_category_all,
    .fields = job_fields,
    .columns = lw_table_columns_job,
    .empty_members = LW_STR_INIT(
        ",\"spec\":{\"template\":{\"metadata\":{},\"spec\":{\"containers\":null}}},\"status\":{}"),
};

const lw_kind lw_kind_poddisruptionbudgets = {
    .group = LW_STR_INIT("policy"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("PodDisruptionBudget"),
    .list_kind = LW_STR_INIT("PodDisruptionBudgetList"),
    .plural = LW_STR_INIT("poddisruptionbudgets"),
    .singular = LW_STR_INIT("poddisruptionbudget"),
    .storage = LW_STR_INIT("poddisruptionbudgets"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_STATUS,
    .flags = LW_KIND_GENERATION | LW_KIND_CONDITIONAL,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("pdb"), { NULL, 0 } },
    .columns = lw_table_columns_poddisruptionbudget,
    .empty_members = LW_STR_INIT(",\"spec\":{},\"status\":{\"disruptionsAllowed\":0,"
                                 "\"currentHealthy\":0,\"desiredHealthy\":0,\"expectedPods\":0}"),
};
