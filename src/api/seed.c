/* SPDX-License-Identifier: Apache-2.0 */
/* seed.c -- the namespaces that always exist. */
#include "api/admission/namespaces.h"
#include "api/api.h"
#include "api/context/uuid.h"
#include "api/write/write.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text/time_text.h"
#include "json/writer.h"

enum {
    NAMESPACE_MAX = 4096, /* bytes of a namespace that nobody has touched */
};

static const char *const always[] = { "default", "kube-node-lease", "kube-public", "kube-system" };

/* As a created one looks: with the finalizer that its deletion waits for, and active. */
static void write_namespace(lw_buf *out, lw_str name, const char *uid, const char *created)
{
    lw_json_writer w;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "kind", LW_STR("Namespace"));
    lw_json_write_member_string(&w, "apiVersion", LW_STR("v1"));
    lw_json_write_key(&w, LW_STR("metadata"));
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "name", name);
    lw_json_write_member_string(&w, "uid", lw_str_of(uid));
    lw_json_write_member_string(&w, "resourceVersion", LW_STR("")); /* keeps the place */
    lw_json_write_member_string(&w, "creationTimestamp", lw_str_of(created));
    lw_json_write_key(&w, LW_STR("labels"));
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "kubernetes.io/metadata.name", name);
    lw_json_write_object_end(&w);
    lw_json_write_object_end(&w);
    lw_json_write_key(&w, LW_STR("spec"));
    lw_json_write_raw(&w, LW_STR("{\"finalizers\":[\"kubernetes\"]}"));
    lw_json_write_key(&w, LW_STR("status"));
    lw_json_write_raw(&w, LW_STR("{\"phase\":\"Active\"}"));
    lw_json_write_object_end(&w);
}

static lw_status seed_namespace(lw_api *api, lw_str name, lw_random *random, lw_error *err)
{
    char uid[LW_UUID_SIZE], created[LW_TIME_TEXT_SIZE];
    lw_buf key, value;
    lw_uuid_format(uid, random);
    lw_status st = lw_time_format(created, lw_time_of_ns(lw_clock_wall(api->clock)));
    if (st < 0)
        return lw_error_set(err, st, "the system clock shows an invalid date");
    lw_buf_init(&key, LW_STORE_KEY_MAX);
    lw_buf_init(&value, NAMESPACE_MAX);
    lw_write_append_key(&key, api, lw_namespace_kind(api), (lw_key){ LW_STR(""), name });
    write_namespace(&value, name, uid, created);
    if (key.st < 0 || value.st < 0) {
        st = lw_error_nomem(err);
    } else {
        lw_store_txn txn = { .op = LW_STORE_PUT,
                             .key = lw_buf_view(&key),
                             .value = lw_buf_view(&value),
                             .err = LW_ERROR_INIT };
        st = lw_store_commit(api->store, &txn);
        if (st == LW_ERR_CONFLICT)
            st = LW_OK; /* it is there already */
        else if (st < 0)
            (void)lw_error_set(err, st, "cannot create namespace %.*s: %s", LW_STR_ARG(name),
                               txn.err.message[0] ? txn.err.message : lw_status_name(st));
    }
    lw_buf_done(&key);
    lw_buf_done(&value);
    return st;
}

lw_status lw_api_seed(lw_api *api, lw_error *err)
{
    lw_random random;
    lw_status st = LW_OK;
    lw_random_init_from_os(&random);
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]) && st == LW_OK; i++)
        st = seed_namespace(api, lw_str_of(always[i]), &random, err);
    return st;
}
