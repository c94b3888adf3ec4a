/* SPDX-License-Identifier: Apache-2.0 */
/* kube_apiserver.c -- this program started as kube-apiserver: its flags become options of
 * `listwatch serve`.
 *
 *     flags of kube-apiserver ──▶ values ──▶ words for `listwatch serve` ──▶ command_serve
 *
 * A flag that has no effect here is accepted and named in the log. */
#include "kube_apiserver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "etcd_stub.h"

enum {
    FLAGS_MAX = 256,
    WORDS_MAX = 512,
    PATH_SIZE = 4096,
    ADDRESS_SIZE = 128,
    VERBOSE_LEVEL = 4, /* -v from which on requests are logged */
};

#define KUBE_VERSION "v1.37.1"

/* The command line; the strings are freed with it. */
typedef struct kube_apiserver {
    char *values[FLAGS_MAX]; /* by the index of the flag; NULL: not given */
    char *words[WORDS_MAX + 1];
    int word_count;
    bool is_full; /* out of memory, or too many words */
} kube_apiserver;

static char *value_of(const kube_apiserver *k, const char *name)
{
    for (size_t i = 0; kube_apiserver_flags[i].name; i++) {
        if (strcmp(kube_apiserver_flags[i].name, name) == 0)
            return k->values[i];
    }
    return NULL;
}

/* Adds "prefix" "name" "text" as one word. */
static void add_parts(kube_apiserver *k, const char *prefix, const char *name, const char *text)
{
    size_t size = strlen(prefix) + strlen(name) + strlen(text) + 2;
    char *word = k->word_count < WORDS_MAX ? malloc(size) : NULL;
    if (!word) {
        k->is_full = true;
        return;
    }
    (void)snprintf(word, size, "%s%s%s%s", prefix, name, text[0] ? "=" : "", text);
    k->words[k->word_count++] = word;
}

static void add_word(kube_apiserver *k, const char *word)
{
    add_parts(k, "", word, "");
}

static void add_option(kube_apiserver *k, const char *name, const char *value)
{
    add_parts(k, "--", name, value);
}

static int fail_nomem(void)
{
    fputs("listwatch kube-apiserver: out of memory, or too many flags\n", stderr);
    return EXIT_FAILED;
}

/* Keeps |value|, after those before it if the flag is a list. */
static int take_flag(const go_flag *flag, const char *value, void *arg)
{
    kube_apiserver *k = arg;
    char **kept = &k->values[flag - kube_apiserver_flags];
    bool is_more = *kept && flag->type == GO_FLAG_LIST;
    size_t size = strlen(value) + (is_more ? strlen(*kept) + 1 : 0) + 1;
    char *text = malloc(size);
    if (!text)
        return fail_nomem();
    (void)snprintf(text, size, "%s%s%s", is_more ? *kept : "", is_more ? "," : "", value);
    free(*kept);
    *kept = text;
    /* These may be repeated, and each value is one. */
    if (strcmp(flag->name, "service-account-issuer") == 0 ||
        strcmp(flag->name, "service-account-key-file") == 0 ||
        strcmp(flag->name, "oidc-required-claim") == 0)
        add_option(k, flag->name, value);
    return EXIT_OK;
}

static void add_listen(kube_apiserver *k)
{
    const char *host = value_of(k, "bind-address"), *port = value_of(k, "secure-port");
    char address[ADDRESS_SIZE];
    host = host ? host : "0.0.0.0";
    bool is_v6 = strchr(host, ':') != NULL;
    (void)snprintf(address, sizeof(address), "%s%s%s:%s", is_v6 ? "[" : "", host, is_v6 ? "]" : "",
                   port ? port : "6443");
    add_option(k, "listen", address);
}

/* The serving certificate: as given, or as it is in --cert-dir under kube-apiserver's names. */
static void add_certificate(kube_apiserver *k)
{
    const char *cert = value_of(k, "tls-cert-file"), *key = value_of(k, "tls-private-key-file");
    const char *folder = value_of(k, "cert-dir");
    char cert_path[PATH_SIZE], key_path[PATH_SIZE];
    if (!cert && !key && folder) {
        int len = snprintf(cert_path, sizeof(cert_path), "%s/apiserver.crt", folder);
        (void)snprintf(key_path, sizeof(key_path), "%s/apiserver.key", folder);
        bool is_there = len > 0 && len < PATH_SIZE && access(cert_path, R_OK) == 0 &&
                        access(key_path, R_OK) == 0;
        cert = is_there ? cert_path : NULL;
        key = is_there ? key_path : NULL;
    }
    if (cert)
        add_option(k, "tls-cert", cert);
    if (key)
        add_option(k, "tls-key", key);
}

