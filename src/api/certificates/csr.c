/* SPDX-License-Identifier: Apache-2.0 */
/* csr.c -- approves and signs certificate signing requests, and says when they are deleted. */
#include "api/certificates/csr.h"

#include "api/authz/authz.h"
#include "api/certificates/signer.h"
#include "api/pending/metadata.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "base/text/time_text.h"
#include "crypto/certificate_authority.h"
#include "json/fields.h"

enum {
    USAGES_MAX = 64,
    TTL_MIN_S = 10 * 60,
};

#define DECIDED_NS (3600 * LW_NS_PER_S)
#define PENDING_NS (24 * DECIDED_NS)

static const lw_node *find_condition(const lw_node *root, const char *type)
{
    const lw_node *conditions = lw_fields_find(root, "/status/conditions");
    for (size_t i = 0; i < lw_node_count(conditions); i++) {
        const lw_node *condition = lw_node_at(conditions, i);
        if (lw_str_equal(lw_fields_text(condition, "type"), lw_str_of(type)))
            return condition;
    }
    return NULL;
}

static lw_str certificate_of(const lw_node *root)
{
    return lw_fields_text_at(root, "/status/certificate");
}

static const lw_node *usages_of(const lw_node *root)
{
    return lw_fields_find(root, "/spec/usages");
}

/* Appends a condition, which is a new one, with its members in the order of Kubernetes. */
static void add_condition(lw_pending_object *pending, const char *type, const char *reason,
                          lw_str message)
{
    lw_tree *tree = pending->tree;
    lw_node *status = lw_fields_object(tree, pending->root, "status");
    lw_node *conditions = lw_node_get(status, LW_STR("conditions"));
    lw_node *condition = lw_tree_object(tree);
    int64_t wall_ns = lw_clock_wall(pending->port->api->clock);
    if (!lw_node_is(conditions, LW_JSON_ARRAY)) {
        conditions = lw_tree_array(tree);
        lw_node_put(tree, status, LW_STR("conditions"), conditions);
    }
    lw_fields_set_text(tree, condition, "type", lw_str_of(type));
    lw_fields_set_text(tree, condition, "status", LW_STR("True"));
    lw_fields_set_text(tree, condition, "reason", lw_str_of(reason));
    lw_fields_set_text(tree, condition, "message", message);
    lw_metadata_set_time(pending, condition, "lastUpdateTime", wall_ns);
    lw_metadata_set_time(pending, condition, "lastTransitionTime", wall_ns);
    lw_node_append(tree, conditions, condition);
}

/* Whether the requester may create |subresource| of requests.  Authorizers do not look at the extra
 * attributes of users, so they are left out. */
static bool is_allowed(const lw_pending_object *pending, const char *subresource)
{
    lw_str groups[LW_USER_GROUPS_MAX];
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *list = lw_node_get(spec, LW_STR("groups"));
    lw_user user = { .name = lw_fields_text(spec, "username"),
                     .uid = lw_fields_text(spec, "uid"),
                     .groups = groups };
    for (size_t i = 0; i < lw_node_count(list) && i < LW_USER_GROUPS_MAX; i++)
        groups[user.group_count++] = lw_node_text(lw_node_at(list, i));
    const lw_authz_attributes attributes = { .user = &user,
                                             .verb = LW_STR("create"),
                                             .is_resource = true,
                                             .group = LW_STR("certificates.k8s.io"),
                                             .version = LW_STR("*"),
                                             .resource = LW_STR("certificatesigningrequests"),
                                             .subresource = lw_str_of(subresource) };
    return lw_authz_allows(pending->port->api->authz, &attributes);
}

/* Approves client certificates of kubelets whose requester has the permission. */
static lw_csr_step approve(lw_pending_object *pending, const lw_signer *signer,
                           const lw_certificate_request *request)
{
    static const struct {
        const char *subresource, *message;
    } permissions[] = {
        { "selfnodeclient",
          "Auto approving self kubelet client certificate after SubjectAccessReview." },
        { "nodeclient", "Auto approving kubelet client certificate after SubjectAccessReview." },
    };
    lw_str username = lw_fields_text_at(pending->root, "/spec/username");
    bool is_own = lw_str_equal(username, lw_certificate_request_common_name(request));
    if (!lw_signer_is_kubelet_client(signer) ||
        !lw_signer_accepts(signer, request, usages_of(pending->root), NULL))
        return LW_CSR_NOTHING;
    for (size_t i = is_own ? 0 : 1; i < sizeof(permissions) / sizeof(permissions[0]); i++) {
        if (!is_allowed(pending, permissions[i].subresource))
            continue;
        add_condition(pending, "Approved", "AutoApproved", lw_str_of(permissions[i].message));
        return LW_CSR_CHANGED;
    }
    return LW_CSR_RETRY;
}

/* The lifetime that was asked for, within limits. */
static int64_t ttl_of(const lw_pending_object *pending)
{
    int64_t max_s = pending->port->api->certificate_ttl_s;
    int64_t ttl_s =
        lw_fields_int(lw_node_get(pending->root, LW_STR("spec")), "expirationSeconds", max_s);
    ttl_s = ttl_s < TTL_MIN_S ? TTL_MIN_S : ttl_s;
    return ttl_s > max_s ? max_s : ttl_s;
}

