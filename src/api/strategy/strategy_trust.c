/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_trust.c -- validation of cluster trust bundles and certificate requests of pods. */
#include "api/strategy/strategy_trust.h"

#include <stdio.h>
#include <string.h>

#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "api/strategy/strategy.h"
#include "base/str.h"
#include "crypto/trust_bundle.h"
#include "object/quote.h"
#include "json/fields.h"

enum {
    FIELD_SIZE = 64,
    DETAIL_MAX = 4096,
    SIGNER_PATH_MAX = LW_NAME_SUBDOMAIN_MAX + LW_NAME_LABEL_MAX + 1,
    EXPIRATION_MIN_S = 3600,
    EXPIRATION_MAX_S = 91 * 24 * 3600,
    EXPIRATION_DEFAULT_S = 24 * 3600,
};

#define NO_RULE                                                                                    \
    {                                                                                              \
        NULL, LW_VALUE_REQUIRED, NULL                                                              \
    }

/* Adds the first problem of a part of |segment|: validating label "a_b": ... */
static bool check_part(lw_str segment, lw_str part, bool is_domain, lw_api_status *errors)
{
    lw_name_problems problems;
    bool is_good = is_domain ? lw_name_is_dns1123_label(part, &problems)
                             : lw_name_is_dns1123_subdomain(part, &problems);
    for (size_t i = 0; !is_good && i < problems.count; i++) {
        lw_buf detail;
        lw_buf_init(&detail, DETAIL_MAX);
        lw_buf_append_text(&detail, "validating label ");
        lw_quote_append(&detail, part);
        lw_buf_printf(&detail, ": %s", problems.text[i]);
        lw_api_status_add_field_error(errors, LW_FIELD_INVALID, LW_STR("spec.signerName"), segment,
                                      lw_buf_view(&detail));
        lw_buf_done(&detail);
    }
    return is_good;
}

/* Checks the parts of |segment| between dots, up to the first wrong one.  Returns how many parts
 * there are. */
static size_t check_parts(lw_str segment, bool is_domain, lw_api_status *errors)
{
    size_t count = 0;
    bool goes_on = true, is_good = true;
    lw_str part, rest = segment;
    while (goes_on) {
        goes_on = lw_str_cut(rest, '.', &part, &rest);
        is_good = is_good && check_part(segment, part, is_domain, errors);
        count++;
    }
    return count;
}

static void check_length(lw_str segment, size_t max, lw_api_status *errors)
{
    char detail[FIELD_SIZE];
    if (segment.len <= max)
        return;
    (void)snprintf(detail, sizeof(detail), "may not be more than %zu bytes", max);
    lw_api_status_add_field_error(errors, LW_FIELD_TOO_LONG, LW_STR("spec.signerName"), LW_STR(""),
                                  lw_str_of(detail));
}

void lw_signer_name_validate(lw_str name, lw_api_status *errors)
{
    static const char field[] = "spec.signerName";
    lw_str domain, path;
    if (name.len == 0) {
        lw_field_error_required(errors, field, "");
        return;
    }
    if (!lw_str_cut(name, '/', &domain, &path) || memchr(path.ptr, '/', path.len)) {
        lw_field_error_invalid(errors, field, name,
                               "must be a fully qualified domain and path of the form "
                               "'example.com/signer-name'");
        return;
    }
    check_length(domain, LW_NAME_SUBDOMAIN_MAX, errors);
    if (check_parts(domain, true, errors) < 2)
        lw_field_error_invalid(errors, field, domain,
                               "should be a domain with at least two segments separated by dots");
    (void)check_parts(path, false, errors);
    check_length(path, SIGNER_PATH_MAX, errors);
}

/* The name begins with that of the signer; the rest is a subdomain. */
static void check_bundle_name(lw_str name, lw_str signer, lw_api_status *errors)
{
    static const char field[] = "metadata.name";
    char prefix[DETAIL_MAX], detail[DETAIL_MAX];
    lw_name_problems problems = { 0 };
    const lw_field_path at = lw_field_path_in(NULL, lw_str_of(field));
    if (signer.len == 0 && name.len > 0 && memchr(name.ptr, ':', name.len)) {
        lw_field_error_invalid(
            errors, field, name,
            "ClusterTrustBundle without signer name must not have \":\" in its name");
        return;
    }
    if (signer.len + 2 > DETAIL_MAX / 2)
        return; /* the name of the signer is refused */
    (void)snprintf(prefix, sizeof(prefix), "%.*s:", LW_STR_ARG(signer));
    for (char *c = strchr(prefix, '/'); c; c = strchr(c, '/'))
        *c = ':';
    if (signer.len > 0 && !lw_str_starts_with(name, lw_str_of(prefix))) {
        (void)snprintf(detail, sizeof(detail),
                       "ClusterTrustBundle for signerName %.*s must be named with prefix %.*s",
                       LW_STR_ARG(signer), (int)(signer.len + 1), prefix);
        lw_field_error_invalid(errors, field, name, detail);
        return;
    }
    lw_str rest = signer.len > 0 ? lw_str_skip(name, signer.len + 1) : name;
    (void)lw_name_is_dns1123_subdomain(rest, &problems);
    lw_value_errors_of_name(errors, &at, name, &problems);
}

