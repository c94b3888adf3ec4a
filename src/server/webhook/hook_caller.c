/* SPDX-License-Identifier: Apache-2.0 */
/* hook_caller.c -- admission webhooks by HTTP.
 *
 * Each loop has a client of its own (lw_api_port.hook_client), made when it first calls a webhook.
 */
#include "server/webhook/hook_caller.h"

#include <stdio.h>

#include "api/services/service_address.h"
#include "api/webhooks/reply.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "crypto/certificate_bundle.h"
#include "net/client/http_client.h"
#include "server/webhook/hook_path.h"

enum {
    RULES_MAX = 16,
    HTTPS_PORT = 443,
    URL_MAX = 8192,
    PARAMETER_USUAL = 16, /* bytes of the timeout in the query */
    HEADERS = 4,
};

/* host:port is reached at another address. */
typedef struct resolve_rule {
    char *host;
    uint16_t port;
    char *to_host;
    uint16_t to_port;
} resolve_rule;

struct lw_http_hook_caller {
    lw_hook_caller interface;
    lw_hook_credentials *credentials; /* may be NULL */
    resolve_rule rules[RULES_MAX];
    size_t rule_count;
};

struct lw_hook_endpoint {
    char *host; /* without brackets: what the certificate is for */
    uint16_t port;
    char *authority; /* as it is in the URL */
    char *path;
    bool is_service;
    char *service_ns, *service_name; /* of a Service */
    lw_tls_context *tls;
    char *authorization; /* value of the header; NULL: none */
};

/* Splits "host:port", "[v6]:port", or a host alone. */
static bool split_authority(lw_str text, lw_str *host, uint16_t *port)
{
    lw_str digits = LW_STR("");
    uint64_t number = HTTPS_PORT;
    if (lw_str_starts_with(text, LW_STR("["))) {
        if (!lw_str_cut(lw_str_skip(text, 1), ']', host, &digits))
            return false;
        if (digits.len > 0 && digits.ptr[0] != ':')
            return false;
        digits = lw_str_skip(digits, 1);
    } else {
        (void)lw_str_cut(text, ':', host, &digits);
    }
    if (digits.len > 0 &&
        (!lw_str_to_uint64(digits, &number) || number == 0 || number > UINT16_MAX))
        return false;
    *port = (uint16_t)number;
    return host->len > 0;
}

static void endpoint_free(lw_hook_endpoint *endpoint)
{
    if (!endpoint)
        return;
    lw_free(endpoint->host);
    lw_free(endpoint->authority);
    lw_free(endpoint->path);
    lw_free(endpoint->service_ns);
    lw_free(endpoint->service_name);
    lw_free(endpoint->authorization);
    lw_tls_context_free(endpoint->tls);
    lw_free(endpoint);
}

static lw_status take_url(lw_hook_endpoint *endpoint, lw_str url, lw_error *err)
{
    lw_str rest = url, authority, path, host;
    if (!lw_str_starts_with(url, LW_STR("https://")))
        return lw_error_set(err, LW_ERR_INVALID, "the URL of the webhook is not https");
    rest = lw_str_skip(url, strlen("https://"));
    (void)lw_str_cut(rest, '/', &authority, &path);
    if (!split_authority(authority, &host, &endpoint->port))
        return lw_error_set(err, LW_ERR_INVALID, "the URL of the webhook has no valid host");
    endpoint->host = lw_str_dup(host);
    endpoint->authority = lw_str_dup(authority);
    endpoint->path = lw_hook_path_clean(lw_str_skip(rest, authority.len));
    return endpoint->host && endpoint->authority && endpoint->path ? LW_OK : lw_error_nomem(err);
}

static char *join(const char *format, lw_str a, lw_str b, unsigned number)
{
    lw_buf text;
    lw_buf_init(&text, URL_MAX);
    lw_buf_printf(&text, format, LW_STR_ARG(a), LW_STR_ARG(b), number);
    char *joined = lw_buf_take_text(&text);
    lw_buf_done(&text);
    return joined;
}

