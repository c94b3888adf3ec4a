/* SPDX-License-Identifier: Apache-2.0 */
/* rbac_rule.c -- compiles and evaluates the rules of roles. */
#include "api/authz/rbac_rule.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

static const lw_str all = LW_STR_INIT("*");

/* What the block of a set of rules has to hold, and then where its next free parts are. */
typedef struct block {
    size_t texts, bytes; /* measured */
    lw_str *next_text;
    char *next_byte;
} block;

static const char *const members[] = { "verbs", "apiGroups", "resources", "resourceNames",
                                       "nonResourceURLs" };

enum {
    MEMBERS = sizeof(members) / sizeof(members[0]),
};

static void measure(block *b, const lw_node *list)
{
    for (size_t i = 0; i < lw_node_count(list); i++) {
        b->texts++;
        b->bytes += lw_node_text(lw_node_at(list, i)).len;
    }
}

static lw_rbac_texts take_texts(block *b, const lw_node *list)
{
    lw_rbac_texts texts = { .items = b->next_text, .count = lw_node_count(list) };
    for (size_t i = 0; i < texts.count; i++) {
        lw_str text = lw_node_text(lw_node_at(list, i));
        if (text.len > 0)
            memcpy(b->next_byte, text.ptr, text.len);
        *b->next_text++ = lw_str_make(b->next_byte, text.len);
        b->next_byte += text.len;
        texts.has_all = texts.has_all || lw_str_equal(text, all);
        texts.filter |= lw_rbac_filter_of(text);
    }
    if (texts.has_all)
        texts.filter = UINT64_MAX;
    return texts;
}

static const lw_node *member_of(const lw_node *rule, size_t index)
{
    const lw_node *list = lw_node_get(rule, lw_str_of(members[index]));
    return lw_node_is(list, LW_JSON_ARRAY) ? list : NULL;
}

lw_status lw_rbac_rules_new(lw_rbac_rules **out, const lw_node *rules)
{
    size_t count = lw_node_is(rules, LW_JSON_ARRAY) ? lw_node_count(rules) : 0;
    block b = { .texts = 0 };
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < MEMBERS; j++)
            measure(&b, member_of(lw_node_at(rules, i), j));
    }
    size_t head = sizeof(lw_rbac_rules) + count * sizeof(lw_rbac_rule);
    lw_rbac_rules *set = lw_alloc(head + b.texts * sizeof(lw_str) + b.bytes);
    if (!set)
        return LW_ERR_NOMEM;
    lw_ref_init(&set->refs);
    set->count = count;
    set->verbs = 0;
    b.next_text = (lw_str *)(void *)((char *)set + head);
    b.next_byte = (char *)(b.next_text + b.texts);
    for (size_t i = 0; i < count; i++) {
        const lw_node *rule = lw_node_at(rules, i);
        lw_rbac_texts lists[MEMBERS];
        for (size_t j = 0; j < MEMBERS; j++)
            lists[j] = take_texts(&b, member_of(rule, j));
        set->items[i] = (lw_rbac_rule){ lists[0], lists[1], lists[2], lists[3], lists[4] };
        set->verbs |= lists[0].filter;
    }
    *out = set;
    return LW_OK;
}

lw_rbac_rules *lw_rbac_rules_ref(lw_rbac_rules *rules)
{
    lw_ref_inc(&rules->refs);
    return rules;
}

void lw_rbac_rules_unref(lw_rbac_rules *rules)
{
    if (rules && lw_ref_dec(&rules->refs))
        lw_free(rules);
}

bool lw_rbac_texts_have(const lw_rbac_texts *texts, lw_str text)
{
    for (size_t i = 0; i < texts->count; i++) {
        if (lw_str_equal(texts->items[i], text))
            return true;
    }
    return false;
}

bool lw_rbac_texts_allow(const lw_rbac_texts *texts, lw_str text)
{
    return texts->has_all || lw_rbac_texts_have(texts, text);
}

/* Whether |text| is |first|, a slash, and |second|. */
static bool is_path(lw_str text, lw_str first, lw_str second)
{
    return text.len == first.len + 1 + second.len && lw_str_starts_with(text, first) &&
           text.ptr[first.len] == '/' && lw_str_ends_with(text, second);
}

bool lw_rbac_resources_allow(const lw_rbac_texts *resources, lw_str resource, lw_str subresource)
{
    if (resources->has_all)
        return true;
    if (subresource.len == 0)
        return lw_rbac_texts_have(resources, resource);
    for (size_t i = 0; i < resources->count; i++) {
        if (is_path(resources->items[i], resource, subresource) ||
            is_path(resources->items[i], all, subresource))
            return true;
    }
    return false;
}

bool lw_rbac_urls_allow(const lw_rbac_texts *urls, lw_str path)
{
    if (urls->has_all)
        return true;
    for (size_t i = 0; i < urls->count; i++) {
        lw_str url = urls->items[i];
        if (lw_str_equal(url, path))
            return true;
        if (!lw_str_ends_with(url, all))
            continue;
        while (url.len > 0 && url.ptr[url.len - 1] == '*')
            url.len--;
        if (lw_str_starts_with(path, url))
            return true;
    }
    return false;
}

bool lw_rbac_rule_allows(const lw_rbac_rule *rule, const lw_authz_attributes *attributes)
{
    if (!lw_rbac_texts_allow(&rule->verbs, attributes->verb))
        return false;
    if (!attributes->is_resource)
        return lw_rbac_urls_allow(&rule->urls, attributes->path);
    return lw_rbac_texts_allow(&rule->groups, attributes->group) &&
           lw_rbac_resources_allow(&rule->resources, attributes->resource,
                                   attributes->subresource) &&
           (rule->names.count == 0 || lw_rbac_texts_have(&rule->names, attributes->name));
}
