/* SPDX-License-Identifier: Apache-2.0 */
/* authentication_info.c -- the ConfigMap extension-apiserver-authentication. */
#include "server/core/authentication_info.h"

#include "api/context/seed_batch.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "server/core/pki.h"
#include "json/fields.h"
#include "json/writer.h"

enum {
    CA_FILE_MAX = 512 * 1024, /* bytes; a ConfigMap holds less than 1 MiB */
    LIST_MAX = 64 * 1024,
};

lw_status lw_authentication_info_read_ca(char **out, const char *file, lw_error *err)
{
    lw_buf text;
    lw_buf_init(&text, CA_FILE_MAX);
    lw_status st = lw_file_read(file, &text, err);
    if (st == LW_OK) {
        *out = lw_buf_take_text(&text);
        st = *out ? LW_OK : lw_error_nomem(err);
    }
    lw_buf_done(&text);
    return st;
}

/* Copies the texts of |options| that the headers are views of. */
static lw_status copy_texts(lw_front_proxy *proxy, lw_server_webhooks *options, lw_error *err)
{
    const char **const texts[] = {
        &options->requestheader_allowed_names,        &options->requestheader_username_headers,
        &options->requestheader_uid_headers,          &options->requestheader_group_headers,
        &options->requestheader_extra_headers_prefix,
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (!*texts[i])
            continue;
        proxy->texts[i] = lw_str_dup(lw_str_of(*texts[i]));
        if (!proxy->texts[i])
            return lw_error_nomem(err);
        *texts[i] = proxy->texts[i];
    }
    return LW_OK;
}

lw_status lw_front_proxy_open(lw_front_proxy **out, const lw_server_webhooks *options,
                              lw_error *err)
{
    lw_server_webhooks copy = *options;
    bool is_used = false;
    lw_front_proxy *proxy = lw_alloc_zero(1, sizeof(*proxy));
    if (!proxy)
        return lw_error_nomem(err);
    lw_status st = copy_texts(proxy, &copy, err);
    if (st == LW_OK)
        st = lw_request_headers_read(&proxy->headers, &copy, &is_used, err);
    if (st == LW_OK && is_used)
        st = lw_authentication_info_read_ca(&proxy->ca, copy.requestheader_client_ca_file, err);
    if (st < 0 || !is_used)
        lw_front_proxy_free(proxy);
    else
        *out = proxy;
    return st;
}

lw_status lw_front_proxy_own(lw_front_proxy **out, const char *ca, lw_error *err)
{
    lw_front_proxy *proxy = lw_alloc_zero(1, sizeof(*proxy));
    if (!proxy)
        return lw_error_nomem(err);
    proxy->headers = (lw_request_headers){
        .allowed_names = { { LW_STR(LW_PKI_FRONT_PROXY_NAME) }, 1 },
        .users = { { LW_STR("X-Remote-User") }, 1 },
        .uids = { { LW_STR("X-Remote-Uid") }, 1 },
        .groups = { { LW_STR("X-Remote-Group") }, 1 },
        .extra_prefixes = { { LW_STR("X-Remote-Extra-") }, 1 },
    };
    proxy->ca = lw_str_dup(lw_str_of(ca));
    if (!proxy->ca) {
        lw_front_proxy_free(proxy);
        return lw_error_nomem(err);
    }
    *out = proxy;
    return LW_OK;
}

void lw_front_proxy_free(lw_front_proxy *proxy)
{
    if (!proxy)
        return;
    for (size_t i = 0; i < sizeof(proxy->texts) / sizeof(proxy->texts[0]); i++)
        lw_free(proxy->texts[i]);
    lw_free(proxy->ca);
    lw_free(proxy);
}

/* Sets |key| to |names| as a JSON list in a string. */
static void set_names(lw_tree *tree, lw_node *data, const char *key,
                      const lw_request_header_names *names)
{
    lw_buf text;
    lw_json_writer w;
    lw_buf_init(&text, LIST_MAX);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    lw_json_write_array_begin(&w);
    for (size_t i = 0; i < names->count; i++)
        lw_json_write_string(&w, names->at[i]);
    lw_json_write_array_end(&w);
    lw_fields_set_text(tree, data, key, lw_buf_view(&text));
    lw_buf_done(&text);
}

static void fill(lw_tree *tree, lw_node *data, const char *client_ca, const lw_front_proxy *proxy)
{
    if (client_ca)
        lw_fields_set_text(tree, data, "client-ca-file", lw_str_of(client_ca));
    if (!proxy)
        return;
    const lw_request_headers *h = &proxy->headers;
    lw_fields_set_text(tree, data, "requestheader-client-ca-file", lw_str_of(proxy->ca));
    set_names(tree, data, "requestheader-allowed-names", &h->allowed_names);
    set_names(tree, data, "requestheader-username-headers", &h->users);
    set_names(tree, data, "requestheader-group-headers", &h->groups);
    set_names(tree, data, "requestheader-extra-headers-prefix", &h->extra_prefixes);
    if (h->uids.count > 0)
        set_names(tree, data, "requestheader-uid-headers", &h->uids);
}

lw_status lw_authentication_info_seed(lw_seed_batch *batch, const char *client_ca,
                                      const lw_front_proxy *proxy)
{
    static const lw_str blank =
        LW_STR_INIT("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{}}");
    const lw_kind *kind = &lw_kind_configmaps;
    const lw_key key = { LW_STR("kube-system"), LW_STR("extension-apiserver-authentication") };
    lw_tree *tree = NULL, *before = NULL;
    if (!client_ca && !proxy)
        return LW_OK;
    lw_object *present = lw_cache_get_ref(lw_api_resource(batch->api, kind), key.ns, key.name);
    lw_str json = present ? lw_object_json(present) : blank;
    lw_status st = lw_tree_parse(&tree, json, 0, NULL);
    if (st == LW_OK)
        st = lw_tree_parse(&before, json, 0, NULL);
    if (st == LW_OK) {
        fill(tree, lw_fields_object(tree, lw_tree_root(tree), "data"), client_ca, proxy);
        st = lw_tree_status(tree);
    }
    if (st == LW_OK && !present)
        st = lw_seed_batch_create(batch, kind, key, tree, lw_tree_root(tree));
    else if (st == LW_OK && !lw_node_equal(lw_tree_root(tree), lw_tree_root(before)))
        st =
            lw_seed_batch_update(batch, kind, key, lw_tree_root(tree), lw_object_revision(present));
    lw_object_unref(present);
    lw_tree_free(before);
    lw_tree_free(tree);
    return st;
}