static void add_bundle_problem(const char *text, void *errors)
{
    lw_field_error_invalid(errors, "spec.trustBundle", LW_STR("<value omitted>"), text);
}

static void bundle_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *old = pending->old ? lw_node_get(pending->old, LW_STR("spec")) : NULL;
    lw_str signer = lw_fields_text(spec, "signerName"), pem = lw_fields_text(spec, "trustBundle");
    check_bundle_name(lw_fields_text(pending->metadata, "name"), signer, errors);
    if (signer.len > 0)
        lw_signer_name_validate(signer, errors);
    if (!old || !lw_str_equal(pem, lw_fields_text(old, "trustBundle"))) {
        lw_status st = lw_trust_bundle_check(pem, add_bundle_problem, errors);
        if (st == LW_ERR_LIMIT)
            lw_api_status_add_field_error(errors, LW_FIELD_TOO_LONG, LW_STR("spec.trustBundle"),
                                          LW_STR(""), LW_STR("may not be more than 1048576 bytes"));
        else if (st < 0)
            errors->st = st;
    }
    if (old)
        lw_value_validate_immutable(spec, old, "signerName", errors);
}

static void pod_request_defaults(lw_pending_object *pending)
{
    lw_fields_default_int(pending->tree, lw_fields_object(pending->tree, pending->root, "spec"),
                          "maxExpirationSeconds", EXPIRATION_DEFAULT_S);
}

static void check_expiration(const lw_node *spec, lw_api_status *errors)
{
    const lw_node *node = lw_node_get(spec, LW_STR("maxExpirationSeconds"));
    int64_t seconds = lw_fields_int(spec, "maxExpirationSeconds", EXPIRATION_DEFAULT_S);
    if (seconds < EXPIRATION_MIN_S)
        lw_field_error_plain(errors, "spec.maxExpirationSeconds", lw_node_text(node),
                             "must be in the range [3600, 7862400]");
    else if (seconds > EXPIRATION_MAX_S)
        lw_field_error_plain(errors, "spec.maxExpirationSeconds", lw_node_text(node),
                             "must be in the range [3600, 7862400]");
}

/* The spec cannot change, so that only a new one is checked. */
static void pod_request_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "podName", LW_VALUE_SUBDOMAIN_NEEDED, NULL },
        { "podUID", LW_VALUE_NOT_EMPTY, NULL },
        { "serviceAccountName", LW_VALUE_SUBDOMAIN_NEEDED, NULL },
        { "serviceAccountUID", LW_VALUE_NOT_EMPTY, NULL },
        { "nodeName", LW_VALUE_SUBDOMAIN_NEEDED, NULL },
        { "nodeUID", LW_VALUE_NOT_EMPTY, NULL },
        NO_RULE,
    };
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    if (pending->old) {
        if (!lw_node_equal(spec, lw_node_get(pending->old, LW_STR("spec"))))
            lw_value_error(errors, "spec", spec, "field is immutable");
        return;
    }
    lw_signer_name_validate(lw_fields_text(spec, "signerName"), errors);
    lw_value_validate(rules, spec, "spec", errors);
    if (lw_fields_text(spec, "stubPKCS10Request").len == 0)
        lw_api_status_add_cause(errors, LW_STR("FieldValueInvalid"),
                                LW_STR("Invalid value: exactly one of (stubPKCS10Request) or "
                                       "(pkixPublicKey, proofOfPossession) must be set"),
                                LW_STR("spec"));
    check_expiration(spec, errors);
}

#define CERTIFICATES .group = LW_STR_INIT("certificates.k8s.io")

const lw_strategy lw_strategies_trust[] = {
    { CERTIFICATES, .plural = LW_STR_INIT("clustertrustbundles"), .validate = bundle_validate },
    { CERTIFICATES, .plural = LW_STR_INIT("podcertificaterequests"),
      .defaults = pod_request_defaults, .validate = pod_request_validate },
    { .plural = LW_STR_INIT("") },
};
