/* SPDX-License-Identifier: Apache-2.0 */
/* pki.c -- generates the keys and certificates of a server that was given none, and the
 * administrator's token.
 *
 * A pair is read from the directory, checked, and generated again if it is not usable.  The CA is
 * replaced only if it has expired, because clients trust it. */
#include "server/core/pki.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/file_batch.h"
#include "base/file/files.h"
#include "base/log.h"
#include "base/random.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "net/tls/tls_make.h"
#include "net/tls/tls_read.h"
#include "server/authn/authn.h"

enum {
    TOKEN_BYTES = 32,
    TOKEN_FILE_MAX = 4096,
    SECONDS_A_DAY = 24 * 60 * 60,
    PROC_PATH_SIZE = 32,
};

/* A key and its certificate, in memory and in files. */
typedef struct pair {
    const char *name;          /* e.g. "server" for server.crt and server.key */
    const struct pair *issuer; /* NULL: it is a CA */
    lw_buf cert, key;
    lw_tls_ca *ca; /* the same, opened to sign and to verify; NULL: it is not a CA */
    /* Without a directory: NULL until they are written to in-memory files. */
    char *cert_file, *key_file;
} pair;

/* State of one lw_pki_open. */
typedef struct making {
    lw_pki *pki;
    const lw_pki_options *options;
    int64_t now_s;
    lw_file_batch files; /* the new ones: they become durable together */
    pair ca, server, admin, kubelet_client;
    pair front_proxy_ca, front_proxy_client;
} making;

static void pair_init(pair *p, const char *name, const pair *issuer)
{
    p->name = name;
    p->issuer = issuer;
    lw_buf_init(&p->cert, LW_PKI_PEM_MAX);
    lw_buf_init(&p->key, LW_PKI_PEM_MAX);
    p->ca = NULL;
    p->cert_file = p->key_file = NULL;
}

static void wipe(lw_buf *buf)
{
    if (buf->data)
        explicit_bzero(buf->data, buf->cap);
    lw_buf_done(buf);
}

static void pair_done(pair *p)
{
    lw_buf_done(&p->cert);
    wipe(&p->key);
    lw_tls_ca_free(p->ca);
    lw_free(p->cert_file);
    lw_free(p->key_file);
}

static char *pair_path(const making *m, const pair *p, const char *ending)
{
    char name[32];
    (void)snprintf(name, sizeof(name), "%s.%s", p->name, ending);
    return lw_file_path(m->options->folder, name);
}

/* Reads both files of |p|.  LW_ERR_NOT_FOUND: at least one is missing. */
static lw_status pair_read(const making *m, pair *p, lw_error *err)
{
    if (!m->options->folder)
        return LW_ERR_NOT_FOUND;
    p->cert_file = pair_path(m, p, "crt");
    p->key_file = pair_path(m, p, "key");
    if (!p->cert_file || !p->key_file)
        return lw_error_nomem(err);
    lw_status st = lw_file_read(p->cert_file, &p->cert, err);
    return st < 0 ? st : lw_file_read(p->key_file, &p->key, err);
}

