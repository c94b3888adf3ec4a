/* SPDX-License-Identifier: Apache-2.0 */
/* warn.c -- warnings about values; the texts are those of Kubernetes. */
#include "api/warnings/warn.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <listwatch/quantity.h>

#include "base/str.h"
#include "base/text/ip_range.h"
#include "object/names.h"
#include "json/fields.h"

void lw_warn_at(lw_api_call *call, lw_field_path path, const char *format, ...)
{
    char text[LW_WARNING_SIZE], where[LW_FIELD_PATH_SIZE];
    int used = snprintf(text, sizeof(text), "%s", lw_field_path_text(where, path));
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text + used, sizeof(text) - (size_t)used, format, args);
    va_end(args);
    lw_call_warn(call, lw_str_of(text));
}

const char *lw_warn_node_label(lw_str key)
{
    static const lw_outdated labels[] = {
        { "beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead" },
        { "beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead" },
        { "failure-domain.beta.kubernetes.io/region",
          "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead" },
        { "failure-domain.beta.kubernetes.io/zone",
          "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead" },
        { "beta.kubernetes.io/instance-type",
          "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead" },
        { "app.kubernetes.io/created-by", "deprecated since v1.9" },
        { "scheduler.alpha.kubernetes.io/preferAvoidPods",
          "deprecated since v1.22; use Taints and Tolerations instead" },
        { "node-role.kubernetes.io/master",
          "use \"node-role.kubernetes.io/control-plane\" instead" },
    };
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
        if (lw_str_equal(key, lw_str_of(labels[i].name)))
            return labels[i].message;
    }
    return NULL;
}

void lw_warn_outdated(lw_api_call *call, lw_field_path path, const lw_node *object,
                      const lw_outdated *outdated, bool is_map)
{
    for (; outdated->name; outdated++) {
        if (lw_node_get(object, lw_str_of(outdated->name)))
            lw_warn_at(call, path, is_map ? "[%s]: %s" : ".%s: %s", outdated->name,
                       outdated->message);
    }
}

void lw_warn_fraction(lw_api_call *call, lw_field_path path, const lw_node *list, const char *key)
{
    char text[LW_QUANTITY_SIZE];
    lw_quantity value;
    if (!lw_quantity_parse(lw_fields_text(list, key), &value) ||
        lw_quantity_milli(value) % 1000 == 0)
        return;
    lw_quantity_format(text, value);
    lw_warn_at(call, path, "[%s]: fractional byte value \"%s\" is invalid, must be an integer", key,
               text);
}

static void warn_values(lw_api_call *call, lw_field_path path, const lw_node *values)
{
    for (size_t i = 0; i < lw_node_count(values); i++) {
        lw_name_problems problems;
        lw_str value = lw_node_text(lw_node_at(values, i));
        (void)lw_name_is_label_value(value, &problems);
        for (size_t k = 0; k < problems.count; k++)
            lw_warn_at(call, lw_field_path_item(&path, LW_STR("values"), i),
                       ": %.*s is invalid, %s", LW_STR_ARG(value), problems.text[k]);
    }
}

void lw_warn_selector_term(lw_api_call *call, lw_field_path path, const lw_node *term,
                           bool checks_values)
{
    const lw_node *expressions = lw_node_get(term, LW_STR("matchExpressions"));
    for (size_t i = 0; i < lw_node_count(expressions); i++) {
        const lw_node *expression = lw_node_at(expressions, i);
        lw_field_path at = lw_field_path_item(&path, LW_STR("matchExpressions"), i);
        lw_str key = lw_fields_text(expression, "key");
        const char *message = lw_warn_node_label(key);
        if (message)
            lw_warn_at(call, at, ".key: %.*s is %s", LW_STR_ARG(key), message);
        if (checks_values)
            warn_values(call, at, lw_node_get(expression, LW_STR("values")));
    }
}

void lw_warn_ip(lw_api_call *call, lw_field_path path, lw_str value)
{
    lw_ip_range ip;
    char text[LW_IP_SIZE];
    if (!lw_ip_parse(value, &ip) || ip.family == 4)
        return;
    lw_ip_format(text, &ip);
    if (!strchr(text, ':'))
        lw_warn_at(call, path, ": non-standard IP address \"%.*s\" is invalid: use \"%s\"",
                   LW_STR_ARG(value), text);
    else if (!lw_str_equal(value, lw_str_of(text)))
        lw_warn_at(call, path,
                   ": IPv6 address \"%.*s\" should be in RFC 5952 canonical format (\"%s\")",
                   LW_STR_ARG(value), text);
}

void lw_warn_range(lw_api_call *call, lw_field_path path, lw_str value)
{
    lw_ip_range ip;
    char address[LW_IP_SIZE], network[LW_IP_SIZE], range[LW_IP_SIZE + 4];
    if (!lw_ip_range_parse(value, &ip))
        return;
    lw_ip_format(address, &ip);
    lw_ip_range masked = lw_ip_range_masked(&ip, ip.prefix);
    bool is_ambiguous = memcmp(masked.bytes, ip.bytes, sizeof(ip.bytes)) != 0;
    lw_ip_format(network, &masked);
    (void)snprintf(range, sizeof(range), "%s/%u", network, ip.prefix & 0xff);
    if (is_ambiguous)
        lw_warn_at(call, path,
                   ": CIDR value \"%.*s\" is ambiguous in this context (should be \"%s\" or "
                   "\"%s/%u\"?)",
                   LW_STR_ARG(value), range, address, ip.family == 4 ? 32U : 128U);
    else if (ip.family == 6 && !lw_str_equal(value, lw_str_of(range)))
        lw_warn_at(call, path,
                   ": IPv6 CIDR value \"%.*s\" should be in RFC 5952 canonical format (\"%s\")",
                   LW_STR_ARG(value), range);
}
