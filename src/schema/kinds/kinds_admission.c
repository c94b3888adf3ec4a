/* SPDX-License-Identifier: Apache-2.0 */
/* kinds_admission.c -- what comes between a request and the store: webhooks, flow control.
 *
 * They are kept, so that what brings them along can be installed; nobody acts on them. */
#include "schema/kinds/kinds.h"
#include "schema/printers/printers.h"

static const lw_str api_extensions[] = { LW_STR_INIT("api-extensions"), { NULL, 0 } };

const lw_kind lw_kind_mutatingwebhookconfigurations = {
    .group = LW_STR_INIT("admissionregistration.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("MutatingWebhookConfiguration"),
    .list_kind = LW_STR_INIT("MutatingWebhookConfigurationList"),
    .plural = LW_STR_INIT("mutatingwebhookconfigurations"),
    .singular = LW_STR_INIT("mutatingwebhookconfiguration"),
    .storage = LW_STR_INIT("mutatingwebhookconfigurations"),
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_GENERATION | LW_KIND_CONDITIONAL,
    .name_rule = LW_NAME_SUBDOMAIN,
    .categories = api_extensions,
    .columns = lw_table_columns_webhookconfiguration,
};

const lw_kind lw_kind_validatingwebhookconfigurations = {
    .group = LW_STR_INIT("admissionregistration.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("ValidatingWebhookConfiguration"),
    .list_kind = LW_STR_INIT("ValidatingWebhookConfigurationList"),
    .plural = LW_STR_INIT("validatingwebhookconfigurations"),
    .singular = LW_STR_INIT("validatingwebhookconfiguration"),
    .storage = LW_STR_INIT("validatingwebhookconfigurations"),
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_GENERATION | LW_KIND_CONDITIONAL,
    .name_rule = LW_NAME_SUBDOMAIN,
    .categories = api_extensions,
    .columns = lw_table_columns_webhookconfiguration,
};

const lw_kind lw_kind_flowschemas = {
    .group = LW_STR_INIT("flowcontrol.apiserver.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("FlowSchema"),
    .list_kind = LW_STR_INIT("FlowSchemaList"),
    .plural = LW_STR_INIT("flowschemas"),
    .singular = LW_STR_INIT("flowschema"),
    .storage = LW_STR_INIT("flowschemas"),
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_STATUS,
    .flags = LW_KIND_GENERATION,
    .name_rule = LW_NAME_SUBDOMAIN,
    .columns = lw_table_columns_flowschema,
    .empty_members = LW_STR_INIT(",\"spec\":{\"priorityLevelConfiguration\":{\"name\":\"\"},"
                                 "\"matchingPrecedence\":0},\"status\":{}"),
};

const lw_kind lw_kind_prioritylevelconfigurations = {
    .group = LW_STR_INIT("flowcontrol.apiserver.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("PriorityLevelConfiguration"),
    .list_kind = LW_STR_INIT("PriorityLevelConfigurationList"),
    .plural = LW_STR_INIT("prioritylevelconfigurations"),
    .singular = LW_STR_INIT("prioritylevelconfiguration"),
    .storage = LW_STR_INIT("prioritylevelconfigurations"),
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_STATUS,
    .flags = LW_KIND_GENERATION,
    .name_rule = LW_NAME_SUBDOMAIN,
    .columns = lw_table_columns_prioritylevel,
    .empty_members = LW_STR_INIT(",\"spec\":{\"type\":\"\"},\"status\":{}"),
};
