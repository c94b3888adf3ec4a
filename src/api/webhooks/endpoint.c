/* SPDX-License-Identifier: Apache-2.0 */
/* endpoint.c -- reads clientConfig. */
#include "api/webhooks/endpoint.h"

#include "base/alloc.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "json/fields.h"

enum {
    HTTPS_PORT = 443,
};

lw_hook_version lw_hook_version_of(const lw_node *list)
{
    for (size_t i = 0; i < lw_node_count(list); i++) {
        lw_str text = lw_node_text(lw_node_at(list, i));
        if (lw_str_equal(text, LW_STR("v1")))
            return LW_HOOK_V1;
        if (lw_str_equal(text, LW_STR("v1beta1")))
            return LW_HOOK_V1BETA1;
    }
    return LW_HOOK_VERSION_NONE;
}

static lw_status set_error(char **error, lw_str why)
{
    *error = lw_str_dup(why);
    return *error ? LW_OK : LW_ERR_NOMEM;
}

lw_status lw_hook_endpoint_open(const lw_hook_caller *caller, const lw_node *config,
                                lw_hook_endpoint **out, char **error)
{
    const lw_node *service = lw_node_get(config, LW_STR("service"));
    lw_str encoded = lw_fields_text(config, "caBundle");
    lw_error why = LW_ERROR_INIT;
    lw_buf pem;
    lw_buf_init(&pem, encoded.len);
    bool is_good = lw_base64_decode_lenient(&pem, encoded);
    const lw_hook_target target = {
        .url = lw_fields_text(config, "url"),
        .service_ns = lw_fields_text(service, "namespace"),
        .service_name = lw_fields_text(service, "name"),
        .service_path = lw_fields_text(service, "path"),
        .service_port = lw_fields_int(service, "port", HTTPS_PORT),
        .ca_bundle = lw_str_trim(lw_buf_view(&pem)),
    };
    lw_status st = pem.st;
    if (st == LW_OK && !is_good)
        st = set_error(error,
                       LW_STR("unable to load root certificates: the CA bundle is not base64"));
    else if (st == LW_OK) {
        st = caller->open(caller->arg, &target, out, &why);
        if (st < 0 && st != LW_ERR_NOMEM)
            st = set_error(error, lw_str_of(why.message));
    }
    lw_buf_done(&pem);
    return st;
}
