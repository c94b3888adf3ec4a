/* SPDX-License-Identifier: Apache-2.0 */
/* place.h -- a temporary directory for a test, with the files and the environment it needs. */
#ifndef LW_TESTS_UNIT_KUBECONFIG_PLACE_H
#define LW_TESTS_UNIT_KUBECONFIG_PLACE_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text/base64.h"
#include "kubeconfig/credentials.h"
#include "kubeconfig/environment.h"
#include "unit/test.h"

enum {
    PLACE_PATH = 512,
};

/* A placeholder for a certificate: only the first line is checked. */
#define PEM(name) "-----BEGIN CERTIFICATE-----\n" name "\n-----END CERTIFICATE-----\n"
#define KEY(name) "-----BEGIN PRIVATE KEY-----\n" name "\n-----END PRIVATE KEY-----\n"

typedef struct place {
    char root[64];
    lw_config_environment env; /* of a machine that is not a pod and has no kubeconfig */
    char texts[4][PLACE_PATH]; /* what env points to */
    lw_manual_clock *manual;
    const lw_clock *clock;
    lw_config *config;
    lw_credentials credentials;
    lw_error err;
} place;

static inline int place_setup(void **state)
{
    static place p;
    p = (place){ .err = LW_ERROR_INIT };
    (void)snprintf(p.root, sizeof(p.root), "/tmp/lw-kube-XXXXXX");
    assert_non_null(mkdtemp(p.root));
    assert_int_equal(lw_manual_clock_new(&p.manual, 1700000000 * LW_NS_PER_S), LW_OK);
    p.clock = lw_manual_clock_as_clock(p.manual);
    lw_credentials_init(&p.credentials);
    *state = &p;
    return 0;
}

static inline int place_remove_one(const char *path, const struct stat *info, int flag,
                                   struct FTW *walk)
{
    (void)info;
    (void)flag;
    (void)walk;
    return remove(path);
}

static inline int place_teardown(void **state)
{
    place *p = *state;
    lw_config_unref(p->config);
    lw_credentials_done(&p->credentials);
    lw_manual_clock_free(p->manual);
    (void)nftw(p->root, place_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return 0;
}

/* The path of |name| in the folder; the last few stay valid. */
static inline const char *place_path(const place *p, const char *name)
{
    static char paths[8][PLACE_PATH];
    static unsigned next;
    char *path = paths[next++ % 8];
    (void)snprintf(path, PLACE_PATH, "%s/%s", p->root, name);
    return path;
}

static inline void place_write_bytes(const place *p, const char *name, lw_str bytes)
{
    FILE *file = fopen(place_path(p, name), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.ptr, 1, bytes.len, file), bytes.len);
    assert_int_equal(fclose(file), 0);
}

static inline void place_write(const place *p, const char *name, const char *text)
{
    place_write_bytes(p, name, lw_str_of(text));
}

static inline void place_script(const place *p, const char *name, const char *text)
{
    place_write(p, name, text);
    assert_int_equal(chmod(place_path(p, name), 0700), 0);
}

static inline void place_dir(const place *p, const char *name)
{
    assert_int_equal(mkdir(place_path(p, name), 0700), 0);
}

/* Sets $KUBECONFIG to |first| and, where not NULL, |second|. */
static inline void place_kubeconfig(place *p, const char *first, const char *second)
{
    (void)snprintf(p->texts[0], PLACE_PATH, "%s%s%s", place_path(p, first), second ? ":" : "",
                   second ? place_path(p, second) : "");
    p->env.kubeconfig = p->texts[0];
}

/* Makes it a pod. */
static inline void place_pod(place *p)
{
    place_dir(p, "account");
    place_write(p, "account/token", "pod-token\n");
    place_write(p, "account/ca.crt", PEM("pod-ca"));
    place_write(p, "account/namespace", "pod-ns");
    (void)snprintf(p->texts[1], PLACE_PATH, "%s", place_path(p, "account"));
    p->env.account_dir = p->texts[1];
    p->env.service_host = "10.0.0.1";
    p->env.service_port = "443";
}

static inline lw_status place_try(place *p, const lw_config_options *options)
{
    lw_config_unref(p->config);
    p->config = NULL;
    p->err = (lw_error)LW_ERROR_INIT;
    return lw_config__load(&p->config, options, &p->env, &p->err);
}

static inline void place_load(place *p, const lw_config_options *options)
{
    if (place_try(p, options) < 0)
        fail_msg("cannot load: %s", p->err.message);
}

/* Writes |text| as the kubeconfig file and loads it. */
static inline void place_load_text(place *p, const char *text)
{
    place_write(p, "config", text);
    place_kubeconfig(p, "config", NULL);
    place_load(p, NULL);
}

/* The same, for one that must be refused with |st| and all of |words| (to NULL) in the message. */
static inline void place_refuses(place *p, const char *text, lw_status st, const char *word,
                                 const char *other)
{
    place_write(p, "config", text);
    place_kubeconfig(p, "config", NULL);
    assert_int_equal(place_try(p, NULL), st);
    assert_int_equal(p->err.code, st);
    if (!strstr(p->err.message, word) || (other && !strstr(p->err.message, other)))
        fail_msg("the message is: %s", p->err.message);
}

/* The credentials as of now. */
static inline const lw_credentials *place_get(place *p)
{
    if (lw_config_credentials(p->config, p->clock, &p->credentials, &p->err) < 0)
        fail_msg("no credentials: %s", p->err.message);
    return &p->credentials;
}

static inline void place_pass_seconds(place *p, int seconds)
{
    lw_manual_clock_advance(p->manual, seconds * LW_NS_PER_S);
}

#define TEST_IN_PLACE(function)                                                                    \
    cmocka_unit_test_setup_teardown(function, place_setup, place_teardown)

#endif