static lw_status issue(const lw_pending_object *pending, const lw_certificate_request *request,
                       lw_buf *pem, lw_error *err)
{
    lw_str usages[USAGES_MAX];
    const lw_api *api = pending->port->api;
    const lw_node *list = usages_of(pending->root);
    lw_certificate_terms terms = { .usages = usages,
                                   .now_s = lw_clock_wall(api->clock) / LW_NS_PER_S,
                                   .ttl_s = ttl_of(pending) };
    for (size_t i = 0; i < lw_node_count(list) && i < USAGES_MAX; i++)
        usages[terms.usage_count++] = lw_node_text(lw_node_at(list, i));
    return lw_certificate_authority_sign(api->certificate_authority, request, &terms, pem, err);
}

static void set_certificate(lw_pending_object *pending, lw_str pem)
{
    lw_buf base64;
    lw_buf_init(&base64, 2 * LW_CERTIFICATE_REQUEST_MAX);
    lw_base64_encode(&base64, pem);
    if (base64.st < 0)
        lw_pending_object_note(pending, base64.st);
    else
        lw_fields_set_text(pending->tree, lw_fields_object(pending->tree, pending->root, "status"),
                           "certificate", lw_buf_view(&base64));
    lw_buf_done(&base64);
}

static lw_csr_step sign(lw_pending_object *pending, const lw_signer *signer,
                        const lw_certificate_request *request)
{
    lw_error err = LW_ERROR_INIT;
    lw_csr_step step = LW_CSR_CHANGED;
    const lw_api *api = pending->port->api;
    lw_str name = lw_fields_text(pending->metadata, "name");
    lw_buf text;
    if (!api->certificate_authority)
        return LW_CSR_NOTHING;
    lw_buf_init(&text, LW_CERTIFICATE_REQUEST_MAX);
    if (!lw_signer_accepts(signer, request, usages_of(pending->root), &text)) {
        add_condition(pending, "Failed", "SignerValidationFailure", lw_buf_view(&text));
    } else if (issue(pending, request, &text, &err) == LW_OK) {
        set_certificate(pending, lw_buf_view(&text));
        lw_log(api->logger, LW_LOG_INFO, "certificates",
               "signed certificate signing request %.*s: subject %.*s", LW_STR_ARG(name),
               LW_STR_ARG(lw_certificate_request_common_name(request)));
    } else {
        lw_log(api->logger, LW_LOG_WARN, "certificates",
               "cannot sign certificate signing request %.*s: %s", LW_STR_ARG(name), err.message);
        step = LW_CSR_RETRY;
    }
    lw_buf_done(&text);
    return step;
}

lw_csr_step lw_csr_advance(lw_pending_object *pending)
{
    const lw_node *root = pending->root, *spec = lw_node_get(root, LW_STR("spec"));
    bool is_approved = find_condition(root, "Approved") != NULL;
    lw_certificate_request *request = NULL;
    const lw_signer *signer = lw_signer_find(lw_fields_text(spec, "signerName"));
    if (!signer || certificate_of(root).len > 0 || find_condition(root, "Denied") ||
        find_condition(root, "Failed"))
        return LW_CSR_NOTHING;
    lw_status st = lw_certificate_request_read(&request, lw_fields_text(spec, "request"), NULL);
    if (st == LW_ERR_NOMEM)
        lw_pending_object_note(pending, st);
    if (st < 0)
        return LW_CSR_NOTHING;
    lw_csr_step step =
        is_approved ? sign(pending, signer, request) : approve(pending, signer, request);
    lw_certificate_request_free(request);
    return step;
}

/* Takes |after_ns| after the time |text|, if that is earlier. */
static void take_earlier(lw_str text, int64_t after_ns, int64_t *earliest_ns)
{
    lw_time time;
    int64_t ns = 0;
    if (lw_time_parse(text, &time) && lw_time_to_ns(time, &ns) && ns < *earliest_ns - after_ns)
        *earliest_ns = ns + after_ns;
}

int64_t lw_csr_expiry_ns(const lw_node *root)
{
    static const char *const ends[] = { "Denied", "Failed" };
    lw_str certificate = certificate_of(root);
    const lw_node *approved = find_condition(root, "Approved");
    int64_t expiry_ns = INT64_MAX, certificate_s = 0;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        const lw_node *end = find_condition(root, ends[i]);
        if (end)
            take_earlier(lw_fields_text(end, "lastUpdateTime"), DECIDED_NS, &expiry_ns);
    }
    if (approved)
        take_earlier(lw_fields_text(approved, "lastUpdateTime"),
                     certificate.len > 0 ? DECIDED_NS : PENDING_NS, &expiry_ns);
    if (approved && certificate.len > 0 &&
        lw_certificate_check(certificate, &certificate_s, NULL) == LW_OK &&
        certificate_s < expiry_ns / LW_NS_PER_S)
        expiry_ns = certificate_s * LW_NS_PER_S;
    if (lw_node_count(lw_fields_find(root, "/status/conditions")) == 0)
        take_earlier(lw_fields_text_at(root, "/metadata/creationTimestamp"), PENDING_NS,
                     &expiry_ns);
    return expiry_ns;
}
