/* SPDX-License-Identifier: Apache-2.0 */
/* accounts.c -- sets up service account tokens. */
#include "server/core/accounts.h"

#include "api/context/cache_lookup.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "server/authn/account_keys.h"
#include "json/writer.h"

enum {
    MIN_MAX_S = 3600, /* the shortest maximum of the expiration */
    DOCUMENT_MAX = 1 << 20,
    KINDS = LW_TOKEN_SECRET + 1,
};

#define MAX_MAX_S          (INT64_C(1) << 32)
#define CONFIGURATION_PATH "/.well-known/openid-configuration"
#define KEYS_PATH          "/openid/v1/jwks"

struct lw_accounts {
    lw_account_keys keys;
    lw_account_authn *authn;
    char *issuer_texts[LW_ISSUERS_MAX];
    lw_str issuers[LW_ISSUERS_MAX];
    size_t issuer_count;
    char *audience_text; /* NULL: the audiences are the issuers */
    lw_audiences audiences;
    int64_t max_expiration_s;
    char *root_ca;  /* NULL: none */
    char *keys_uri; /* NULL: at this server */
    lw_cache_resource *resources[KINDS];
    lw_buf configuration, key_set; /* documents; empty: none */
};

static lw_status set_issuers(lw_accounts *accounts, const char *const *issuers, lw_error *err)
{
    static const char *const standard[] = { LW_ACCOUNTS_ISSUER, NULL };
    for (const char *const *issuer = issuers && *issuers ? issuers : standard; *issuer; issuer++) {
        if (accounts->issuer_count == LW_ISSUERS_MAX)
            return lw_error_set(err, LW_ERR_INVALID, "more than %d service account issuers",
                                LW_ISSUERS_MAX);
        if (**issuer == '\0')
            return lw_error_set(err, LW_ERR_INVALID, "a service account issuer is empty");
        char *text = lw_str_dup(lw_str_of(*issuer));
        if (!text)
            return lw_error_nomem(err);
        accounts->issuer_texts[accounts->issuer_count] = text;
        accounts->issuers[accounts->issuer_count++] = lw_str_of(text);
    }
    return LW_OK;
}

/* Splits "a,b"; without any, the issuers are the audiences. */
static lw_status set_audiences(lw_accounts *accounts, const char *list, lw_error *err)
{
    lw_audiences *audiences = &accounts->audiences;
    if (!list || *list == '\0') {
        for (size_t i = 0; i < accounts->issuer_count; i++)
            audiences->at[audiences->count++] = accounts->issuers[i];
        return LW_OK;
    }
    accounts->audience_text = lw_str_dup(lw_str_of(list));
    if (!accounts->audience_text)
        return lw_error_nomem(err);
    lw_str rest = lw_str_of(accounts->audience_text), one;
    while (rest.len > 0) {
        (void)lw_str_cut(rest, ',', &one, &rest);
        one = lw_str_trim(one);
        if (one.len == 0)
            continue;
        if (audiences->count == LW_AUDIENCES_MAX)
            return lw_error_set(err, LW_ERR_INVALID, "more than %d API audiences",
                                LW_AUDIENCES_MAX);
        audiences->at[audiences->count++] = one;
    }
    return audiences->count > 0 ? LW_OK
                                : lw_error_set(err, LW_ERR_INVALID, "the API audiences are empty");
}

static lw_status set_others(lw_accounts *accounts, const lw_server_options *options,
                            const char *root_ca, lw_error *err)
{
    int64_t max_s = options->service_account_max_token_expiration_s;
    if (max_s != 0 && (max_s < MIN_MAX_S || max_s > MAX_MAX_S))
        return lw_error_set(err, LW_ERR_INVALID,
                            "the maximum expiration of service account tokens is %lld s; must be "
                            "between 1 hour and 2^32 seconds",
                            (long long)max_s);
    const char *uri = options->service_account_jwks_uri;
    if (uri && !lw_str_starts_with(lw_str_of(uri), LW_STR("https://")))
        return lw_error_set(err, LW_ERR_INVALID,
                            "the URI of the JSON Web Key Set is %s; must begin with https://", uri);
    accounts->max_expiration_s = max_s;
    accounts->root_ca = root_ca ? lw_str_dup(lw_str_of(root_ca)) : NULL;
    accounts->keys_uri = uri ? lw_str_dup(lw_str_of(uri)) : NULL;
    bool has_failed = (root_ca && !accounts->root_ca) || (uri && !accounts->keys_uri);
    return has_failed ? lw_error_nomem(err) : LW_OK;
}

