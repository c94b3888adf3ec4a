/* SPDX-License-Identifier: Apache-2.0 */
/* config_read.c -- reads an EncryptionConfiguration from its document.
 *
 * It is strict, because a typing error would leave values in the clear: every field must be known,
 * and every message names its place.  A message never has a value of a key in it. */
#include "encryption/config_internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"

enum {
    PATH_SIZE = 256,
    SECRET_TEXT_MAX = 4096, /* bytes of a secret; it is refused for its size anyway */
};

/* Where in the document the reader is. */
typedef struct place {
    char path[PATH_SIZE];
    lw_error *err;
} place;

static lw_status fail(const place *at, const char *field, const char *what)
{
    return lw_error_set(at->err, LW_ERR_INVALID, "%s%s%s: %s", at->path,
                        at->path[0] && field[0] ? "." : "", field, what);
}

static place inside(const place *at, const char *field, size_t index, bool has_index)
{
    place below = { .err = at->err };
    char number[24] = "";
    if (has_index)
        (void)snprintf(number, sizeof(number), "[%zu]", index);
    int len = snprintf(below.path, sizeof(below.path), "%s%s%s%s", at->path,
                       at->path[0] && field[0] ? "." : "", field, number);
    bool is_whole = len > 0 && (size_t)len < sizeof(below.path);
    assert(is_whole); /* no path is longer than four fields */
    if (!is_whole)
        below.path[0] = '\0';
    return below;
}

/* Every member of |node| is one of |known|, which ends with NULL. */
static lw_status check_fields(const place *at, const lw_node *node, const char *const *known)
{
    if (!lw_node_is(node, LW_JSON_OBJECT))
        return fail(at, "", "must be an object");
    for (size_t i = 0; i < lw_node_count(node); i++) {
        lw_str key = lw_node_key_at(node, i);
        size_t k = 0;
        while (known[k] && !lw_str_equal(key, lw_str_of(known[k])))
            k++;
        if (!known[k])
            return lw_error_set(at->err, LW_ERR_INVALID, "%s%s%.*s: unknown field", at->path,
                                at->path[0] ? "." : "", LW_STR_ARG(key));
    }
    return LW_OK;
}

/* The member |field| of |node|: a list that is not empty. */
static lw_status get_list(const place *at, const lw_node *node, const char *field,
                          const lw_node **out)
{
    *out = lw_node_get(node, lw_str_of(field));
    if (!*out || !lw_node_is(*out, LW_JSON_ARRAY))
        return fail(at, field, "must be a list");
    return lw_node_count(*out) > 0 ? LW_OK : fail(at, field, "must have at least one element");
}

/* Decodes the secret of a key.  Lenient as Go is, which decodes it for kube-apiserver. */
static lw_status read_secret(const place *at, const lw_node *node, lw_encryption_key *key)
{
    lw_buf bytes;
    lw_status st = LW_OK;
    const lw_node *secret = lw_node_get(node, LW_STR("secret"));
    lw_buf_init(&bytes, SECRET_TEXT_MAX);
    if (!lw_node_is(secret, LW_JSON_STRING) || lw_node_text(secret).len == 0)
        st = fail(at, "secret", "must be set");
    else if (!lw_base64_decode_lenient(&bytes, lw_node_text(secret)))
        st = fail(at, "secret", "must be encoded in base64");
    else if (bytes.st == LW_ERR_NOMEM)
        st = lw_error_nomem(at->err);
    else if (key->provider == LW_ENCRYPTION_SECRETBOX && bytes.len != 32)
        st = fail(at, "secret", "must have 32 bytes before it is encoded in base64");
    else if (bytes.len != 16 && bytes.len != 24 && bytes.len != 32)
        st = fail(at, "secret", "must have 16, 24 or 32 bytes before it is encoded in base64");
    if (st == LW_OK) {
        memcpy(key->secret, bytes.data, bytes.len);
        key->secret_len = bytes.len;
    }
    if (bytes.len > 0)
        explicit_bzero(bytes.data, bytes.len);
    lw_buf_done(&bytes);
    return st;
}

static lw_status set_prefix(const place *at, lw_encryption_key *key, lw_str name)
{
    static const char *const names[] = { "aescbc", "aesgcm", "secretbox" };
    lw_buf prefix;
    lw_buf_init(&prefix, LW_ENCRYPTION_PREFIX_MAX);
    lw_buf_printf(&prefix, "k8s:enc:%s:v1:%.*s:", names[key->provider], LW_STR_ARG(name));
    size_t len = prefix.len;
    lw_status st = prefix.st;
    char *text = lw_buf_take_text(&prefix);
    lw_buf_done(&prefix);
    if (!text)
        return st == LW_ERR_LIMIT ? fail(at, "name", "is too long") : lw_error_nomem(at->err);
    key->prefix = lw_str_make(text, len);
    return LW_OK;
}