/* Writes |bytes| to an anonymous file in memory; OpenSSL opens it by its descriptor in /proc. */
static lw_status lay_down(making *m, lw_str bytes, char **path, lw_error *err)
{
    char name[PROC_PATH_SIZE];
    lw_pki *pki = m->pki;
    int fd = memfd_create("listwatch-pki", MFD_CLOEXEC);
    if (fd < 0)
        return lw_error_set(err, LW_ERR_IO,
                            "cannot create an in-memory file for a key or certificate");
    pki->fds[pki->fd_count++] = fd;
    (void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    *path = lw_str_dup(lw_str_of(name));
    if (!*path)
        return lw_error_nomem(err);
    if (write(fd, bytes.ptr, bytes.len) != (ssize_t)bytes.len)
        return lw_error_set(err, LW_ERR_IO,
                            "cannot write a key or certificate to an in-memory file");
    return LW_OK;
}

/* Writes the key before the certificate: after a crash in between, the pair does not match and the
 * next start generates it again. */
static lw_status pair_write(making *m, pair *p, lw_error *err)
{
    if (!m->options->folder) {
        lw_status st = lay_down(m, lw_buf_view(&p->key), &p->key_file, err);
        return st < 0 ? st : lay_down(m, lw_buf_view(&p->cert), &p->cert_file, err);
    }
    lw_status st = lw_file_batch_add(&m->files, p->key_file, lw_buf_view(&p->key), err);
    return st < 0 ? st : lw_file_batch_add(&m->files, p->cert_file, lw_buf_view(&p->cert), err);
}

static lw_status pair_make(making *m, pair *p, const lw_tls_subject *subject, lw_error *err)
{
    lw_tls_ca_free(p->ca);
    p->ca = NULL;
    lw_buf_reset(&p->cert);
    lw_buf_reset(&p->key);
    lw_status st = lw_tls_issue(subject, p->issuer ? p->issuer->ca : NULL, &p->cert, &p->key,
                                p->issuer ? NULL : &p->ca, err);
    if (st == LW_OK)
        st = pair_write(m, p, err);
    if (st == LW_OK && m->options->folder)
        lw_log(m->options->logger, LW_LOG_INFO, "pki", "created %s", p->cert_file);
    return st;
}

/* Checks that the pair is valid and remains so for some time. */
static lw_status pair_check(const making *m, const pair *p, const char *const *hosts, lw_error *err)
{
    const lw_tls_wish wish = {
        .cert = lw_buf_view(&p->cert),
        .key = lw_buf_view(&p->key),
        .ca = p->issuer ? p->issuer->ca : NULL,
        .hosts = hosts,
        .from_s = m->now_s,
        .until_s = m->now_s + (int64_t)LW_PKI_RENEW_DAYS * SECONDS_A_DAY,
    };
    return lw_tls_check(&wish, err);
}

/* Generates the CA if it has no certificate (a key alone is left by a crash) or if it has expired.
 * If the key does not match the certificate, it returns an error and leaves the decision to the
 * administrator. */
static lw_status open_ca(making *m, pair *ca, const char *common_name, lw_error *err)
{
    const lw_tls_subject subject = { .common_name = common_name,
                                     .is_ca = true,
                                     .days = LW_PKI_CA_DAYS };
    lw_error why = LW_ERROR_INIT;
    lw_status st = pair_read(m, ca, &why);
    if (st == LW_OK)
        st = pair_check(m, ca, NULL, &why);
    if (st == LW_OK)
        st = lw_tls_ca_read(&ca->ca, lw_buf_view(&ca->cert), lw_buf_view(&ca->key), &why);
    if (st == LW_OK)
        return LW_OK;
    if (st == LW_ERR_EXPIRED)
        lw_log(m->options->logger, LW_LOG_WARN, "pki",
               "%s: %s: creating a new CA; those who trust it need the new one", ca->cert_file,
               why.message);
    if (st == LW_ERR_EXPIRED || (st == LW_ERR_NOT_FOUND && ca->cert.len == 0))
        return pair_make(m, ca, &subject, err);
    return lw_error_set(err, st,
                        "%s: %s; restore it, or remove the directory %s to create a new CA",
                        ca->cert_file ? ca->cert_file : ca->name, why.message, m->options->folder);
}

static lw_status open_leaf(making *m, pair *p, const lw_tls_subject *subject, lw_error *err)
{
    lw_error why = LW_ERROR_INIT;
    lw_status st = pair_read(m, p, &why);
    if (st == LW_OK)
        st = pair_check(m, p, subject->hosts, &why);
    if (st == LW_OK)
        return LW_OK;
    if (st == LW_ERR_IO || st == LW_ERR_NOMEM)
        return lw_error_set(err, st, "%s", why.message);
    if (st != LW_ERR_NOT_FOUND || p->cert.len > 0)
        lw_log(m->options->logger, LW_LOG_INFO, "pki", "%s: %s: creating a new one", p->cert_file,
               why.message);
    return pair_make(m, p, subject, err);
}

static lw_status open_server(making *m, lw_error *err)
{
    const lw_tls_subject subject = { .common_name = "listwatch",
                                     .hosts = m->options->hosts,
                                     .days = LW_PKI_LEAF_DAYS };
    return open_leaf(m, &m->server, &subject, err);
}

static lw_status open_admin(making *m, lw_error *err)
{
    static const lw_tls_subject subject = { .common_name = LW_USER_ADMIN,
                                            .organization = LW_GROUP_MASTERS,
                                            .is_client = true,
                                            .days = LW_PKI_LEAF_DAYS };
    return open_leaf(m, &m->admin, &subject, err);
}

static lw_status take_copy(char **to, lw_str from, lw_error *err)
{
    *to = lw_str_dup(from);
    return *to ? LW_OK : lw_error_nomem(err);
}

/* The identity of this server towards kubelets. */
static lw_status open_kubelet_client(making *m, lw_error *err)
{
    static const lw_tls_subject subject = { .common_name = "kube-apiserver-kubelet-client",
                                            .organization = LW_GROUP_MASTERS,
                                            .is_client = true,
                                            .days = LW_PKI_LEAF_DAYS };
    lw_status st = open_leaf(m, &m->kubelet_client, &subject, err);
    if (st == LW_OK)
        st = take_copy(&m->pki->kubelet_client_cert, lw_buf_view(&m->kubelet_client.cert), err);
    if (st == LW_OK)
        st = take_copy(&m->pki->kubelet_client_key, lw_buf_view(&m->kubelet_client.key), err);
    return st;
}

/* The identity of this server towards the API servers behind it, and the CA that vouches for it:
 * another one than that of users, who could otherwise pose as the proxy. */
static lw_status open_front_proxy(making *m, lw_error *err)
{
    static const lw_tls_subject subject = { .common_name = LW_PKI_FRONT_PROXY_NAME,
                                            .is_client = true,
                                            .days = LW_PKI_LEAF_DAYS };
    lw_status st = open_ca(m, &m->front_proxy_ca, "front-proxy-ca", err);
    if (st == LW_OK)
        st = open_leaf(m, &m->front_proxy_client, &subject, err);
    if (st == LW_OK)
        st = take_copy(&m->pki->front_proxy_ca, lw_buf_view(&m->front_proxy_ca.cert), err);
    if (st == LW_OK)
        st = take_copy(&m->pki->front_proxy_cert, lw_buf_view(&m->front_proxy_client.cert), err);
    if (st == LW_OK)
        st = take_copy(&m->pki->front_proxy_key, lw_buf_view(&m->front_proxy_client.key), err);
    return st;
}

static lw_status make_token(lw_buf *out, lw_error *err)
{
    char bytes[TOKEN_BYTES];
    if (lw_entropy_fill(bytes, sizeof(bytes)) < 0)
        return lw_error_set(err, LW_ERR_IO, "cannot get random bytes from the system");
    lw_base64url_encode(out, lw_str_make(bytes, sizeof(bytes)));
    explicit_bzero(bytes, sizeof(bytes));
    return out->st < 0 ? lw_error_nomem(err) : LW_OK;
}

static lw_status read_or_make_token(making *m, const char *path, lw_buf *token, lw_error *err)
{
    lw_status st = path ? lw_file_read(path, token, err) : LW_ERR_NOT_FOUND;
    if (st == LW_OK && lw_str_trim(lw_buf_view(token)).len == 0)
        st = LW_ERR_NOT_FOUND; /* an empty token would match requests without a token */
    if (st != LW_ERR_NOT_FOUND)
        return st;
    lw_buf_reset(token);
    st = make_token(token, err);
    if (st == LW_OK && path)
        st = lw_file_batch_add(&m->files, path, lw_buf_view(token), err);
    if (st == LW_OK && path)
        lw_log(m->options->logger, LW_LOG_INFO, "pki", "created %s", path);
    return st;
}

static lw_status open_token(making *m, lw_error *err)
{
    lw_buf token;
    char *path = NULL;
    lw_buf_init(&token, TOKEN_FILE_MAX);
    if (m->options->folder) {
        path = lw_file_path(m->options->folder, "admin.token");
        if (!path)
            return lw_error_nomem(err);
    }
    lw_status st = read_or_make_token(m, path, &token, err);
    if (st == LW_OK) {
        m->pki->admin_token = lw_str_dup(lw_str_trim(lw_buf_view(&token)));
        if (!m->pki->admin_token)
            st = lw_error_nomem(err);
    }
    wipe(&token);
    lw_free(path);
    return st;
}

/* Moves |from| to |to|. */
static void take(char **to, char **from)
{
    *to = *from;
    *from = NULL;
}

/* Uses the certificate of the options; clients then trust exactly that certificate. */
static lw_status use_given(making *m, lw_error *err)
{
    lw_status st = lw_file_read(m->options->cert_file, &m->server.cert, err);
    if (st == LW_OK)
        st = take_copy(&m->pki->cert_file, lw_str_of(m->options->cert_file), err);
    if (st == LW_OK)
        st = take_copy(&m->pki->key_file, lw_str_of(m->options->key_file), err);
    if (st == LW_OK)
        st = take_copy(&m->pki->trust, lw_buf_view(&m->server.cert), err);
    return st;
}

static lw_status use_made(making *m, lw_error *err)
{
    lw_status st = open_server(m, err);
    if (st < 0)
        return st;
    take(&m->pki->cert_file, &m->server.cert_file);
    take(&m->pki->key_file, &m->server.key_file);
    return take_copy(&m->pki->trust, lw_buf_view(&m->ca.cert), err);
}

static lw_status open_all(making *m, lw_error *err)
{
    const lw_pki_options *options = m->options;
    bool needs_ca = !options->cert_file || !options->client_ca_file;
    lw_status st = options->folder ? lw_folder_make(options->folder, err) : LW_OK;
    if (st == LW_OK && needs_ca)
        st = open_ca(m, &m->ca, "listwatch-ca", err);
    if (st == LW_OK && needs_ca)
        st = take_copy(&m->pki->ca_cert, lw_buf_view(&m->ca.cert), err);
    if (st == LW_OK && needs_ca)
        st = take_copy(&m->pki->ca_key, lw_buf_view(&m->ca.key), err);
    if (st == LW_OK)
        st = options->cert_file ? use_given(m, err) : use_made(m, err);
    if (st == LW_OK && options->client_ca_file)
        st = take_copy(&m->pki->client_ca_file, lw_str_of(options->client_ca_file), err);
    if (st == LW_OK && !options->client_ca_file) {
        st = options->folder ? open_admin(m, err) : LW_OK;
        if (st == LW_OK)
            st = take_copy(&m->pki->client_ca_file, lw_str_of(m->ca.cert_file), err);
    }
    if (st == LW_OK && needs_ca && options->has_kubelet_client)
        st = open_kubelet_client(m, err);
    if (st == LW_OK && options->has_front_proxy)
        st = open_front_proxy(m, err);
    return st == LW_OK ? open_token(m, err) : st;
}

lw_status lw_pki_open(lw_pki *pki, const lw_pki_options *options, lw_error *err)
{
    making m = { .pki = pki, .options = options, .now_s = options->wall_ns / LW_NS_PER_S };
    pair_init(&m.ca, "ca", NULL);
    pair_init(&m.server, "server", &m.ca);
    pair_init(&m.admin, "admin", &m.ca);
    pair_init(&m.kubelet_client, "kubelet-client", &m.ca);
    pair_init(&m.front_proxy_ca, "front-proxy-ca", NULL);
    pair_init(&m.front_proxy_client, "front-proxy-client", &m.front_proxy_ca);
    lw_file_batch_init(&m.files);
    lw_status st = open_all(&m, err);
    if (st == LW_OK)
        st = lw_file_batch_commit(&m.files, err);
    lw_file_batch_done(&m.files);
    pair_done(&m.ca);
    pair_done(&m.server);
    pair_done(&m.admin);
    pair_done(&m.kubelet_client);
    pair_done(&m.front_proxy_ca);
    pair_done(&m.front_proxy_client);
    return st;
}

static void wipe_text(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    lw_free(text);
}

void lw_pki_done(lw_pki *pki)
{
    lw_free(pki->cert_file);
    lw_free(pki->key_file);
    lw_free(pki->client_ca_file);
    lw_free(pki->trust);
    lw_free(pki->ca_cert);
    lw_free(pki->front_proxy_ca);
    lw_free(pki->front_proxy_cert);
    lw_free(pki->kubelet_client_cert);
    wipe_text(pki->ca_key);
    wipe_text(pki->front_proxy_key);
    wipe_text(pki->kubelet_client_key);
    wipe_text(pki->admin_token);
    for (unsigned i = 0; i < pki->fd_count; i++)
        (void)close(pki->fds[i]);
    memset(pki, 0, sizeof(*pki));
}
