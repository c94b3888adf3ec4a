/* SPDX-License-Identifier: Apache-2.0 */
/* certificates.c -- opens the CA of the signers, and finds the Secrets of bootstrap tokens. */
#include "server/setup/certificates.h"

#include <stdio.h>
#include <string.h>

#include "api/certificates/bootstrap_secret.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/log.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "server/authn/bootstrap_token.h"

enum {
    NAME_SIZE = 64,
};

static lw_status read_files(lw_certificate_authority **out, const lw_server_options *options,
                            lw_error *err)
{
    const char *cert_file = options->cluster_signing_cert_file;
    const char *key_file = options->cluster_signing_key_file;
    lw_buf cert, key;
    lw_error why = LW_ERROR_INIT;
    lw_buf_init(&cert, LW_PKI_PEM_MAX);
    lw_buf_init(&key, LW_PKI_PEM_MAX);
    lw_status st = lw_file_read(cert_file, &cert, err);
    if (st == LW_OK)
        st = lw_file_read(key_file, &key, err);
    if (st == LW_OK) {
        st = lw_certificate_authority_read(out, lw_buf_view(&cert), lw_buf_view(&key), &why);
        if (st < 0)
            (void)lw_error_set(err, st, "%s, %s: %s", cert_file, key_file, why.message);
    }
    if (key.data)
        explicit_bzero(key.data, key.cap);
    lw_buf_done(&key);
    lw_buf_done(&cert);
    return st;
}

lw_status lw_server_open_authority(lw_certificate_authority **out, const lw_server_options *options,
                                   const lw_pki *pki, lw_error *err)
{
    if (!options->cluster_signing_cert_file != !options->cluster_signing_key_file)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the signing certificate requires its private key and vice versa: set "
                            "both files or neither");
    *out = NULL;
    if (options->cluster_signing_cert_file)
        return read_files(out, options, err);
    if (!pki->ca_cert || options->client_ca_file) {
        lw_log(options->logger, LW_LOG_INFO, "certificates",
               "certificate signing requests are not signed: there is no CA that signs and "
               "verifies clients; set the cluster signing certificate and key");
        return LW_OK;
    }
    return lw_certificate_authority_read(out, lw_str_of(pki->ca_cert), lw_str_of(pki->ca_key), err);
}

static lw_status find_bootstrap_token(void *arg, lw_str token, lw_authn_users *users,
                                      const lw_user **user)
{
    char name[NAME_SIZE];
    lw_api *api = arg;
    lw_str id, secret;
    if (!lw_bootstrap_token_split(token, &id, &secret))
        return LW_ERR_UNAUTHORIZED;
    (void)snprintf(name, sizeof(name), LW_BOOTSTRAP_SECRET_PREFIX "%.*s", LW_STR_ARG(id));
    lw_object *stored = lw_cache_get_ref(lw_api_resource(api, &lw_kind_secrets),
                                         LW_STR(LW_BOOTSTRAP_NAMESPACE), lw_str_of(name));
    lw_status st = LW_ERR_UNAUTHORIZED;
    if (stored)
        st = lw_bootstrap_token_check(stored, id, secret, lw_clock_wall(api->clock), users, user);
    lw_object_unref(stored);
    return st;
}

void lw_server_use_bootstrap_tokens(lw_authn *auth, lw_api *api)
{
    lw_authn_set_bootstrap_finder(auth, find_bootstrap_token, api);
}
