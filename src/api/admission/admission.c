/* SPDX-License-Identifier: Apache-2.0 */
/* admission.c -- the stages of admission, in one table.
 *
 * A stage changes the object, adds field errors, or refuses; it does not depend on the other
 * stages. */
#include "api/admission/admission.h"

#include "api/admission/certificates.h"
#include "api/admission/limit_range.h"
#include "api/admission/mutating_policy.h"
#include "api/admission/node_restriction.h"
#include "api/admission/plugins.h"
#include "api/admission/pod_security.h"
#include "api/admission/service_account.h"
#include "api/admission/validating_policy.h"
#include "api/authz/escalation.h"
#include "api/http/failures.h"
#include "api/pending/metadata.h"
#include "api/pending/metadata_validation.h"
#include "api/warnings/value_warnings.h"
#include "base/clock.h"
#include "base/str.h"
#include "schema/kinds/definition.h"
#include "schema/kinds/kinds.h"
#include "schema/kinds/subresource.h"
#include "json/fields.h"

enum {
    ALL = LW_ADMIT_CREATE | LW_ADMIT_UPDATE | LW_ADMIT_STATUS | LW_ADMIT_FINALIZE |
          LW_ADMIT_APPROVAL | LW_ADMIT_PART,
    SPEC = ALL & ~(LW_ADMIT_STATUS | LW_ADMIT_APPROVAL), /* operations that may change the spec */
    WHOLE = SPEC & ~LW_ADMIT_PART,
    UPDATES = ALL & ~LW_ADMIT_CREATE,
};

/* What the subresource cannot change is what is stored. */
static bool keep_stored(lw_admission *admission)
{
    if (admission->strategy->keep_part)
        admission->strategy->keep_part(admission->object, admission->subresource);
    return true;
}

static bool prepare_metadata(lw_admission *admission)
{
    lw_pending_object *object = admission->object;
    if (admission->operation == LW_ADMIT_CREATE)
        lw_metadata_prepare_create(object, lw_clock_wall(object->port->api->clock));
    else if (admission->operation & (LW_ADMIT_STATUS | LW_ADMIT_APPROVAL))
        lw_metadata_prepare_status(object);
    else
        lw_metadata_prepare_update(object);
    return true;
}

static bool set_defaults(lw_admission *admission)
{
    if (admission->strategy->defaults)
        admission->strategy->defaults(admission->object);
    return true;
}

static bool set_status_defaults(lw_admission *admission)
{
    if (admission->strategy->status_defaults)
        admission->strategy->status_defaults(admission->object);
    return true;
}

/* Runs after defaulting, whose fields belong to the writer, and before the fields that the server
 * sets, which belong to no manager. */
static bool note_manager(lw_admission *admission)
{
    lw_pending_object *object = admission->object;
    if (admission->manager.is_apply)
        lw_fields_set_copy(object->tree, object->metadata, "managedFields", admission->managed);
    else
        lw_managed_note(object, &admission->manager);
    return true;
}

/* A new object that is sent to the collection has the name that it has now; one that has none gets
 * the generated one. */
static bool set_name(lw_admission *admission)
{
    lw_pending_object *object = admission->object;
    const lw_admission_request *request = &admission->request;
    bool is_named = lw_fields_text(object->metadata, "name").len > 0;
    if (request->is_unnamed && (is_named || !request->is_generated))
        return true;
    lw_fields_set_text(object->tree, object->metadata, "name", admission->name);
    return true;
}

static bool set_limit_range_defaults(lw_admission *admission)
{
    if (admission->object->kind == &lw_kind_pods &&
        lw_api_has_plugin(admission->object->port->api, LW_PLUGIN_LIMIT_RANGER))
        lw_limit_range_default(admission->object);
    return true;
}

static bool give_service_account(lw_admission *admission)
{
    lw_pending_object *object = admission->object;
    return object->kind != &lw_kind_pods || !object->port->api->admits_accounts ||
           lw_service_account_admits(object, admission->name, admission->status);
}

