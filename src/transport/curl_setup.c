/* SPDX-License-Identifier: Apache-2.0 */
/* curl_setup.c -- sets the options of curl for a request. */
#include <string.h>
#include <strings.h>

#include <curl/curl.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "transport/curl_internal.h"
#include "transport/upstream.h"

enum {
    REQUEST_URL_MAX = 64 * 1024, /* selectors and continue tokens can be long */
    REQUEST_HEADERS_MAX = 64,
    REQUEST_HEADER_SIZE_MAX = 64 * 1024, /* of one; tokens can be long */
    MS_PER_S = 1000,
    READ_SIZE =
        128 * 1024, /* bytes per read: few system calls, and it fits into the cache of a core */
};

static bool is_header_text(lw_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < ' ' && text.ptr[i] != '\t')
            return false;
    return text.len <= REQUEST_HEADER_SIZE_MAX && memchr(text.ptr, ':', text.len) != NULL;
}

lw_status curl_setup_check(const lw_transfer_options *options, lw_error *err)
{
    lw_str method = lw_str_of(options->method), target = lw_str_of(options->target);
    if (method.len == 0 || !lw_is_url_text(method))
        return lw_error_set(err, LW_ERR_INVALID, "\"%.*s\" is not a valid HTTP method",
                            LW_STR_ARG(method));
    if (target.len == 0 || target.ptr[0] != '/' || !lw_is_url_text(target))
        return lw_error_set(err, LW_ERR_INVALID, "\"%.*s\" is not a valid request path",
                            LW_STR_ARG(target));
    if (target.len > REQUEST_URL_MAX / 2)
        return lw_error_set(err, LW_ERR_LIMIT, "request path is %zu bytes; the limit is %d",
                            target.len, REQUEST_URL_MAX / 2);
    size_t count = 0;
    for (const char *const *header = options->headers; header && *header; header++, count++)
        if (count == REQUEST_HEADERS_MAX || !is_header_text(lw_str_of(*header)))
            return lw_error_set(
                err, LW_ERR_INVALID,
                "header %zu of the request is invalid or too long, or there are too many",
                count + 1);
    return LW_OK;
}

static bool append_header(lw_transfer *transfer, const char *header)
{
    struct curl_slist *longer = curl_slist_append(transfer->headers, header);
    if (!longer)
        return false;
    transfer->headers = longer;
    return true;
}

static bool has_header(const lw_transfer_options *options, lw_str name)
{
    for (const char *const *header = options->headers; header && *header; header++)
        if (strncasecmp(*header, name.ptr, name.len) == 0)
            return true;
    return false;
}

/* A header without a value removes the one that curl would add. */
static bool set_headers(lw_transfer *transfer, const lw_transfer_options *options)
{
    const char *host = transfer->pool->upstream.host_header;
    bool is_good = append_header(transfer, "Expect:");
    if (host && !has_header(options, LW_STR("Host:")))
        is_good = is_good && append_header(transfer, host);
    if (!has_header(options, LW_STR("Content-Type:")))
        is_good = is_good && append_header(transfer, "Content-Type:");
    if (!has_header(options, LW_STR("Accept:")))
        is_good = is_good && append_header(transfer, "Accept:");
    for (const char *const *header = options->headers; header && *header; header++)
        is_good = is_good && append_header(transfer, *header);
    return is_good &&
           curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers) == CURLE_OK;
}

static bool set_body(lw_transfer *transfer, const lw_transfer_options *options)
{
    CURL *easy = transfer->easy;
    unsigned bad = 0;
    lw_str method = lw_str_of(options->method);
    bool has_body = options->body.len > 0 || lw_str_equal(method, LW_STR("POST")) ||
                    lw_str_equal(method, LW_STR("PUT")) || lw_str_equal(method, LW_STR("PATCH"));
    if (has_body) {
        transfer->body = lw_str_dup(options->body);
        if (!transfer->body)
            return false;
        bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_POST, 1L);
        bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_POSTFIELDS, transfer->body);
        bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                                          (curl_off_t)options->body.len);
    } else if (lw_str_equal(method, LW_STR("HEAD"))) {
        bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    }
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, options->method);
    return bad == 0;
}

static bool set_url(lw_transfer *transfer, const char *target)
{
    const lw_upstream *upstream = &transfer->pool->upstream;
    lw_buf url;
    lw_buf_init(&url, REQUEST_URL_MAX);
    lw_buf_append_text(&url, upstream->base_url);
    lw_buf_append_text(&url, target);
    lw_buf_append_char(&url, '\0');
    bool is_good = url.st == LW_OK &&
                   curl_easy_setopt(transfer->easy, CURLOPT_URL, url.data) == CURLE_OK &&
                   curl_easy_setopt(transfer->easy, CURLOPT_PATH_AS_IS, 1L) == CURLE_OK;
    lw_buf_done(&url);
    if (!is_good || !upstream->connect_to)
        return is_good;
    transfer->connect_to = curl_slist_append(NULL, upstream->connect_to);
    return transfer->connect_to &&
           curl_easy_setopt(transfer->easy, CURLOPT_CONNECT_TO, transfer->connect_to) == CURLE_OK;
}

