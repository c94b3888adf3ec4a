/* SPDX-License-Identifier: Apache-2.0 */
/* signer.c -- the rules of the signers. */
#include "api/certificates/signer.h"

#include "base/str.h"

#define CLIENT_AUTH       "client auth"
#define SERVER_AUTH       "server auth"
#define DIGITAL_SIGNATURE "digital signature"
#define KEY_ENCIPHERMENT  "key encipherment"

typedef struct san_rule {
    unsigned bit;
    const char *refusal;
} san_rule;

struct lw_signer {
    const char *name;
    const char *purpose;   /* the usage that is required */
    bool is_for_kubelets;  /* subject and usages must be those of a kubelet */
    unsigned needs_one_of; /* LW_SAN_ bits; 0: none is required */
    unsigned refused_sans; /* LW_SAN_ bits */
};

enum {
    ALL_SANS = LW_SAN_DNS | LW_SAN_IP | LW_SAN_EMAIL | LW_SAN_URI,
};

static const lw_signer signers[] = {
    { "kubernetes.io/kube-apiserver-client", CLIENT_AUTH, false, 0, 0 },
    { "kubernetes.io/kube-apiserver-client-kubelet", CLIENT_AUTH, true, 0, ALL_SANS },
    { "kubernetes.io/kubelet-serving", SERVER_AUTH, true, LW_SAN_DNS | LW_SAN_IP,
      LW_SAN_EMAIL | LW_SAN_URI },
};

const lw_signer *lw_signer_find(lw_str name)
{
    for (size_t i = 0; i < sizeof(signers) / sizeof(signers[0]); i++) {
        if (lw_str_equal(lw_str_of(signers[i].name), name))
            return &signers[i];
    }
    return NULL;
}

bool lw_signer_is_kubelet_client(const lw_signer *signer)
{
    return signer->is_for_kubelets && signer->needs_one_of == 0;
}

static bool refuse(lw_buf *why, const char *text)
{
    if (why)
        lw_buf_append_text(why, text);
    return false;
}

/* The only organization must be system:nodes. */
static bool is_node(const lw_certificate_request *request)
{
    size_t count = 0;
    const lw_str *organizations = lw_certificate_request_organizations(request, &count);
    return count == 1 && lw_str_equal(organizations[0], LW_STR("system:nodes"));
}

static bool accepts_sans(const lw_signer *signer, const lw_certificate_request *request,
                         lw_buf *why)
{
    static const san_rule rules[] = {
        { LW_SAN_DNS, "DNS subjectAltNames are not allowed" },
        { LW_SAN_EMAIL, "Email subjectAltNames are not allowed" },
        { LW_SAN_IP, "IP subjectAltNames are not allowed" },
        { LW_SAN_URI, "URI subjectAltNames are not allowed" },
    };
    unsigned sans = lw_certificate_request_sans(request);
    if (signer->needs_one_of && !(sans & signer->needs_one_of))
        return refuse(why, "DNS or IP subjectAltName is required");
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (sans & signer->refused_sans & rules[i].bit)
            return refuse(why, rules[i].refusal);
    }
    return true;
}

static bool has_usage(const lw_node *usages, const char *usage)
{
    for (size_t i = 0; i < lw_node_count(usages); i++) {
        if (lw_str_equal(lw_node_text(lw_node_at(usages, i)), lw_str_of(usage)))
            return true;
    }
    return false;
}

/* A usage that the signer does not issue; empty: there is none. */
static lw_str other_usage(const lw_signer *signer, const lw_node *usages)
{
    for (size_t i = 0; i < lw_node_count(usages); i++) {
        lw_str usage = lw_node_text(lw_node_at(usages, i));
        if (!lw_str_equal(usage, lw_str_of(signer->purpose)) &&
            !lw_str_equal(usage, LW_STR(DIGITAL_SIGNATURE)) &&
            !lw_str_equal(usage, LW_STR(KEY_ENCIPHERMENT)))
            return usage;
    }
    return LW_STR("");
}

/* Keys that cannot encipher, such as those of ECDSA, do without that usage. */
static bool accepts_kubelet_usages(const lw_signer *signer, const lw_node *usages, lw_buf *why)
{
    if (has_usage(usages, DIGITAL_SIGNATURE) && has_usage(usages, signer->purpose) &&
        other_usage(signer, usages).len == 0)
        return true;
    bool is_client = lw_str_equal(lw_str_of(signer->purpose), LW_STR(CLIENT_AUTH));
    return refuse(why, is_client ? "usages did not match [" CLIENT_AUTH " " DIGITAL_SIGNATURE
                                   " " KEY_ENCIPHERMENT "]"
                                 : "usages did not match [" DIGITAL_SIGNATURE " " KEY_ENCIPHERMENT
                                   " " SERVER_AUTH "]");
}

static bool accepts_client_usages(const lw_signer *signer, const lw_node *usages, lw_buf *why)
{
    lw_str other = other_usage(signer, usages);
    if (other.len > 0) {
        (void)refuse(why, "invalid usage for client certificate: ");
        if (why)
            lw_buf_append_str(why, other);
        return false;
    }
    return has_usage(usages, signer->purpose) ||
           refuse(why, "missing required usage for client certificate: " CLIENT_AUTH);
}

bool lw_signer_accepts(const lw_signer *signer, const lw_certificate_request *request,
                       const lw_node *usages, lw_buf *why)
{
    if (!signer->is_for_kubelets)
        return accepts_client_usages(signer, usages, why);
    if (!is_node(request))
        return refuse(why, "subject organization is not system:nodes");
    if (!accepts_sans(signer, request, why))
        return false;
    if (!lw_str_starts_with(lw_certificate_request_common_name(request), LW_STR("system:node:")))
        return refuse(why, "subject common name does not begin with system:node:");
    return accepts_kubelet_usages(signer, usages, why);
}