static bool prepare_create(lw_admission *admission)
{
    if (admission->strategy->create)
        admission->strategy->create(admission->object, &admission->errors);
    return true;
}

static bool prepare_update(lw_admission *admission)
{
    if (admission->strategy->update)
        admission->strategy->update(admission->object, &admission->errors);
    return true;
}

static bool prepare_subresource(lw_admission *admission)
{
    const lw_strategy *strategy = admission->strategy;
    if (admission->operation == LW_ADMIT_STATUS && strategy->status)
        strategy->status(admission->object, &admission->errors);
    if (admission->operation == LW_ADMIT_APPROVAL && strategy->approval)
        strategy->approval(admission->object, &admission->errors);
    return true;
}

static bool set_requester(lw_admission *admission)
{
    if (admission->object->kind == &lw_kind_certificatesigningrequests)
        lw_csr_set_requester(admission->object, admission->user);
    return true;
}

static bool count_generation(lw_admission *admission)
{
    lw_metadata_count_generation(admission->object);
    return true;
}

/* Refuses with 422 if there are field errors.  An object is not validated if memory ran out for it;
 * then the failure is reported. */
static bool refuse_invalid(lw_admission *admission)
{
    lw_pending_object *object = admission->object;
    const lw_api_status *errors = &admission->errors;
    if (lw_pending_object_state(object) < 0) {
        lw_api_status_of_failure(admission->status, lw_pending_object_state(object));
        return false;
    }
    if (errors->cause_count == 0 && errors->st == LW_OK)
        return true;
    lw_str name = lw_fields_text(object->metadata, "name");
    *admission->status = *errors;
    lw_api_status_init(&admission->errors);
    lw_api_status_complete_invalid(admission->status, lw_kind_gvk(object->kind),
                                   admission->request.is_unnamed ? name : admission->name);
    return false;
}

/* An object that its strategy could not prepare is not validated. */
static bool refuse_unprepared(lw_admission *admission)
{
    return admission->errors.cause_count == 0 || refuse_invalid(admission);
}

static bool validate_metadata(lw_admission *admission)
{
    lw_validate_metadata(admission->object, &admission->errors);
    return true;
}

static bool validate_metadata_update(lw_admission *admission)
{
    lw_validate_metadata_update(admission->object, &admission->errors);
    return true;
}

static bool validate_kind(lw_admission *admission)
{
    if (admission->strategy->validate)
        admission->strategy->validate(admission->object, &admission->errors);
    return true;
}

static bool validate_part(lw_admission *admission)
{
    if (admission->strategy->validate_part)
        admission->strategy->validate_part(admission->object, admission->subresource,
                                           &admission->errors);
    return true;
}

/* Validates a custom resource against its structural schema and rules. */
static bool validate_schema(lw_admission *admission)
{
    const lw_pending_object *object = admission->object;
    const lw_structural *schema = object->kind->custom ? object->kind->custom->schema : NULL;
    if (schema)
        lw_structural_validate(schema, object->root, object->old, lw_tree_budget(object->tree),
                               &admission->errors);
    return true;
}

static bool warn_of_values(lw_admission *admission)
{
    if (admission->call)
        lw_value_warnings(admission->call, admission->object,
                          admission->operation == LW_ADMIT_CREATE);
    return true;
}

static bool check_limit_ranges(lw_admission *admission)
{
    return !lw_api_has_plugin(admission->object->port->api, LW_PLUGIN_LIMIT_RANGER) ||
           lw_limit_range_admits(admission->object, admission->name, admission->status);
}

/* Whoever sends other metadata than is stored changes more than the garbage collector does: see
 * check_escalation. */
static bool compare_metadata(lw_admission *admission)
{
    const lw_pending_object *object = admission->object;
    if (lw_rbac_is_checked(object->kind))
        admission->keeps_metadata = lw_rbac_keeps_metadata(object->root, object->old);
    return true;
}

/* The name in the path of the request. */
static lw_str requested_name(const lw_admission *admission)
{
    return admission->call ? admission->call->route.name : admission->name;
}