/* A real etcd is used; in place of our own stand-in it is the embedded store, in its folder. */
static int add_store(kube_apiserver *k, bool *has_etcd)
{
    const char *servers = value_of(k, "etcd-servers");
    char folder[PATH_SIZE];
    if (!servers) {
        fputs("listwatch kube-apiserver: --etcd-servers must be specified\n", stderr);
        return EXIT_FAILED;
    }
    *has_etcd = !etcd_stub_find(servers, folder, sizeof(folder));
    if (*has_etcd)
        add_option(k, "etcd", servers);
    else
        add_option(k, "data-dir", folder);
    return EXIT_OK;
}

/* An option for etcd without etcd would be an error. */
static bool is_for_etcd(const go_flag *flag)
{
    return strncmp(flag->name, "etcd-", 5) == 0;
}

static void add_passed(kube_apiserver *k, bool has_etcd)
{
    for (size_t i = 0; kube_apiserver_flags[i].name; i++) {
        const go_flag *flag = &kube_apiserver_flags[i];
        const char *name = flag->option ? flag->option : flag->name, *value = k->values[i];
        if (!value || (is_for_etcd(flag) && !has_etcd) || flag->use == GO_FLAG_USED)
            continue;
        if (flag->use == GO_FLAG_SWITCH && go_flag_is_true(value))
            add_parts(k, "--", name, "");
        else if (flag->use == GO_FLAG_PASSED)
            add_option(k, name, value);
    }
}

static void print_without_effect(const kube_apiserver *k)
{
    const char *separator = "listwatch kube-apiserver: flags without effect here: --";
    for (size_t i = 0; kube_apiserver_flags[i].name; i++) {
        if (!k->values[i] || kube_apiserver_flags[i].use != GO_FLAG_NO_EFFECT)
            continue;
        fprintf(stderr, "%s%s", separator, kube_apiserver_flags[i].name);
        separator = ", --";
    }
    if (separator[0] == ',')
        fputc('\n', stderr);
}

static void add_others(kube_apiserver *k)
{
    const char *level = value_of(k, "v"), *fairness = value_of(k, "enable-priority-and-fairness");
    if (level && strtol(level, NULL, 10) >= VERBOSE_LEVEL)
        add_word(k, "--verbose");
    /* Those of kube-controller-manager are not part of kube-apiserver. */
    add_word(k,
             "--controllers=-garbagecollector,-namespace,-resourcequota,-clusterrole-aggregation,"
             "-serviceaccount,-serviceaccount-token,-csrsigning,-tokencleaner,"
             "-root-ca-cert-publisher,-pvc-protection,-pv-protection,"
             "-validatingadmissionpolicy-status");
    if (fairness)
        add_option(k, "enable-priority-and-fairness", go_flag_is_true(fairness) ? "true" : "false");
}

static int run(kube_apiserver *k)
{
    bool has_etcd = false;
    add_listen(k);
    add_certificate(k);
    int code = add_store(k, &has_etcd);
    if (code != EXIT_OK)
        return code;
    add_passed(k, has_etcd);
    add_others(k);
    if (k->is_full)
        return fail_nomem();
    print_without_effect(k);
    k->words[k->word_count] = NULL;
    return command_serve(k->word_count, k->words);
}

int command_kube_apiserver(int argc, char **argv)
{
    kube_apiserver k = { .word_count = 0 };
    add_word(&k, "serve");
    int code = go_flags_parse(argc, argv, kube_apiserver_flags, take_flag, &k);
    if (code == EXIT_OK && (value_of(&k, "help") || value_of(&k, "h")))
        go_flags_print("kube-apiserver", kube_apiserver_flags);
    else if (code == EXIT_OK && value_of(&k, "version"))
        puts("Kubernetes " KUBE_VERSION);
    else if (code == EXIT_OK)
        code = run(&k);
    for (int i = 0; i < k.word_count; i++)
        free(k.words[i]);
    for (size_t i = 0; i < FLAGS_MAX; i++)
        free(k.values[i]);
    return code;
}