/* curl does not copy it: the endpoint of the pool outlives the transfer. */
static unsigned set_blob(CURL *easy, CURLoption option, lw_str pem)
{
    struct curl_blob blob = { (void *)(uintptr_t)pem.ptr, pem.len, CURL_BLOB_NOCOPY };
    return pem.len > 0 ? (unsigned)curl_easy_setopt(easy, option, &blob) : 0;
}

static bool set_tls(lw_transfer *transfer)
{
    const lw_upstream *upstream = &transfer->pool->upstream;
    CURL *easy = transfer->easy;
    unsigned bad = 0;
    long minimum = CURL_SSLVERSION_TLSv1_2;
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_SSLVERSION, minimum);
    bad |=
        (unsigned)curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, upstream->is_insecure ? 0L : 1L);
    bad |=
        (unsigned)curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, upstream->is_insecure ? 0L : 2L);
    bad |= set_blob(easy, CURLOPT_CAINFO_BLOB, upstream->ca_pem);
    bad |= set_blob(easy, CURLOPT_SSLCERT_BLOB, upstream->cert_pem);
    bad |= set_blob(easy, CURLOPT_SSLKEY_BLOB, upstream->key_pem);
    /* If a CA is set, only that one is trusted, not the CAs of the system. */
    if (upstream->ca_pem.len > 0)
        bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    return bad == 0;
}

/* no_proxy applies only to proxies from the environment, not to a configured one. */
static bool set_proxy(lw_transfer *transfer)
{
    const lw_upstream *upstream = &transfer->pool->upstream;
    CURL *easy = transfer->easy;
    unsigned bad = (unsigned)curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    if (upstream->proxy_url) {
        bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_PROXY, upstream->proxy_url);
        bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
    }
    return bad == 0;
}

/* HTTP/2 only over TLS: curl 7.88 cannot reuse a plain HTTP/2 connection.  Transfers wait for a new
 * connection instead of opening one each. */
static bool set_protocol(lw_transfer *transfer, bool is_uncompressed)
{
    CURL *easy = transfer->easy;
    const lw_transport_options *options = &transfer->pool->transport->options;
    long version = transfer->pool->upstream.is_tls ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1;
    unsigned bad = 0;
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, version);
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_PIPEWAIT,
                                      transfer->pool->upstream.is_tls ? 1L : 0L);
    /* From Kubernetes 1.37 on, a compressed watch consists of one gzip member per flush (RFC 1952,
     * 2.2). curl reads only the first and fails on the second. */
    bad |=
        (unsigned)curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, is_uncompressed ? NULL : "gzip");
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)READ_SIZE);
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
    /* Cancelling does not wait for the name server; the thread that asks it ends by itself. */
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                                      (long)options->connect_timeout_s * MS_PER_S);
    return bad == 0;
}

static bool set_callbacks(lw_transfer *transfer)
{
    CURL *easy = transfer->easy;
    unsigned bad = 0;
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_PRIVATE, (char *)(void *)transfer);
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, curl_transfer_on_header);
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, curl_transfer_on_body);
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->trouble);
    curl_socket_setup(transfer, &bad);
    return bad == 0;
}

lw_status curl_setup_transfer(lw_transfer *transfer, const lw_transfer_options *options,
                              lw_error *err)
{
    lw_status st = curl_setup_check(options, err);
    if (st < 0)
        return st;
    transfer->easy = curl_easy_init();
    if (!transfer->easy || !set_callbacks(transfer) ||
        !set_protocol(transfer, options->is_uncompressed) || !set_tls(transfer) ||
        !set_proxy(transfer) || !set_url(transfer, options->target) ||
        !set_body(transfer, options) || !set_headers(transfer, options))
        return lw_error_nomem(err);
    return LW_OK;
}

lw_status curl_setup_connection(lw_transfer *transfer, lw_error *err)
{
    CURL *easy = transfer->easy = curl_easy_init();
    unsigned bad = 0;
    if (!easy || !set_callbacks(transfer) || !set_protocol(transfer, true) ||
        !set_url(transfer, "/"))
        return lw_error_nomem(err);
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_PROXY, "");
    return bad == 0 ? LW_OK : lw_error_nomem(err);
}