static bool check_escalation(lw_admission *admission)
{
    const lw_pending_object *object = admission->object;
    if (!admission->user || !lw_rbac_is_checked(object->kind))
        return true;
    const lw_rbac_write write = { .user = admission->user,
                                  .stream = admission->stream,
                                  .kind = object->kind,
                                  .ns = lw_fields_text(object->metadata, "namespace"),
                                  .name = admission->name,
                                  .requested = requested_name(admission),
                                  .object = object->root,
                                  .old = object->old,
                                  .keeps_metadata = admission->keeps_metadata };
    return lw_rbac_admits(object->port->api->authz, &write, admission->status);
}

static bool check_certificates(lw_admission *admission)
{
    const lw_pending_object *object = admission->object;
    if (object->kind != &lw_kind_certificatesigningrequests)
        return true;
    const lw_api *api = object->port->api;
    switch (admission->operation) {
    case LW_ADMIT_CREATE:
        return !lw_api_has_plugin(api, LW_PLUGIN_CERTIFICATE_SUBJECT) ||
               lw_csr_admits_subject(object, admission->name, admission->status);
    case LW_ADMIT_APPROVAL:
        return !lw_api_has_plugin(api, LW_PLUGIN_CERTIFICATE_APPROVAL) ||
               lw_csr_admits_approval(admission);
    default:
        return !lw_api_has_plugin(api, LW_PLUGIN_CERTIFICATE_SIGNING) ||
               lw_csr_admits_signature(admission);
    }
}

/* True: no webhook has to be called. */
static bool pass_webhooks(lw_admission *admission, lw_hook_type type)
{
    bool is_refused = false;
    if (!admission->object->port->api->hooks)
        return true;
    admission->is_asking = lw_admission__has_hooks(admission, type, &is_refused);
    admission->hooks = type;
    return !admission->is_asking && !is_refused;
}

static bool pass_mutating_webhooks(lw_admission *admission)
{
    return pass_webhooks(admission, LW_HOOK_MUTATING);
}

static bool pass_validating_webhooks(lw_admission *admission)
{
    return pass_webhooks(admission, LW_HOOK_VALIDATING);
}

static lw_str subresource_name(const lw_admission *admission)
{
    switch (admission->operation) {
    case LW_ADMIT_STATUS: return LW_STR("status");
    case LW_ADMIT_FINALIZE: return LW_STR("finalize");
    case LW_ADMIT_APPROVAL: return LW_STR("approval");
    default: break;
    }
    const lw_subresource *sub = lw_subresources;
    while (sub->bit && sub->bit != admission->subresource)
        sub++;
    return sub->bit ? sub->name : LW_STR("");
}

/* The request as policies see it. */
static lw_policy_request policy_request(lw_admission *admission)
{
    const lw_pending_object *object = admission->object;
    bool is_namespace = object->kind == &lw_kind_namespaces;
    bool is_create = admission->operation == LW_ADMIT_CREATE;
    lw_str ns = lw_fields_text(object->metadata, "namespace");
    /* A generated name is the server's: the request has none. */
    lw_str prefix = lw_fields_text(object->metadata, "generateName");
    bool is_generated = is_create && prefix.len > 0 && lw_str_starts_with(admission->name, prefix);
    return (lw_policy_request){
        .port = object->port,
        .call = admission->call,
        .user = admission->user,
        .stream = admission->stream,
        .is_dry_run = admission->is_dry_run,
        .manager = admission->manager.name,
        .name = admission->name,
        .budget = lw_tree_budget(object->tree),
        .match = { .kind = object->kind,
                   .operation = is_create ? LW_OPERATION_CREATE : LW_OPERATION_UPDATE,
                   .subresource = subresource_name(admission),
                   .ns = is_namespace ? admission->name : ns,
                   .name = is_generated ? LW_STR("") : admission->name,
                   .object = object->root,
                   .old = is_create ? NULL : object->old },
    };
}

static void set_defaults_again(void *arg)
{
    (void)set_defaults(arg);
}