static lw_status take_service(lw_hook_endpoint *endpoint, const lw_hook_target *target,
                              lw_error *err)
{
    if (target->service_port <= 0 || target->service_port > UINT16_MAX)
        return lw_error_set(err, LW_ERR_INVALID, "the port of the service is not valid");
    endpoint->is_service = true;
    endpoint->port = (uint16_t)target->service_port;
    endpoint->service_ns = lw_str_dup(target->service_ns);
    endpoint->service_name = lw_str_dup(target->service_name);
    endpoint->host = join("%.*s.%.*s.svc", target->service_name, target->service_ns, 0);
    endpoint->authority =
        join("%.*s.%.*s.svc:%u", target->service_name, target->service_ns, endpoint->port);
    endpoint->path = lw_hook_path_clean(target->service_path);
    return endpoint->service_ns && endpoint->service_name && endpoint->host &&
                   endpoint->authority && endpoint->path
               ? LW_OK
               : lw_error_nomem(err);
}

static lw_status open_tls(const lw_http_hook_caller *caller, lw_hook_endpoint *endpoint,
                          lw_str ca_bundle, lw_error *err)
{
    lw_hook_credential credential = { .cert = LW_STR("") };
    lw_error why = LW_ERROR_INIT;
    (void)lw_hook_credentials_find(caller->credentials, lw_str_of(endpoint->host), endpoint->port,
                                   &credential);
    const lw_tls_pem_options pem = { .ca = ca_bundle,
                                     .cert = credential.cert,
                                     .key = credential.key };
    const char *fault = ca_bundle.len > 0 ? lw_certificate_bundle_fault(ca_bundle) : NULL;
    if (fault)
        return lw_error_set(err, LW_ERR_INVALID, "unable to load root certificates: %s", fault);
    lw_status st = lw_tls_client_context_new_pem(&endpoint->tls, &pem, &why);
    if (st < 0)
        return lw_error_set(err, st, "unable to load root certificates: %s", why.message);
    if (credential.authorization.len == 0)
        return LW_OK;
    endpoint->authorization = lw_str_dup(credential.authorization);
    return endpoint->authorization ? LW_OK : lw_error_nomem(err);
}

static lw_status open_endpoint(void *arg, const lw_hook_target *target, lw_hook_endpoint **out,
                               lw_error *err)
{
    const lw_http_hook_caller *caller = arg;
    lw_hook_endpoint *endpoint = lw_alloc_zero(1, sizeof(*endpoint));
    if (!endpoint)
        return lw_error_nomem(err);
    lw_status st = target->url.len > 0 ? take_url(endpoint, target->url, err)
                                       : take_service(endpoint, target, err);
    if (st == LW_OK)
        st = open_tls(caller, endpoint, target->ca_bundle, err);
    if (st < 0)
        endpoint_free(endpoint);
    else
        *out = endpoint;
    return st;
}

static void close_endpoint(void *arg, lw_hook_endpoint *endpoint)
{
    (void)arg;
    endpoint_free(endpoint);
}

static const resolve_rule *find_rule(const lw_http_hook_caller *caller,
                                     const lw_hook_endpoint *endpoint)
{
    for (size_t i = 0; i < caller->rule_count; i++) {
        const resolve_rule *rule = &caller->rules[i];
        if (rule->port == endpoint->port && strcmp(rule->host, endpoint->host) == 0)
            return rule;
    }
    return NULL;
}

/* Finds where |endpoint| is now. */
static lw_status locate(const lw_http_hook_caller *caller, lw_api_port *port,
                        const lw_hook_endpoint *endpoint, lw_service_address *out, lw_error *err)
{
    const resolve_rule *rule = find_rule(caller, endpoint);
    if (!rule && endpoint->is_service)
        return lw_service_address_find(port, lw_str_of(endpoint->service_ns),
                                       lw_str_of(endpoint->service_name), endpoint->port, out, err);
    const char *host = rule ? rule->to_host : endpoint->host;
    size_t len = strlen(host);
    if (len >= sizeof(out->host))
        return lw_error_set(err, LW_ERR_INVALID, "the host name of the webhook is too long");
    memcpy(out->host, host, len + 1);
    out->port = rule ? rule->to_port : endpoint->port;
    return LW_OK;
}