static lw_status open_keys(lw_accounts *accounts, const lw_server_options *options, lw_error *err)
{
    char *folder = options->data_dir ? lw_file_path(options->data_dir, "pki") : NULL;
    if (options->data_dir && !folder)
        return lw_error_nomem(err);
    const lw_account_keys_options wanted = {
        .folder = folder,
        .signing_key_file = options->service_account_signing_key_file,
        .key_files = options->service_account_key_files,
        .logger = options->logger,
    };
    lw_status st = lw_account_keys_open(&accounts->keys, &wanted, err);
    lw_free(folder);
    return st;
}

lw_status lw_accounts_open(lw_accounts **out, const lw_server_options *options, const char *root_ca,
                           const lw_clock *clock, lw_error *err)
{
    lw_accounts *accounts = lw_alloc_zero(1, sizeof(*accounts));
    if (!accounts)
        return lw_error_nomem(err);
    lw_buf_init(&accounts->configuration, DOCUMENT_MAX);
    lw_buf_init(&accounts->key_set, DOCUMENT_MAX);
    lw_status st = set_issuers(accounts, options->service_account_issuers, err);
    if (st == LW_OK)
        st = set_audiences(accounts, options->api_audiences, err);
    if (st == LW_OK)
        st = set_others(accounts, options, root_ca, err);
    if (st == LW_OK)
        st = open_keys(accounts, options, err);
    const lw_account_authn_options authn = {
        .keys = &accounts->keys,
        .issuers = accounts->issuers,
        .issuer_count = accounts->issuer_count,
        .audiences = &accounts->audiences,
        .clock = clock,
        .logger = options->logger,
        .has_others = options->authentication_config_file || options->oidc_issuer_url,
    };
    if (st == LW_OK)
        st = lw_account_authn_new(&accounts->authn, &authn, err);
    if (st < 0) {
        lw_accounts_free(accounts);
        return st;
    }
    *out = accounts;
    return LW_OK;
}

void lw_accounts_free(lw_accounts *accounts)
{
    if (!accounts)
        return;
    lw_account_authn_free(accounts->authn);
    lw_account_keys_done(&accounts->keys);
    for (size_t i = 0; i < accounts->issuer_count; i++)
        lw_free(accounts->issuer_texts[i]);
    lw_free(accounts->audience_text);
    lw_free(accounts->root_ca);
    lw_free(accounts->keys_uri);
    lw_buf_done(&accounts->configuration);
    lw_buf_done(&accounts->key_set);
    lw_free(accounts);
}

lw_account_authn *lw_accounts_authn(lw_accounts *accounts)
{
    return accounts->authn;
}

const lw_str *lw_accounts_issuers(const lw_accounts *accounts, size_t *count)
{
    *count = accounts->issuer_count;
    return accounts->issuers;
}

const lw_audiences *lw_accounts_audiences(const lw_accounts *accounts)
{
    return &accounts->audiences;
}

static lw_status issue(void *arg, const lw_account_claims *claims, lw_buf *token)
{
    return lw_account_authn_issue(((const lw_accounts *)arg)->authn, claims, token);
}

static lw_status issue_for_secret(void *arg, const lw_account_claims *claims, lw_buf *token)
{
    return lw_account_authn_issue_for_secret(((const lw_accounts *)arg)->authn, claims, token);
}

lw_token_issuer lw_accounts_issuer(lw_accounts *accounts)
{
    return (lw_token_issuer){
        .issue = issue,
        .issue_for_secret = issue_for_secret,
        .audiences = &accounts->audiences,
        .max_expiration_s = accounts->max_expiration_s,
        .root_ca = lw_str_of(accounts->root_ca),
        .arg = accounts,
    };
}

static lw_status find_object(void *arg, lw_token_object_kind kind, lw_str ns, lw_str name,
                             lw_object **out)
{
    const lw_accounts *accounts = arg;
    return lw_lookup(accounts->resources[kind], (lw_key){ ns, name }, out);
}

