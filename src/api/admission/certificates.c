/* SPDX-License-Identifier: Apache-2.0 */
/* certificates.c -- admission of certificate signing requests. */
#include "api/admission/certificates.h"

#include <string.h>

#include "api/authz/authz.h"
#include "api/http/failures.h"
#include "base/str.h"
#include "crypto/certificate_request.h"
#include "object/quote.h"
#include "json/fields.h"

enum {
    MESSAGE_MAX = 64 * 1024,
    SIGNER_MAX = 1024, /* bytes */
};

static void put_texts(lw_tree *tree, lw_node *object, lw_str key, const lw_str *texts, size_t count)
{
    lw_node *list = lw_tree_array(tree);
    for (size_t i = 0; i < count; i++)
        lw_node_append(tree, list, lw_tree_string(tree, texts[i]));
    lw_node_put(tree, object, key, list);
}

void lw_csr_set_requester(lw_pending_object *pending, const lw_user *user)
{
    static const char *const fields[] = { "username", "uid", "groups", "extra" };
    lw_tree *tree = pending->tree;
    lw_node *spec = lw_fields_object(tree, pending->root, "spec");
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        lw_fields_remove(spec, fields[i]);
    if (!user)
        return;
    lw_fields_set_text(tree, spec, "username", user->name);
    if (user->uid.len > 0)
        lw_fields_set_text(tree, spec, "uid", user->uid);
    if (user->group_count > 0)
        put_texts(tree, spec, LW_STR("groups"), user->groups, user->group_count);
    if (user->extra_count == 0)
        return;
    lw_node *extra = lw_fields_object(tree, spec, "extra");
    for (size_t i = 0; i < user->extra_count; i++)
        put_texts(tree, extra, user->extras[i].key, user->extras[i].values, user->extras[i].count);
}

static bool forbid(const lw_pending_object *pending, lw_str name, const lw_buf *why,
                   lw_api_status *status)
{
    lw_api_status_forbidden(status, lw_kind_gvr(pending->kind), name, lw_buf_view(why));
    if (why->st < 0)
        status->st = why->st;
    return false;
}

bool lw_csr_admits_subject(const lw_pending_object *pending, lw_str name, lw_api_status *status)
{
    static const char signer[] = "kubernetes.io/kube-apiserver-client";
    lw_certificate_request *request = NULL;
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    if (!lw_str_equal(lw_fields_text(spec, "signerName"), lw_str_of(signer)))
        return true;
    lw_status st = lw_certificate_request_read(&request, lw_fields_text(spec, "request"), NULL);
    if (st < 0) { /* it was valid: only memory can be missing */
        lw_api_status_of_failure(status, st);
        return false;
    }
    size_t count = 0;
    bool is_admitted = true;
    const lw_str *groups = lw_certificate_request_organizations(request, &count);
    for (size_t i = 0; i < count; i++)
        is_admitted &= !lw_str_equal(groups[i], LW_STR(LW_GROUP_MASTERS));
    lw_certificate_request_free(request);
    if (is_admitted)
        return true;
    lw_buf why;
    lw_buf_init(&why, MESSAGE_MAX);
    lw_buf_printf(&why, "use of %s signer with %s group is not allowed", signer, LW_GROUP_MASTERS);
    (void)forbid(pending, name, &why, status);
    lw_buf_done(&why);
    return false;
}

static bool may(const lw_admission *admission, const char *verb, lw_str name)
{
    const lw_authz_attributes attributes = { .user = admission->user,
                                             .verb = lw_str_of(verb),
                                             .is_resource = true,
                                             .group = LW_STR("certificates.k8s.io"),
                                             .version = LW_STR("*"),
                                             .resource = LW_STR("signers"),
                                             .name = name,
                                             .stream = admission->stream };
    return lw_authz_allows(admission->object->port->api->authz, &attributes);
}

/* For "example.com/mine", the permission for "example.com/ *" (without the blank) counts too. */
static bool may_use_signer(const lw_admission *admission, const char *verb, lw_str signer)
{
    char all[SIGNER_MAX];
    const char *slash = signer.len > 0 ? memchr(signer.ptr, '/', signer.len) : NULL;
    if (may(admission, verb, signer))
        return true;
    size_t len = slash ? (size_t)(slash - signer.ptr) + 1 : 0;
    if (!slash || len + 1 > sizeof(all))
        return false;
    memcpy(all, signer.ptr, len);
    all[len] = '*';
    return may(admission, verb, lw_str_make(all, len + 1));
}

static bool admits_signer(const lw_admission *admission, const char *verb)
{
    const lw_pending_object *pending = admission->object;
    lw_str signer = lw_fields_text_at(pending->old, "/spec/signerName");
    if (!admission->user || may_use_signer(admission, verb, signer))
        return true;
    lw_buf why;
    lw_buf_init(&why, MESSAGE_MAX);
    lw_buf_printf(&why, "user not permitted to %s requests with signerName ", verb);
    lw_quote_append(&why, signer);
    (void)forbid(pending, admission->name, &why, admission->status);
    lw_buf_done(&why);
    return false;
}

bool lw_csr_admits_approval(const lw_admission *admission)
{
    return admits_signer(admission, "approve");
}

bool lw_csr_admits_signature(const lw_admission *admission)
{
    const lw_pending_object *pending = admission->object;
    static const char *const fields[] = { "/status/certificate", "/status/conditions" };
    bool has_changed = false;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        has_changed |= !lw_node_equal(lw_fields_find(pending->root, fields[i]),
                                      lw_fields_find(pending->old, fields[i]));
    return !has_changed || admits_signer(admission, "sign");
}

bool lw_trust_bundle_admit(lw_admission *admission)
{
    const lw_pending_object *pending = admission->object;
    lw_str signer = lw_fields_text_at(pending->root, "/spec/signerName");
    bool is_same = pending->old && lw_node_equal(lw_node_get(pending->root, LW_STR("spec")),
                                                 lw_node_get(pending->old, LW_STR("spec")));
    if (signer.len == 0 || is_same || !admission->user ||
        may_use_signer(admission, "attest", signer))
        return true;
    lw_buf why;
    lw_buf_init(&why, MESSAGE_MAX);
    lw_buf_printf(&why, "user not permitted to attest for signerName ");
    lw_quote_append(&why, signer);
    (void)forbid(pending, admission->name, &why, admission->status);
    lw_buf_done(&why);
    return false;
}