/* Makes room for one more key and adds |key|. */
static lw_status add_key(const place *at, lw_encryption_keys *keys, const lw_encryption_key *key)
{
    if (keys->count == LW_ENCRYPTION_KEYS_MAX)
        return fail(at, "", "the resource has too many keys");
    /* Not realloc: it would leave a copy of the secrets behind. */
    lw_encryption_key *more = lw_alloc_zero(keys->count + 1, sizeof(*more));
    if (!more)
        return lw_error_nomem(at->err);
    if (keys->count > 0) {
        memcpy(more, keys->at, keys->count * sizeof(*more));
        explicit_bzero(keys->at, keys->count * sizeof(*more));
    }
    lw_free(keys->at);
    keys->at = more;
    keys->at[keys->count++] = *key;
    return LW_OK;
}

static lw_status read_key(const place *at, const lw_node *node, lw_encryption_provider provider,
                          lw_encryption_keys *keys)
{
    static const char *const known[] = { "name", "secret", NULL };
    lw_encryption_key key = { .provider = provider };
    const lw_node *name = lw_node_get(node, LW_STR("name"));
    lw_status st = check_fields(at, node, known);
    if (st == LW_OK && (!lw_node_is(name, LW_JSON_STRING) || lw_node_text(name).len == 0))
        st = fail(at, "name", "must be set");
    if (st == LW_OK)
        st = read_secret(at, node, &key);
    if (st == LW_OK)
        st = set_prefix(at, &key, lw_node_text(name));
    if (st == LW_OK && (st = add_key(at, keys, &key)) < 0)
        lw_free((char *)(uintptr_t)key.prefix.ptr);
    explicit_bzero(&key, sizeof(key));
    return st;
}

static lw_status read_keys(const place *at, const lw_node *node, lw_encryption_provider provider,
                           lw_encryption_keys *keys)
{
    static const char *const known[] = { "keys", NULL };
    static const char *const none[] = { NULL };
    const lw_node *list = NULL;
    if (provider == LW_ENCRYPTION_IDENTITY) {
        const lw_encryption_key key = { .provider = provider };
        lw_status st = check_fields(at, node, none);
        return st < 0 ? st : add_key(at, keys, &key);
    }
    lw_status st = check_fields(at, node, known);
    if (st == LW_OK)
        st = get_list(at, node, "keys", &list);
    for (size_t i = 0; st == LW_OK && i < lw_node_count(list); i++) {
        place below = inside(at, "keys", i, true);
        st = read_key(&below, lw_node_at(list, i), provider, keys);
    }
    return st;
}

static lw_status read_provider(const place *at, const lw_node *node, lw_encryption_keys *keys)
{
    static const char *const known[] = { "aescbc", "aesgcm", "secretbox", "identity", "kms", NULL };
    lw_status st = check_fields(at, node, known);
    if (st < 0)
        return st;
    if (lw_node_get(node, LW_STR("kms")))
        return fail(at, "kms",
                    "is not supported by this server: use aescbc, aesgcm, secretbox or identity");
    if (lw_node_count(node) != 1)
        return fail(at, "", "must have exactly one of aescbc, aesgcm, secretbox and identity");
    for (int provider = LW_ENCRYPTION_AESCBC; provider <= LW_ENCRYPTION_IDENTITY; provider++) {
        const lw_node *found = lw_node_get(node, lw_str_of(known[provider]));
        place below = inside(at, known[provider], 0, false);
        if (found)
            return read_keys(&below, found, (lw_encryption_provider)provider, keys);
    }
    assert(false && "one of the known fields is set");
    return LW_ERR_INTERNAL;
}

/* True if values of |resource| are stored under another name, or not at all. */
static const char *why_not(lw_str name, lw_str group, lw_str resource)
{
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] >= 'A' && name.ptr[i] <= 'Z')
            return "must not have capital letters";
    }
    if (resource.len == 0)
        return "must be the name of a resource: secrets, widgets.example.com, *.apps, *. or *.*";
    if (lw_str_equal(name, LW_STR("*")))
        return "use '*.' for all resources of the core group or '*.*' for all resources";
    if (lw_str_equal(group, LW_STR("events.k8s.io")))
        return "its objects are stored as 'events': use that name";
    if (lw_str_equal(group, LW_STR("extensions")))
        return "this group no longer exists";
    if (lw_str_equal(group, LW_STR("*")) && !lw_str_equal(resource, LW_STR("*")))
        return "a resource of all groups cannot be named: name the group";
    return NULL;
}

