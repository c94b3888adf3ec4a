/* SPDX-License-Identifier: Apache-2.0 */
/* media.c -- content negotiation as in kube-apiserver: the first clause of Accept that this
 * endpoint supports wins. */
#include "api/media/media.h"

#include "api/media/accept.h"
#include "api/media/ascii.h"
#include "base/str.h"

#define PROTOBUF "vnd.kubernetes.protobuf"

/* The parameters of a clause. */
typedef struct transform {
    lw_str as, group, version;
    bool is_pretty;
    bool is_other_stream; /* requests a stream type other than watch */
} transform;

static transform read_parameters(lw_str parameters)
{
    transform t = { .is_pretty = false };
    lw_str name, value;
    while (lw_accept_next_parameter(&parameters, &name, &value)) {
        if (lw_str_equal(name, LW_STR("as")))
            t.as = value;
        else if (lw_str_equal(name, LW_STR("g")))
            t.group = value;
        else if (lw_str_equal(name, LW_STR("v")))
            t.version = value;
        else if (lw_str_equal(name, LW_STR("pretty")))
            t.is_pretty = lw_str_equal(value, LW_STR("1"));
        else if (lw_str_equal(name, LW_STR("stream")))
            t.is_other_stream = value.len > 0 && !lw_str_equal(value, LW_STR("watch"));
    }
    return t;
}

static const struct {
    lw_str as, group;
    lw_media_as means;
    unsigned allow; /* bits, one of which must be allowed */
} transforms[] = {
    { LW_STR_INIT("Table"), LW_STR_INIT("meta.k8s.io"), LW_MEDIA_TABLE, LW_MEDIA_ALLOW_TABLE },
    { LW_STR_INIT("PartialObjectMetadata"), LW_STR_INIT("meta.k8s.io"), LW_MEDIA_PARTIAL,
      LW_MEDIA_ALLOW_PARTIAL | LW_MEDIA_ALLOW_PARTIAL_LIST },
    { LW_STR_INIT("PartialObjectMetadataList"), LW_STR_INIT("meta.k8s.io"), LW_MEDIA_PARTIAL_LIST,
      LW_MEDIA_ALLOW_PARTIAL | LW_MEDIA_ALLOW_PARTIAL_LIST },
    { LW_STR_INIT("APIGroupDiscoveryList"), LW_STR_INIT("apidiscovery.k8s.io"), LW_MEDIA_DISCOVERY,
      LW_MEDIA_ALLOW_DISCOVERY },
};

static bool version_fits(lw_media_as as, lw_str version)
{
    if (as == LW_MEDIA_DISCOVERY)
        return lw_str_equal(version, LW_STR("v2"));
    return lw_str_equal(version, LW_STR("v1")) || lw_str_equal(version, LW_STR("v1beta1"));
}

/* Returns true if |as| is available in |format| here. */
static bool format_fits(lw_media_format format, lw_media_as as, unsigned allowed)
{
    switch (format) {
    case LW_MEDIA_JSON: return true;
    case LW_MEDIA_YAML: return allowed & LW_MEDIA_ALLOW_YAML;
    case LW_MEDIA_CBOR: return (allowed & LW_MEDIA_ALLOW_CBOR) && as != LW_MEDIA_TABLE;
    case LW_MEDIA_PROTOBUF: break;
    }
    if (as == LW_MEDIA_AS_IS || as == LW_MEDIA_DISCOVERY)
        return allowed & LW_MEDIA_ALLOW_PROTOBUF;
    return as != LW_MEDIA_TABLE;
}

/* Returns true if what |t| requests is available here in |format|; sets |media| then. */
static bool accept_transform(lw_media *media, const transform *t, lw_media_format format,
                             unsigned allowed)
{
    if (t->is_other_stream)
        return false;
    media->format = format;
    media->as = LW_MEDIA_AS_IS;
    if (t->as.len == 0 && t->group.len == 0 && t->version.len == 0)
        return format_fits(format, LW_MEDIA_AS_IS, allowed);
    for (size_t i = 0; i < sizeof(transforms) / sizeof(transforms[0]); i++) {
        if (lw_str_equal(t->as, transforms[i].as) && lw_str_equal(t->group, transforms[i].group) &&
            version_fits(transforms[i].means, t->version) && (transforms[i].allow & allowed) &&
            format_fits(format, transforms[i].means, allowed)) {
            media->as = transforms[i].means;
            media->as_version = t->version;
            return true;
        }
    }
    return false;
}

/* Returns true if |clause| accepts application/|subtype|. */
static bool accepts(const lw_accept_clause *clause, const char *subtype)
{
    if (lw_str_equal(clause->type, LW_STR("*")))
        return lw_str_equal(clause->subtype, LW_STR("*"));
    return lw_str_equal(clause->type, LW_STR("application")) &&
           (lw_str_equal(clause->subtype, LW_STR("*")) ||
            lw_str_equal(clause->subtype, lw_str_of(subtype)));
}

/* PartialObjectMetadata and PartialObjectMetadataList are both recognised where one of them is
 * allowed; the wrong one is refused, not ignored. */
static bool is_right_size(const lw_media *media, unsigned allowed)
{
    if (media->as == LW_MEDIA_PARTIAL)
        return allowed & LW_MEDIA_ALLOW_PARTIAL;
    if (media->as == LW_MEDIA_PARTIAL_LIST)
        return allowed & LW_MEDIA_ALLOW_PARTIAL_LIST;
    return true;
}