static bool mutate_by_policies(lw_admission *admission)
{
    lw_api_port *port = admission->object->port;
    if (admission->request.is_unasked || !lw_api_has_plugin(port->api, LW_PLUGIN_MUTATING_POLICY) ||
        !lw_policies_look(port, LW_POLICY_MUTATING))
        return true;
    lw_policy_request request = policy_request(admission);
    return lw_mutating_policies_admit(&request, admission->object,
                                      admission->operation & SPEC ? set_defaults_again : NULL,
                                      admission, admission->status);
}

static bool validate_by_policies(lw_admission *admission)
{
    lw_api_port *port = admission->object->port;
    if (admission->request.is_unasked ||
        !lw_api_has_plugin(port->api, LW_PLUGIN_VALIDATING_POLICY) ||
        !lw_policies_look(port, LW_POLICY_VALIDATING))
        return true;
    lw_policy_request request = policy_request(admission);
    return lw_validating_policies_admit(&request, admission->status);
}

static bool check_pod_security(lw_admission *admission)
{
    return !lw_api_has_plugin(admission->object->port->api, LW_PLUGIN_POD_SECURITY) ||
           lw_pod_security_admits(admission);
}

static const struct {
    const char *name;
    unsigned operations; /* LW_ADMIT_ bits; LW_ADMISSION_ bits: when it runs again */
    lw_budget_part part; /* for the budget of the request */
    bool visits_all;     /* its work grows with the whole object */
    bool (*run)(lw_admission *admission); /* false: refused, and admission->status has the reason */
} stages[] = {
    /* Mutating. */
    { "fields of other subresources", LW_ADMIT_PART, LW_BUDGET_DEFAULTS, true, keep_stored },
    { "metadata as it was sent", LW_ADMIT_UPDATE, LW_BUDGET_DEFAULTS, false, compare_metadata },
    { "metadata", ALL | LW_ADMISSION_PATCHED, LW_BUDGET_DEFAULTS, false, prepare_metadata },
    { "defaults of the kind", SPEC | LW_ADMISSION_PATCHED, LW_BUDGET_DEFAULTS, true, set_defaults },
    { "defaults of the status", LW_ADMIT_STATUS, LW_BUDGET_DEFAULTS, false, set_status_defaults },
    { "managed fields", ALL, LW_BUDGET_MANAGED_FIELDS, true, note_manager },
    { "generated name", LW_ADMIT_CREATE | LW_ADMISSION_PATCHED, LW_BUDGET_DEFAULTS, false,
      set_name },
    /* Before the defaults of others: what a mirror pod refers to is the node's doing. */
    { "node restriction", ALL, LW_BUDGET_VALIDATION, false, lw_node_restriction_admit },
    { "defaults of limit ranges", LW_ADMIT_CREATE | LW_ADMISSION_REINVOKED, LW_BUDGET_DEFAULTS,
      false, set_limit_range_defaults },
    { "service account of a pod", LW_ADMIT_CREATE | LW_ADMISSION_REINVOKED, LW_BUDGET_DEFAULTS,
      false, give_service_account },
    { "plugins that change the object", LW_ADMIT_CREATE | LW_ADMISSION_REINVOKED,
      LW_BUDGET_DEFAULTS, false, lw_plugins_mutate },
    { "mutating admission policies", ALL, LW_BUDGET_DEFAULTS, false, mutate_by_policies },
    { "mutating webhooks", ALL, LW_BUDGET_DEFAULTS, false, pass_mutating_webhooks },
    { "escalation by roles and bindings", WHOLE, LW_BUDGET_VALIDATION, false, check_escalation },
    { "creation by the kind's strategy", LW_ADMIT_CREATE, LW_BUDGET_DEFAULTS, true,
      prepare_create },
    { "update by the kind's strategy", LW_ADMIT_UPDATE, LW_BUDGET_DEFAULTS, true, prepare_update },
    { "update of a subresource by the kind's strategy", LW_ADMIT_STATUS | LW_ADMIT_APPROVAL,
      LW_BUDGET_DEFAULTS, true, prepare_subresource },
    { "requester of certificate signing requests", LW_ADMIT_CREATE, LW_BUDGET_DEFAULTS, false,
      set_requester },
    { "generation", LW_ADMIT_UPDATE | LW_ADMIT_FINALIZE | LW_ADMIT_PART, LW_BUDGET_DEFAULTS, true,
      count_generation },
    { "prepared", ALL, LW_BUDGET_DEFAULTS, false, refuse_unprepared },
    /* Validating. */
    { "validation of metadata", ALL, LW_BUDGET_VALIDATION, false, validate_metadata },
    { "validation of metadata that cannot change", UPDATES, LW_BUDGET_VALIDATION, false,
      validate_metadata_update },
    { "validation by the kind's strategy", WHOLE, LW_BUDGET_VALIDATION, true, validate_kind },
    { "validation of a part by the kind's strategy", LW_ADMIT_PART, LW_BUDGET_VALIDATION, true,
      validate_part },
    { "validation by schema", ALL, LW_BUDGET_VALIDATION, false, validate_schema },
    { "valid", ALL, LW_BUDGET_VALIDATION, false, refuse_invalid },
    { "warnings about values", LW_ADMIT_CREATE | LW_ADMIT_UPDATE, LW_BUDGET_VALIDATION, true,
      warn_of_values },
    { "certificate signing requests", LW_ADMIT_CREATE | LW_ADMIT_STATUS | LW_ADMIT_APPROVAL,
      LW_BUDGET_VALIDATION, true, check_certificates },
    { "plugins that check the object", LW_ADMIT_CREATE | LW_ADMIT_UPDATE, LW_BUDGET_VALIDATION,
      true, lw_plugins_validate },
    { "limit ranges", LW_ADMIT_CREATE | LW_ADMIT_UPDATE, LW_BUDGET_VALIDATION, false,
      check_limit_ranges },
    { "pod security", LW_ADMIT_CREATE | LW_ADMIT_UPDATE | LW_ADMIT_PART, LW_BUDGET_VALIDATION,
      false, check_pod_security },
    { "validating admission policies", ALL, LW_BUDGET_VALIDATION, false, validate_by_policies },
    { "validating webhooks", ALL, LW_BUDGET_VALIDATION, false, pass_validating_webhooks },
};