/* What the reply is for; freed with it. */
typedef struct sent_call {
    lw_hook_call *call;
    lw_http_call *http;
    const lw_hook_endpoint *endpoint; /* lives longer */
} sent_call;

static const char *separator_of(const lw_hook_endpoint *endpoint)
{
    return strchr(endpoint->path, '?') ? "&" : "?";
}

/* As Go words it: Post "https://...": reason.  The client's message begins with the target. */
static void word_failure(const sent_call *sent, const lw_error *from, lw_error *out)
{
    static const lw_str refused = LW_STR_INIT(": Connection refused");
    static const lw_str untrusted = LW_STR_INIT("cannot verify the certificate: ");
    lw_str reason = lw_str_of(from->message), target = lw_str_of(sent->endpoint->authority);
    const char *before = "", *after = "";
    if (lw_str_starts_with(reason, target) &&
        lw_str_starts_with(lw_str_skip(reason, target.len), LW_STR(": ")))
        reason = lw_str_skip(reason, target.len + 2);
    if (from->code == LW_ERR_TIMEOUT) {
        reason = LW_STR("context deadline exceeded");
    } else if (lw_str_ends_with(reason, refused)) {
        reason.len -= refused.len;
        before = "dial tcp ";
        after = ": connect: connection refused";
    } else if (lw_str_starts_with(reason, untrusted)) {
        reason = lw_str_skip(reason, untrusted.len);
        before = "tls: failed to verify certificate: x509: ";
    }
    (void)lw_error_set(out, from->code, "Post \"https://%s%s%stimeout=%llds\": %s%.*s%s",
                       sent->endpoint->authority, sent->endpoint->path,
                       separator_of(sent->endpoint), (long long)sent->call->timeout_s, before,
                       LW_STR_ARG(reason), after);
}

static void on_reply(int status, lw_str content_type, lw_str body, const lw_error *err, void *arg)
{
    sent_call *sent = arg;
    lw_hook_call *call = sent->call;
    lw_error worded = LW_ERROR_INIT;
    if (err)
        word_failure(sent, err, &worded);
    lw_free(sent);
    call->sent = NULL;
    call->done(call, status, content_type, body, err ? &worded : NULL);
}

static lw_status client_of(lw_api_port *port, lw_http_client **out, lw_error *err)
{
    lw_http_client *client = port->hook_client;
    if (!client) {
        lw_status st = lw_http_client_new(&client, port->loop, err);
        if (st < 0)
            return st;
        port->hook_client = client;
    }
    *out = client;
    return LW_OK;
}

static lw_status send(const lw_hook_endpoint *endpoint, const lw_service_address *address,
                      lw_str path, sent_call *sent, lw_error *err)
{
    lw_http_client *client = NULL;
    lw_http_header headers[HEADERS] = {
        { LW_STR("accept"), LW_STR("application/json, */*") },
        { LW_STR("content-type"), LW_STR("application/json") },
        { LW_STR("user-agent"), LW_STR("kube-apiserver-admission") },
    };
    size_t count = HEADERS - 1;
    if (endpoint->authorization)
        headers[count++] =
            (lw_http_header){ LW_STR("authorization"), lw_str_of(endpoint->authorization) };
    lw_http_call_options options = { .target = { .host = address->host,
                                                 .port = address->port,
                                                 .tls = endpoint->tls,
                                                 .authority = endpoint->authority,
                                                 .server_name = endpoint->host },
                                     .method = LW_STR("POST"),
                                     .path = path,
                                     .headers = headers,
                                     .header_count = count,
                                     .body = lw_bytes_static(sent->call->body),
                                     .deadline_ns = sent->call->deadline_ns,
                                     .reply_max = LW_HOOK_REPLY_MAX };
    lw_status st = client_of(sent->call->port, &client, err);
    return st < 0 ? st : lw_http_client_ask(&sent->http, client, &options, on_reply, sent, err);
}