/* Returns true if |clause| names a type in which built-in kinds are served, or all types. */
static bool is_served(const lw_accept_clause *clause, unsigned allowed)
{
    bool is_any =
        lw_str_equal(clause->type, LW_STR("*")) && lw_str_equal(clause->subtype, LW_STR("*"));
    return is_any ||
           (lw_str_equal(clause->type, LW_STR("application")) &&
            (lw_str_equal(clause->subtype, LW_STR("json")) ||
             lw_str_equal(clause->subtype, LW_STR("yaml")) ||
             lw_str_equal(clause->subtype, LW_STR(PROTOBUF)) ||
             ((allowed & LW_MEDIA_ALLOW_CBOR) && lw_str_equal(clause->subtype, LW_STR("cbor"))) ||
             ((allowed & LW_MEDIA_NAMES_CBOR_SEQ) &&
              lw_str_equal(clause->subtype, LW_STR("cbor-seq")))));
}

static bool choose_clause(lw_media *media, lw_str accept, unsigned allowed)
{
    static const struct {
        lw_media_format format;
        const char *subtype;
    } formats[] = { { LW_MEDIA_JSON, "json" },
                    { LW_MEDIA_YAML, "yaml" },
                    { LW_MEDIA_PROTOBUF, PROTOBUF },
                    { LW_MEDIA_CBOR, "cbor" } };
    lw_accept_clause clauses[LW_ACCEPT_CLAUSES_MAX];
    size_t count = lw_accept_parse(accept, clauses);
    media->names_served = false;
    for (size_t i = 0; i < count; i++)
        media->names_served = media->names_served || is_served(&clauses[i], allowed);
    for (size_t i = 0; i < count; i++) {
        transform t = read_parameters(clauses[i].parameters);
        for (size_t j = 0; j < sizeof(formats) / sizeof(formats[0]); j++) {
            if (!accepts(&clauses[i], formats[j].subtype) ||
                !accept_transform(media, &t, formats[j].format, allowed))
                continue;
            media->is_pretty = t.is_pretty;
            return is_right_size(media, allowed);
        }
    }
    *media = (lw_media){ .format = LW_MEDIA_JSON, .names_served = media->names_served };
    return false;
}

static bool is_true_as_go_parses(lw_str value)
{
    static const char *const words[] = { "1", "t", "T", "true", "TRUE", "True" };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (lw_str_equal(value, lw_str_of(words[i])))
            return true;
    }
    return false;
}

/* Output for these clients is pretty-printed. */
static bool prefers_pretty(lw_str user_agent)
{
    return lw_str_starts_with(user_agent, LW_STR("curl")) ||
           lw_str_starts_with(user_agent, LW_STR("Wget")) ||
           lw_str_starts_with(user_agent, LW_STR("Mozilla/5.0"));
}

static bool wants_pretty(const lw_http_request *request, const lw_query *query)
{
    lw_str pretty = lw_query_get(query, "pretty"), user_agent;
    if (pretty.len > 0)
        return is_true_as_go_parses(pretty);
    return lw_http_request_header(request, "user-agent", &user_agent) && prefers_pretty(user_agent);
}

/* Returns the header or, for a WebSocket, the parameter: a browser page cannot set headers
 * there. */
static bool find_accept(const lw_http_request *request, const lw_query *query, lw_str *accept)
{
    if (request->is_websocket) {
        *accept = lw_query_get(query, "accept");
        if (accept->len > 0)
            return true;
    }
    return lw_http_request_header(request, "accept", accept) && accept->len > 0;
}

bool lw_media_choose(lw_media *media, const lw_http_request *request, const lw_query *query,
                     unsigned allowed)
{
    lw_str value;
    *media = (lw_media){ .format = LW_MEDIA_JSON, .names_served = true };
    bool is_acceptable = true;
    if (find_accept(request, query, &value))
        is_acceptable = choose_clause(media, value, allowed);
    media->is_pretty = media->is_pretty || wants_pretty(request, query);
    media->takes_gzip = lw_http_request_header(request, "accept-encoding", &value) &&
                        lw_accept_takes_coding(value, LW_STR("gzip"));
    return is_acceptable;
}

lw_body_type lw_media_body_type(const lw_http_request *request)
{
    static const struct {
        lw_str name;
        lw_body_type type;
    } types[] = {
        { LW_STR_INIT("application/json"), LW_BODY_JSON },
        { LW_STR_INIT("application/yaml"), LW_BODY_YAML },
        { LW_STR_INIT("application/vnd.kubernetes.protobuf"), LW_BODY_PROTOBUF },
        { LW_STR_INIT("application/cbor"), LW_BODY_CBOR },
        { LW_STR_INIT("application/json-patch+json"), LW_BODY_JSON_PATCH },
        { LW_STR_INIT("application/merge-patch+json"), LW_BODY_MERGE_PATCH },
        { LW_STR_INIT("application/strategic-merge-patch+json"), LW_BODY_STRATEGIC_PATCH },
        { LW_STR_INIT("application/apply-patch+yaml"), LW_BODY_APPLY_PATCH },
        { LW_STR_INIT("application/apply-patch+cbor"), LW_BODY_APPLY_PATCH_CBOR },
    };
    lw_str value, name, parameters;
    if (!lw_http_request_header(request, "content-type", &value) || lw_str_trim(value).len == 0)
        return LW_BODY_JSON;
    (void)lw_str_cut(value, ';', &name, &parameters);
    name = lw_str_trim(name);
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (lw_ascii_equal(name, types[i].name))
            return types[i].type;
    }
    return LW_BODY_UNKNOWN;
}