enum {
    STAGES = sizeof(stages) / sizeof(stages[0]),
};

/* The budget of the request is over, and whatever the stages have done is worthless. */
static bool refuse_work(lw_admission *admission)
{
    lw_api_status_of_failure(admission->status, LW_ERR_LIMIT);
    return false;
}

/* Runs one stage; false: refused, or it asks. */
static bool run_stage(lw_admission *admission, size_t i)
{
    if (!(stages[i].operations & (unsigned)admission->operation))
        return true;
    return lw_pending_object_begin(admission->object, stages[i].part, stages[i].visits_all)
               ? stages[i].run(admission)
               : refuse_work(admission);
}

lw_admission_result lw_admission_run(lw_admission *admission)
{
    bool is_admitted = true;
    if (admission->next == 0) {
        lw_api_status_init(&admission->errors);
        admission->strategy = lw_strategy_of(admission->object->kind);
    }
    while (is_admitted && admission->next < STAGES)
        is_admitted = run_stage(admission, admission->next++);
    if (admission->is_asking)
        return LW_ADMISSION_ASKS;
    lw_api_status_done(&admission->errors);
    return is_admitted ? LW_ADMISSION_ADMITTED : LW_ADMISSION_REFUSED;
}

bool lw_admission__run_again(lw_admission *admission, unsigned why)
{
    bool is_admitted = true;
    for (size_t i = 0; is_admitted && i < STAGES; i++) {
        if (stages[i].operations & why)
            is_admitted = run_stage(admission, i);
    }
    return is_admitted;
}

void lw_admission_cancel(lw_admission *admission)
{
    lw_hook_run_cancel(admission->run);
    admission->run = NULL;
    lw_api_status_done(&admission->errors);
}
