/* SPDX-License-Identifier: Apache-2.0 */
/* apiservice.c -- reads APIServices, and finds one in a table. */
#include "server/aggregator/apiservice.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"

enum {
    CA_MAX = 1 << 20,
    NAME_MAX_BYTES = 1024,
};

bool lw_apiservice_is_remote(const lw_object *object)
{
    lw_str service;
    return lw_object_raw(object, "/spec/service", &service) == LW_OK &&
           lw_str_starts_with(service, LW_STR("{"));
}

/* True if the condition Available is True. */
static bool is_available(const lw_object *object)
{
    char pointer[64];
    for (unsigned i = 0;; i++) {
        (void)snprintf(pointer, sizeof(pointer), "/status/conditions/%u/type", i);
        const char *type = lw_object_string(object, pointer, NULL);
        if (!type)
            return false;
        (void)snprintf(pointer, sizeof(pointer), "/status/conditions/%u/status", i);
        if (lw_str_equal(lw_str_of(type), LW_STR("Available")))
            return lw_str_equal(lw_str_of(lw_object_string(object, pointer, "")), LW_STR("True"));
    }
}

static char *text_copy(const char *text)
{
    return text ? lw_str_dup(lw_str_of(text)) : NULL;
}

/* Makes the TLS context, or remembers why there is none. */
static lw_status open_tls(lw_apiservice *service, const lw_proxy_identity *identity)
{
    lw_error err = LW_ERROR_INIT;
    lw_buf ca;
    lw_buf_init(&ca, CA_MAX);
    lw_str base64 = lw_str_of(lw_object_string(service->object, "/spec/caBundle", ""));
    bool is_decoded = lw_base64_decode_lenient(&ca, base64);
    const lw_tls_pem_options options = {
        .ca = lw_buf_view(&ca),
        .cert = identity->cert,
        .key = identity->key,
        .skips_verification = lw_object_bool(service->object, "/spec/insecureSkipTLSVerify", false),
    };
    lw_status st = is_decoded ? lw_tls_client_context_new_pem(&service->tls, &options, &err)
                              : lw_error_set(&err, LW_ERR_INVALID, "caBundle is not valid base64");
    lw_buf_done(&ca);
    if (st < 0 && st != LW_ERR_NOMEM) {
        service->tls_error = text_copy(err.message);
        st = service->tls_error ? LW_OK : LW_ERR_NOMEM;
    }
    return st;
}

/* Returns the string at |pointer|, "" if there is none; |*st| remembers that memory ran out. */
static lw_str text_at(const lw_object *object, const char *pointer, lw_status *st)
{
    lw_str text = LW_STR("");
    if (lw_object_get_string(object, pointer, &text) == LW_ERR_NOMEM)
        *st = LW_ERR_NOMEM;
    return text;
}

static lw_status read_spec(lw_apiservice *service)
{
    const lw_object *object = service->object;
    lw_status st = LW_OK;
    lw_buf name;
    if (lw_object_raw(object, "/spec", &service->spec) < 0)
        service->spec = LW_STR("");
    service->group = text_at(object, "/spec/group", &st);
    service->version = text_at(object, "/spec/version", &st);
    service->service_ns = text_at(object, "/spec/service/namespace", &st);
    service->service_name = text_at(object, "/spec/service/name", &st);
    service->port = lw_object_int(object, "/spec/service/port", 443);
    service->group_priority = lw_object_int(object, "/spec/groupPriorityMinimum", 0);
    service->version_priority = lw_object_int(object, "/spec/versionPriority", 0);
    service->is_available = is_available(object);
    lw_buf_init(&name, NAME_MAX_BYTES);
    lw_buf_printf(&name, "%.*s.%.*s.svc", LW_STR_ARG(service->service_name),
                  LW_STR_ARG(service->service_ns));
    service->server_name = lw_buf_take_text(&name);
    lw_buf_done(&name);
    return service->server_name ? st : LW_ERR_NOMEM;
}

static lw_apiservice *service_new(const lw_object *object)
{
    lw_apiservice *service = lw_alloc_zero(1, sizeof(*service));
    if (!service)
        return NULL;
    lw_ref_init(&service->refs);
    service->object = lw_object_ref(object);
    return service;
}

static lw_status keep_answers(lw_apiservice *service, const lw_apiservice_answers *answers)
{
    service->discovery = text_copy(answers->discovery);
    service->openapi_url = text_copy(answers->openapi_url);
    service->is_fresh = answers->is_fresh;
    service->openapi = lw_remote_openapi_ref(answers->openapi);
    return (answers->discovery && !service->discovery) ||
                   (answers->openapi_url && !service->openapi_url)
               ? LW_ERR_NOMEM
               : LW_OK;
}

lw_status lw_apiservice_read(lw_apiservice **out, const lw_object *object,
                             const lw_apiservice *before, const lw_proxy_identity *identity)
{
    lw_apiservice *service = service_new(object);
    lw_status st = service ? read_spec(service) : LW_ERR_NOMEM;
    if (st == LW_OK && before && before->tls && lw_str_equal(before->spec, service->spec))
        service->tls = lw_tls_context_ref(before->tls);
    else if (st == LW_OK)
        st = open_tls(service, identity);
    if (st == LW_OK && before)
        st =
            keep_answers(service, &(lw_apiservice_answers){ before->discovery, before->is_fresh,
                                                            before->openapi_url, before->openapi });
    if (st < 0)
        lw_apiservice_unref(service);
    else
        *out = service;
    return st;
}

lw_status lw_apiservice_with(lw_apiservice **out, const lw_apiservice *service,
                             const lw_apiservice_answers *answers)
{
    lw_apiservice *copy = service_new(service->object);
    lw_status st = copy ? read_spec(copy) : LW_ERR_NOMEM;
    if (st == LW_OK && service->tls)
        copy->tls = lw_tls_context_ref(service->tls);
    if (st == LW_OK && service->tls_error) {
        copy->tls_error = text_copy(service->tls_error);
        st = copy->tls_error ? LW_OK : LW_ERR_NOMEM;
    }
    if (st == LW_OK)
        st = keep_answers(copy, answers);
    if (st < 0)
        lw_apiservice_unref(copy);
    else
        *out = copy;
    return st;
}

lw_apiservice *lw_apiservice_ref(lw_apiservice *service)
{
    lw_ref_inc(&service->refs);
    return service;
}

void lw_apiservice_unref(lw_apiservice *service)
{
    if (!service || !lw_ref_dec(&service->refs))
        return;
    lw_object_unref(service->object);
    lw_tls_context_free(service->tls);
    lw_free(service->server_name);
    lw_free(service->tls_error);
    lw_free(service->discovery);
    lw_free(service->openapi_url);
    lw_remote_openapi_unref(service->openapi);
    lw_free(service);
}

lw_apiservice_table *lw_apiservice_table_ref(lw_apiservice_table *table)
{
    if (table)
        lw_ref_inc(&table->refs);
    return table;
}

void lw_apiservice_table_unref(lw_apiservice_table *table)
{
    if (!table || !lw_ref_dec(&table->refs))
        return;
    for (size_t i = 0; i < table->count; i++)
        lw_apiservice_unref(table->at[i]);
    lw_free(table);
}

const lw_apiservice *lw_apiservice_find(const lw_apiservice_table *table, lw_str group,
                                        lw_str version)
{
    for (size_t i = 0; table && i < table->count; i++) {
        if (lw_str_equal(table->at[i]->group, group) &&
            lw_str_equal(table->at[i]->version, version))
            return table->at[i];
    }
    return NULL;
}