static lw_status start_call(void *arg, lw_hook_endpoint *endpoint, lw_hook_call *call,
                            lw_error *err)
{
    const lw_http_hook_caller *caller = arg;
    lw_service_address address;
    lw_error why = LW_ERROR_INIT;
    lw_buf path;
    sent_call *sent = lw_alloc_zero(1, sizeof(*sent));
    if (!sent)
        return lw_error_nomem(err);
    *sent = (sent_call){ .call = call, .endpoint = endpoint };
    lw_buf_init(&path, URL_MAX);
    (void)lw_buf_reserve(&path, strlen(endpoint->path) + PARAMETER_USUAL);
    lw_buf_append_text(&path, endpoint->path);
    lw_buf_append_text(&path, separator_of(endpoint));
    lw_buf_append_str(&path, LW_STR("timeout="));
    lw_buf_append_uint(&path, (uint64_t)call->timeout_s);
    lw_buf_append_char(&path, 's');
    lw_status st = path.st < 0 ? lw_error_set(&why, path.st, "%s", lw_status_name(path.st))
                               : locate(caller, call->port, endpoint, &address, &why);
    if (st == LW_OK)
        st = send(endpoint, &address, lw_buf_view(&path), sent, &why);
    if (st < 0) {
        word_failure(sent, &why, err);
        lw_free(sent);
    } else {
        call->sent = sent;
    }
    lw_buf_done(&path);
    return st;
}

static void cancel_call(void *arg, lw_hook_call *call)
{
    sent_call *sent = call->sent;
    (void)arg;
    if (!sent)
        return;
    lw_http_call_cancel(sent->http);
    lw_free(sent);
    call->sent = NULL;
}

static void leave_port(void *arg, lw_api_port *port)
{
    (void)arg;
    lw_http_client_free(port->hook_client);
    port->hook_client = NULL;
}

static lw_status add_rule(lw_http_hook_caller *caller, const char *text, lw_error *err)
{
    lw_str from, to, host, to_host;
    resolve_rule *rule = &caller->rules[caller->rule_count];
    if (caller->rule_count == RULES_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "--webhook-resolve: at most %d rules", RULES_MAX);
    if (!lw_str_cut(lw_str_of(text), '=', &from, &to) ||
        !split_authority(from, &host, &rule->port) ||
        !split_authority(to, &to_host, &rule->to_port))
        return lw_error_set(err, LW_ERR_INVALID,
                            "--webhook-resolve: \"%s\" is not HOST:PORT=ADDRESS:PORT, for example "
                            "hook.default.svc:443=127.0.0.1:9443",
                            text);
    caller->rule_count++;
    rule->host = lw_str_dup(host);
    rule->to_host = lw_str_dup(to_host);
    return rule->host && rule->to_host ? LW_OK : lw_error_nomem(err);
}

lw_status lw_http_hook_caller_new(lw_http_hook_caller **out, const char *const *resolve,
                                  lw_hook_credentials *credentials, lw_error *err)
{
    lw_http_hook_caller *caller = lw_alloc_zero(1, sizeof(*caller));
    lw_status st = LW_OK;
    if (!caller) {
        lw_hook_credentials_free(credentials);
        return lw_error_nomem(err);
    }
    caller->credentials = credentials;
    caller->interface = (lw_hook_caller){ .open = open_endpoint,
                                          .close = close_endpoint,
                                          .start = start_call,
                                          .cancel = cancel_call,
                                          .leave = leave_port,
                                          .arg = caller };
    for (; st == LW_OK && resolve && *resolve; resolve++)
        st = add_rule(caller, *resolve, err);
    if (st < 0)
        lw_http_hook_caller_free(caller);
    else
        *out = caller;
    return st;
}

void lw_http_hook_caller_free(lw_http_hook_caller *caller)
{
    if (!caller)
        return;
    for (size_t i = 0; i < caller->rule_count; i++) {
        lw_free(caller->rules[i].host);
        lw_free(caller->rules[i].to_host);
    }
    lw_hook_credentials_free(caller->credentials);
    lw_free(caller);
}

const lw_hook_caller *lw_http_hook_caller_interface(lw_http_hook_caller *caller)
{
    return &caller->interface;
}
