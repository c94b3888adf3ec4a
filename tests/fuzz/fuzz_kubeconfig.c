/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_kubeconfig.c -- any bytes as a kubeconfig file, all of whose entries are read, and as the
 * output of a credential plugin. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "fuzz/fuzz.h"
#include "kubeconfig/cluster.h"
#include "kubeconfig/exec.h"
#include "kubeconfig/user.h"
#include "json/text.h"

enum {
    ENTRIES = 64, /* entries read of each list */
};

static void check_error(lw_status st, const lw_error *err)
{
    if (st < 0 &&
        (err->code != st || !err->message[0] || !lw_utf8_is_valid(lw_str_of(err->message))))
        abort();
}

static void read_cluster(const lw_kube_entry *entry)
{
    lw_cluster cluster;
    lw_error err = LW_ERROR_INIT;
    lw_cluster_init(&cluster);
    check_error(lw_cluster_read(&cluster, entry, &err), &err);
    if (cluster.server) {
        char *url = NULL;
        lw_status st = lw_server_url_read(cluster.server, true, "f", &url, &err);
        check_error(st, &err);
        /* Reading the result again must not change it. */
        char *again = NULL;
        if (st == LW_OK &&
            (lw_server_url_read(url, false, "f", &again, &err) < 0 || strcmp(url, again) != 0))
            abort();
        lw_free(url);
        lw_free(again);
    }
    if (cluster.proxy_url)
        check_error(lw_proxy_url_check(cluster.proxy_url, "f", &err), &err);
    lw_cluster_done(&cluster);
}

static void read_user(const lw_kube_entry *entry)
{
    lw_kubeconfig_user user;
    lw_error err = LW_ERROR_INIT;
    lw_kubeconfig_user_init(&user);
    lw_status st = lw_kubeconfig_user_read(&user, entry, &err);
    check_error(st, &err);
    for (size_t i = 0; st == LW_OK && i < user.headers.count; i++) {
        for (const char *c = user.headers.items[i]; *c; c++) {
            if (*c == '\r' || *c == '\n')
                abort();
        }
    }
    lw_kubeconfig_user_done(&user);
}

static void read_entries(const lw_kube_file *file)
{
    for (int list = 0; list < LW_KUBE_LIST_COUNT; list++) {
        const lw_kube_table *table = &file->tables[list];
        for (size_t i = 0; i < table->count && i < ENTRIES; i++) {
            const lw_kube_entry *entry = &table->entries[i];
            if (lw_kube_file_find(file, (lw_kube_list)list, entry->name) != entry)
                abort();
            if (list == LW_KUBE_CLUSTERS)
                read_cluster(entry);
            else if (list == LW_KUBE_USERS)
                read_user(entry);
        }
    }
}

static void read_credential(lw_str json)
{
    lw_exec_credential credential;
    lw_error err = LW_ERROR_INIT;
    lw_exec_credential_init(&credential);
    lw_status st =
        lw_exec_credential_read(&credential, json, "client.authentication.k8s.io/v1", &err);
    check_error(st, &err);
    if (st == LW_OK && credential.token.len == 0 && credential.cert_pem.len == 0)
        abort();
    lw_exec_credential_done(&credential);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_str text = lw_str_make((const char *)data, size);
    lw_kube_file file;
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_kube_file_parse(&file, "/kube/config", text, &err);
    check_error(st, &err);
    if (st == LW_OK)
        read_entries(&file);
    lw_kube_file_done(&file);
    read_credential(text);
    return 0;
}