/* True if |rule| covers |other|, which is named after it and would never be used. */
static bool masks(const lw_encryption_rule *rule, lw_str group, lw_str resource)
{
    if (!lw_str_equal(rule->resource, LW_STR("*")))
        return false;
    bool is_same = lw_str_equal(rule->group, group) && lw_str_equal(rule->resource, resource);
    return !is_same && (lw_str_equal(rule->group, LW_STR("*")) || lw_str_equal(rule->group, group));
}

static lw_status add_rule(const place *at, lw_encryption_config *config, lw_str group,
                          lw_str resource, lw_encryption_rule **out)
{
    *out = lw_encryption__rule(config, group, resource);
    if (*out)
        return LW_OK;
    if (config->count == LW_ENCRYPTION_RULES_MAX)
        return fail(at, "", "too many resources are named");
    lw_encryption_rule *rules = lw_realloc_array(config->rules, config->count + 1, sizeof(*rules));
    if (!rules)
        return lw_error_nomem(at->err);
    config->rules = rules;
    char *text = lw_alloc(resource.len + group.len + 1);
    if (!text)
        return lw_error_nomem(at->err);
    memcpy(text, resource.ptr, resource.len);
    if (group.len > 0)
        memcpy(text + resource.len, group.ptr, group.len);
    *out = &rules[config->count++];
    **out = (lw_encryption_rule){ .group = { text + resource.len, group.len },
                                  .resource = { text, resource.len } };
    return LW_OK;
}

/* Refuses names that another one of the list or of an earlier entry makes ineffective. */
static lw_status check_overlap(const place *at, const lw_encryption_config *config,
                               const lw_node *list, size_t index, lw_str group, lw_str resource)
{
    for (size_t i = 0; i < lw_node_count(list); i++) {
        lw_encryption_rule other = { 0 };
        (void)lw_str_cut(lw_node_text(lw_node_at(list, i)), '.', &other.resource, &other.group);
        if (i < index && lw_str_equal(other.group, group) && lw_str_equal(other.resource, resource))
            return fail(at, "", "is named twice");
        if (i != index && masks(&other, group, resource))
            return fail(at, "", "is covered by a wildcard of the same list");
    }
    for (size_t i = 0; i < config->count; i++) {
        if (masks(&config->rules[i], group, resource))
            return fail(at, "", "is covered by a wildcard of an earlier entry: put it before that");
    }
    return LW_OK;
}

static lw_status read_entry(const place *at, const lw_node *node, lw_encryption_config *config)
{
    static const char *const known[] = { "resources", "providers", NULL };
    const lw_node *resources = NULL, *providers = NULL;
    lw_status st = check_fields(at, node, known);
    if (st == LW_OK)
        st = get_list(at, node, "resources", &resources);
    if (st == LW_OK)
        st = get_list(at, node, "providers", &providers);
    size_t before = config->count;
    for (size_t i = 0; st == LW_OK && i < lw_node_count(resources); i++) {
        place below = inside(at, "resources", i, true);
        lw_str name = lw_node_text(lw_node_at(resources, i)), group, resource;
        (void)lw_str_cut(name, '.', &resource, &group);
        const char *why = why_not(name, group, resource);
        lw_encryption_rule *rule = NULL;
        st = why ? fail(&below, "", why) : LW_OK;
        if (st == LW_OK) {
            const lw_encryption_config earlier = { config->rules, before };
            st = check_overlap(&below, &earlier, resources, i, group, resource);
        }
        if (st == LW_OK)
            st = add_rule(&below, config, group, resource, &rule);
        for (size_t p = 0; st == LW_OK && p < lw_node_count(providers); p++) {
            below = inside(at, "providers", p, true);
            st = read_provider(&below, lw_node_at(providers, p), &rule->keys);
        }
    }
    return st;
}

lw_status lw_encryption__read(lw_encryption_config *config, const lw_node *root, lw_error *err)
{
    static const char *const known[] = { "apiVersion", "kind", "resources", NULL };
    const place top = { .err = err };
    const lw_node *list = NULL;
    lw_status st = check_fields(&top, root, known);
    if (st == LW_OK && !lw_str_equal(lw_node_text(lw_node_get(root, LW_STR("kind"))),
                                     LW_STR("EncryptionConfiguration")))
        st = fail(&top, "kind", "must be EncryptionConfiguration");
    if (st == LW_OK && !lw_str_equal(lw_node_text(lw_node_get(root, LW_STR("apiVersion"))),
                                     LW_STR("apiserver.config.k8s.io/v1")))
        st = fail(&top, "apiVersion", "must be apiserver.config.k8s.io/v1");
    if (st == LW_OK)
        st = get_list(&top, root, "resources", &list);
    for (size_t i = 0; st == LW_OK && i < lw_node_count(list); i++) {
        place below = inside(&top, "resources", i, true);
        st = read_entry(&below, lw_node_at(list, i), config);
    }
    return st;
}
