/* SPDX-License-Identifier: Apache-2.0 */
/* conversion_validation.c -- the rules and paths of kube-apiserver, whose paths are those of its
 * internal type: spec.conversion.webhookClientConfig is spec.conversion.webhook.clientConfig. */
#include "api/conversion/conversion_validation.h"

#include "api/conversion/conversion_bundle.h"
#include "api/http/field_errors.h"
#include "api/webhooks/endpoint.h"
#include "api/webhooks/validate.h"
#include "base/str.h"
#include "object/api_errors.h"
#include "object/names.h"
#include "json/fields.h"

enum {
    TEXT_MAX = 64 * 1024,
};

static const lw_field_path top = { NULL, LW_STR_INIT("spec.conversion"), SIZE_MAX };

static const lw_node *versions_of(const lw_node *conversion)
{
    return lw_fields_find(conversion, "/webhook/conversionReviewVersions");
}

/* As Go prints a []string in JSON: ["a","b"]. */
static void refuse_versions(const lw_node *versions, const char *field, lw_api_status *errors)
{
    lw_buf json;
    lw_json_writer w;
    lw_buf_init(&json, TEXT_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_node_write(versions, &w);
    lw_field_error_plain(errors, field, lw_buf_view(&json),
                         "must include at least one of v1, v1beta1");
    lw_buf_done(&json);
}

static bool is_repeated(const lw_node *versions, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (lw_str_equal(lw_node_text(lw_node_at(versions, i)),
                         lw_node_text(lw_node_at(versions, index))))
            return true;
    }
    return false;
}

static void check_version(const lw_node *versions, size_t index, lw_api_status *errors)
{
    char text[LW_FIELD_PATH_SIZE];
    lw_name_problems problems;
    lw_str version = lw_node_text(lw_node_at(versions, index));
    const lw_field_path at = lw_field_path_item(&top, LW_STR("conversionReviewVersions"), index);
    if (is_repeated(versions, index)) {
        lw_field_error_invalid(errors, lw_field_path_text(text, at), version, "duplicate version");
        return;
    }
    if (lw_name_is_dns1035_label(version, &problems))
        return;
    for (size_t i = 0; i < problems.count; i++)
        lw_field_error_invalid(errors, lw_field_path_text(text, at), version, problems.text[i]);
}

static void check_versions(const lw_node *versions, bool must_be_known, lw_api_status *errors)
{
    static const char field[] = "spec.conversion.conversionReviewVersions";
    size_t count = lw_node_count(versions);
    if (count == 0) {
        lw_field_error_required(errors, field, "");
        return;
    }
    for (size_t i = 0; i < count && !lw_api_status_is_full(errors); i++)
        check_version(versions, i, errors);
    if (must_be_known && lw_hook_version_of(versions) == LW_HOOK_VERSION_NONE)
        refuse_versions(versions, field, errors);
}

/* A bundle may stay as useless as it was. */
static void check_bundle(const lw_node *conversion, const lw_node *before, lw_api_status *errors)
{
    const char *fault = lw_conversion_bundle_fault(conversion);
    lw_buf why;
    if (!fault || lw_conversion_bundle_fault(before))
        return;
    lw_buf_init(&why, TEXT_MAX);
    lw_buf_printf(&why, "unable to load root certificates: %s", fault);
    lw_api_status_add_field_error(
        errors, LW_FIELD_INVALID, LW_STR("spec.conversion.webhookClientConfig.caBundle"),
        lw_fields_text(lw_fields_find(conversion, "/webhook/clientConfig"), "caBundle"),
        lw_buf_view(&why));
    lw_buf_done(&why);
}

static void check_webhook(const lw_node *conversion, const lw_node *before, bool checks_bundle,
                          lw_api_status *errors)
{
    const lw_field_path client = lw_field_path_in(&top, LW_STR("webhookClientConfig"));
    const lw_node *config = lw_fields_find(conversion, "/webhook/clientConfig");
    const lw_node *known = versions_of(before);
    if (!config)
        lw_field_error_required(errors, "spec.conversion.webhookClientConfig",
                                "required when strategy is set to Webhook");
    else
        lw_client_config_validate(config, &client, errors);
    if (config && checks_bundle)
        check_bundle(conversion, before, errors);
    check_versions(versions_of(conversion),
                   lw_node_count(known) == 0 || lw_hook_version_of(known) != LW_HOOK_VERSION_NONE,
                   errors);
}

static void check_no_webhook(const lw_node *conversion, lw_api_status *errors)
{
    static const lw_str why = LW_STR_INIT("should not be set when strategy is not set to Webhook");
    if (lw_fields_find(conversion, "/webhook/clientConfig"))
        lw_field_error_forbidden(errors, "spec.conversion.webhookClientConfig", why);
    if (lw_node_count(versions_of(conversion)) > 0)
        lw_field_error_forbidden(errors, "spec.conversion.conversionReviewVersions", why);
}

void lw_conversion_validate(const lw_node *conversion, const lw_node *before, bool checks_bundle,
                            lw_api_status *errors)
{
    lw_str strategy = lw_fields_text(conversion, "strategy");
    bool is_webhook = lw_str_equal(strategy, LW_STR("Webhook"));
    if (!conversion)
        return;
    if (strategy.len == 0)
        lw_field_error_required(errors, "spec.conversion.strategy", "");
    else if (!is_webhook && !lw_str_equal(strategy, LW_STR("None")))
        lw_api_status_add_field_error(errors, LW_FIELD_NOT_SUPPORTED,
                                      LW_STR("spec.conversion.strategy"), strategy,
                                      LW_STR("supported values: \"None\", \"Webhook\""));
    if (is_webhook)
        check_webhook(conversion, before, checks_bundle, errors);
    else
        check_no_webhook(conversion, errors);
}
