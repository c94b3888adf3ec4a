/* SPDX-License-Identifier: Apache-2.0 */
/* curl_result.c -- the result of a transfer; error messages name the server and the problem. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <curl/curl.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "transport/curl_internal.h"

enum {
    MS_PER_S = 1000,
};

static const char *server_of(const lw_transfer *transfer)
{
    return transfer->pool->upstream.server;
}

/* Returns the message of curl, or at least the name of its error code. */
static const char *trouble_of(const lw_transfer *transfer, int code)
{
    return transfer->trouble[0] ? transfer->trouble : curl_easy_strerror((CURLcode)code);
}

static bool message_contains(const lw_transfer *transfer, const char *words)
{
    return strstr(transfer->trouble, words) != NULL;
}

static lw_status explain_connect(lw_transfer *transfer, int code, lw_transfer_result *result)
{
    long number = 0;
    (void)curl_easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &number);
    result->is_refused = code == CURLE_COULDNT_CONNECT && number == ECONNREFUSED;
    bool has_number = code == CURLE_COULDNT_CONNECT && number != 0;
    return lw_error_set(&result->err, LW_ERR_UNAVAILABLE, "cannot connect to %s: %s",
                        server_of(transfer),
                        has_number ? strerror((int)number) : trouble_of(transfer, code));
}

static lw_status explain_untrusted(lw_transfer *transfer, int code, lw_transfer_result *result)
{
    return lw_error_set(&result->err, LW_ERR_INVALID,
                        "cannot verify the certificate of %s: %s (set certificate-authority to the "
                        "CA that signed it, tls-server-name to the name in it, or "
                        "insecure-skip-tls-verify to skip verification)",
                        server_of(transfer), trouble_of(transfer, code));
}

static lw_status explain_credentials(lw_transfer *transfer, int code, lw_transfer_result *result)
{
    return lw_error_set(&result->err, LW_ERR_INVALID,
                        "cannot use the client certificate or its key for %s: %s",
                        server_of(transfer), trouble_of(transfer, code));
}

/* An interrupted handshake is a server that starts or stops; one that OpenSSL rejects will fail
 * again. */
static lw_status explain_handshake(lw_transfer *transfer, int code, lw_transfer_result *result)
{
    bool is_protocol = message_contains(transfer, "SSL routines");
    const char *hint = message_contains(transfer, "wrong version number")
                           ? " (does the server use plain HTTP?)"
                           : "";
    return lw_error_set(&result->err, is_protocol ? LW_ERR_INVALID : LW_ERR_UNAVAILABLE,
                        "the TLS handshake with %s failed: %s%s", server_of(transfer),
                        trouble_of(transfer, code), hint);
}

static lw_status explain_broken(lw_transfer *transfer, int code, lw_transfer_result *result)
{
    /* With TLS 1.3 a server rejects a client certificate only after the handshake. */
    if (message_contains(transfer, "alert") && message_contains(transfer, "certificate"))
        return explain_credentials(transfer, code, result);
    result->is_truncated = transfer->head.is_complete;
    /* curl has five codes for an HTTP/2 connection that ends. */
    result->is_lost =
        !result->is_truncated && transfer->pool->upstream.is_tls && !transfer->pool->is_http1;
    return lw_error_set(&result->err, LW_ERR_UNAVAILABLE,
                        result->is_truncated
                            ? "%s closed the connection before the end of its response: %s"
                            : "%s closed the connection without a response: %s",
                        server_of(transfer), trouble_of(transfer, code));
}

static lw_status explain_nonsense(lw_transfer *transfer, int code, lw_transfer_result *result)
{
    return lw_error_set(&result->err, LW_ERR_INVALID, "%s did not send a valid HTTP response: %s",
                        server_of(transfer), trouble_of(transfer, code));
}

static lw_status explain(lw_transfer *transfer, int code, lw_transfer_result *result)
{
    switch ((CURLcode)code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY: return explain_connect(transfer, code, result);
    /* The timeout of curl applies only to connecting. */
    case CURLE_OPERATION_TIMEDOUT:
        return lw_error_set(&result->err, LW_ERR_TIMEOUT, "cannot connect to %s within %d s",
                            server_of(transfer),
                            transfer->pool->transport->options.connect_timeout_s);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CACERT_BADFILE: return explain_untrusted(transfer, code, result);
    case CURLE_SSL_CERTPROBLEM: return explain_credentials(transfer, code, result);
    case CURLE_SSL_CONNECT_ERROR: return explain_handshake(transfer, code, result);
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_SEND_FAIL_REWIND: return explain_broken(transfer, code, result);
    case CURLE_OUT_OF_MEMORY: return lw_error_nomem(&result->err);
    default: return explain_nonsense(transfer, code, result);
    }
}

static void begin(const lw_transfer *transfer, lw_transfer_result *result)
{
    *result = (lw_transfer_result){ .st = LW_OK, .err = LW_ERROR_INIT };
    result->status = transfer->head.is_complete ? transfer->head.status : 0;
}

void curl_result_of_code(lw_transfer *transfer, int code, lw_transfer_result *result)
{
    begin(transfer, result);
    if (code == CURLE_OK && transfer->head.is_complete)
        return;
    /* curl accepts an incomplete head. */
    if (code == CURLE_OK)
        code = CURLE_GOT_NOTHING;
    if (transfer->fault)
        result->st = lw_error_set(&result->err, LW_ERR_INVALID, "%s: %s", server_of(transfer),
                                  transfer->fault);
    else
        result->st = explain(transfer, code, result);
}

void curl_result_timeout(lw_transfer *transfer, lw_transfer_result *result)
{
    const lw_transfer_options *options = &transfer->options;
    int64_t age_ns = transfer->pool->transport->now_ns - transfer->started_ns;
    bool is_total = options->timeout_ms > 0 && age_ns >= options->timeout_ms * LW_NS_PER_MS;
    bool is_seconds = options->timeout_ms % MS_PER_S == 0;
    begin(transfer, result);
    result->is_truncated = transfer->head.is_complete;
    if (is_total)
        result->st =
            lw_error_set(&result->err, LW_ERR_TIMEOUT, "no %s from %s within %" PRId64 " %s",
                         transfer->head.is_complete ? "complete response" : "response",
                         server_of(transfer),
                         is_seconds ? options->timeout_ms / MS_PER_S : options->timeout_ms,
                         is_seconds ? "s" : "ms");
    else
        result->st = lw_error_set(&result->err, LW_ERR_TIMEOUT, "%s sent no data for %d s",
                                  server_of(transfer), options->idle_timeout_s);
}

void curl_result_abandoned(lw_transfer *transfer, lw_transfer_result *result)
{
    begin(transfer, result);
    result->is_truncated = transfer->head.is_complete;
    result->st = lw_error_set(&result->err, LW_ERR_UNAVAILABLE,
                              "the connection to %s was closed: %s", server_of(transfer),
                              transfer->pool->is_broken
                                  ? "its socket could not be added to epoll"
                                  : "the server address or the credentials have changed");
}