static void write_texts(lw_json_writer *w, const char *key, const lw_str *texts, size_t count)
{
    lw_json_write_key(w, lw_str_of(key));
    lw_json_write_array_begin(w);
    for (size_t i = 0; i < count; i++)
        lw_json_write_string(w, texts[i]);
    lw_json_write_array_end(w);
}

/* The algorithms of the keys, each once. */
static size_t list_algorithms(const lw_account_keys *keys, lw_str out[LW_SIGNING_KEYS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < keys->count; i++) {
        lw_str algorithm = lw_str_of(lw_signing_key_algorithm(keys->keys[i]));
        bool is_there = false;
        for (size_t k = 0; k < count; k++)
            is_there = is_there || lw_str_equal(out[k], algorithm);
        if (!is_there)
            out[count++] = algorithm;
    }
    return count;
}

/* Writes the provider metadata of OpenID Connect Discovery 1.0, section 3. */
static void write_configuration(lw_accounts *accounts, const char *url)
{
    static const lw_str responses[] = { LW_STR_INIT("id_token") };
    static const lw_str subjects[] = { LW_STR_INIT("public") };
    lw_str algorithms[LW_SIGNING_KEYS_MAX];
    lw_buf uri;
    lw_json_writer w;
    lw_buf_init(&uri, DOCUMENT_MAX);
    if (accounts->keys_uri)
        lw_buf_append_text(&uri, accounts->keys_uri);
    else
        lw_buf_printf(&uri, "%s" KEYS_PATH, url);
    lw_json_writer_init(&w, &accounts->configuration, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "issuer", accounts->issuers[0]);
    lw_json_write_member_string(&w, "jwks_uri", lw_buf_view(&uri));
    write_texts(&w, "response_types_supported", responses, 1);
    write_texts(&w, "subject_types_supported", subjects, 1);
    write_texts(&w, "id_token_signing_alg_values_supported", algorithms,
                list_algorithms(&accounts->keys, algorithms));
    lw_json_write_object_end(&w);
    if (uri.st < 0)
        accounts->configuration.st = uri.st;
    lw_buf_done(&uri);
}

lw_status lw_accounts_connect(lw_accounts *accounts, const lw_api *api, const char *url,
                              lw_error *err)
{
    static const lw_kind *const kinds[KINDS] = { &lw_kind_serviceaccounts, &lw_kind_pods,
                                                 &lw_kind_nodes, &lw_kind_secrets };
    const lw_token_objects objects = { find_object, accounts };
    for (size_t i = 0; i < KINDS; i++)
        accounts->resources[i] = lw_api_resource(api, kinds[i]);
    if (lw_str_starts_with(accounts->issuers[0], LW_STR("https://"))) {
        write_configuration(accounts, url);
        lw_status st = lw_account_keys_write_set(&accounts->keys, &accounts->key_set);
        if (st < 0 || accounts->configuration.st < 0)
            return lw_error_nomem(err);
    }
    lw_account_authn_connect(accounts->authn, &objects);
    return LW_OK;
}

static bool is_key_set(lw_str path)
{
    return lw_str_equal(path, LW_STR(KEYS_PATH)) || lw_str_equal(path, LW_STR(KEYS_PATH "/"));
}

bool lw_accounts_have_document(const lw_accounts *accounts, lw_str path)
{
    return accounts && accounts->key_set.len > 0 &&
           (is_key_set(path) || lw_str_equal(path, LW_STR(CONFIGURATION_PATH)));
}

void lw_accounts_serve(const lw_accounts *accounts, lw_http_stream *stream)
{
    bool is_keys = is_key_set(stream->request.path);
    const lw_http_header headers[] = {
        { LW_STR("Cache-Control"), LW_STR("public, max-age=3600") },
        { LW_STR("Content-Type"),
          is_keys ? LW_STR("application/jwk-set+json") : LW_STR("application/json") },
        { LW_STR("X-Content-Type-Options"), LW_STR("nosniff") },
    };
    const lw_http_reply head = { 200, headers, sizeof(headers) / sizeof(headers[0]) };
    const lw_buf *document = is_keys ? &accounts->key_set : &accounts->configuration;
    /* The documents live as long as the server; the client may have disconnected. */
    (void)lw_http_reply_whole(stream, &head, lw_bytes_static(lw_buf_view(document)));
}
