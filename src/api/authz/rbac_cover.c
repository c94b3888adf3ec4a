/* SPDX-License-Identifier: Apache-2.0 */
/* rbac_cover.c -- takes rules apart into single combinations and looks for each among the rules
 * that are held. */
#include "api/authz/rbac_cover.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "object/quote.h"

enum {
    TEXTS_MAX = 1024 * 1024, /* bytes of what is not covered */
};

/* One thing that a rule allows: either a resource or a URL. */
typedef struct thing {
    const lw_str *group, *resource, *name; /* name NULL: all objects */
    const lw_str *url;                     /* NULL: a resource */
} thing;

/* Verbs that are not held for a thing.  The offsets are into the texts of the cover. */
typedef struct missing_verbs {
    size_t thing_at, thing_len; /* {APIGroups:[""], Resources:["pods"], Verbs:[ */
    size_t verbs_at, verbs_len; /* "get" "list" */
    size_t order;
    const lw_buf *texts;
} missing_verbs;

typedef struct cover {
    const lw_rbac_held *held;
    size_t steps_left;
    lw_buf texts;
    missing_verbs *missing;
    size_t count, room;
    lw_status st;
} cover;

/* Splits "pods/log"; the subresource is empty if there is none. */
static lw_str split_resource(lw_str text, lw_str *subresource)
{
    lw_str resource;
    (void)lw_str_cut(text, '/', &resource, subresource);
    return resource;
}

static bool covers_resource(const lw_rbac_rule *rule, const thing *t)
{
    lw_str subresource, resource = split_resource(*t->resource, &subresource);
    if (!lw_rbac_texts_allow(&rule->groups, *t->group) ||
        !lw_rbac_resources_allow(&rule->resources, resource, subresource))
        return false;
    return rule->names.count == 0 || (t->name && lw_rbac_texts_have(&rule->names, *t->name));
}

static bool is_held(cover *c, const thing *t, lw_str verb)
{
    for (size_t i = 0; i < c->held->count; i++) {
        const lw_rbac_rules *set = c->held->sets[i];
        for (size_t j = 0; j < set->count; j++) {
            const lw_rbac_rule *rule = &set->items[j];
            if (c->steps_left-- == 0) {
                c->steps_left = 0;
                c->st = LW_ERR_LIMIT;
                return false;
            }
            if (!lw_rbac_texts_allow(&rule->verbs, verb))
                continue;
            if (t->url ? lw_rbac_urls_allow(&rule->urls, *t->url) : covers_resource(rule, t))
                return true;
        }
    }
    return false;
}

static void append_list(lw_buf *out, const char *name, const lw_str *text)
{
    if (!text)
        return;
    lw_buf_printf(out, "%s:[", name);
    lw_quote_append(out, *text);
    lw_buf_append_text(out, "], ");
}

static missing_verbs *add_missing(cover *c, const thing *t)
{
    if (c->count == c->room) {
        size_t room = c->room > 0 ? 2 * c->room : 8;
        missing_verbs *more = lw_realloc_array(c->missing, room, sizeof(*more));
        if (!more) {
            c->st = LW_ERR_NOMEM;
            return NULL;
        }
        c->missing = more;
        c->room = room;
    }
    missing_verbs *m = &c->missing[c->count];
    *m = (missing_verbs){ .thing_at = c->texts.len, .order = c->count++, .texts = &c->texts };
    lw_buf_append_char(&c->texts, '{');
    append_list(&c->texts, "APIGroups", t->group);
    append_list(&c->texts, "Resources", t->resource);
    append_list(&c->texts, "NonResourceURLs", t->url);
    append_list(&c->texts, "ResourceNames", t->name);
    lw_buf_append_text(&c->texts, "Verbs:[");
    m->thing_len = c->texts.len - m->thing_at;
    m->verbs_at = c->texts.len;
    return m;
}

/* Notes the verbs of |rule| that are not held for |t|: those of a resource together. */
static void check_thing(cover *c, const lw_rbac_rule *rule, const thing *t)
{
    missing_verbs *m = NULL;
    for (size_t i = 0; i < rule->verbs.count && c->st == LW_OK; i++) {
        if (is_held(c, t, rule->verbs.items[i]) || c->st < 0)
            continue;
        if (m && !t->url)
            lw_buf_append_char(&c->texts, ' ');
        else
            m = add_missing(c, t);
        if (!m)
            return;
        lw_quote_append(&c->texts, rule->verbs.items[i]);
        m->verbs_len = c->texts.len - m->verbs_at;
        if (c->texts.st < 0)
            c->st = c->texts.st;
    }
}

static void check_resources(cover *c, const lw_rbac_rule *rule)
{
    size_t names = rule->names.count > 0 ? rule->names.count : 1;
    for (size_t g = 0; g < rule->groups.count; g++) {
        for (size_t r = 0; r < rule->resources.count; r++) {
            for (size_t n = 0; n < names && c->st == LW_OK; n++) {
                const thing t = { .group = &rule->groups.items[g],
                                  .resource = &rule->resources.items[r],
                                  .name = rule->names.count > 0 ? &rule->names.items[n] : NULL };
                check_thing(c, rule, &t);
            }
            if (c->st < 0)
                return;
        }
    }
}

static void check_urls(cover *c, const lw_rbac_rule *rule)
{
    for (size_t u = 0; u < rule->urls.count && c->st == LW_OK; u++) {
        const thing t = { .url = &rule->urls.items[u] };
        check_thing(c, rule, &t);
    }
}

static lw_str thing_of(const missing_verbs *m)
{
    return lw_str_make(lw_buf_view(m->texts).ptr + m->thing_at, m->thing_len);
}

static int compare_missing(const void *a, const void *b)
{
    const missing_verbs *m = a, *n = b;
    int order = lw_str_compare(thing_of(m), thing_of(n));
    return order != 0 ? order : m->order < n->order ? -1 : 1;
}

/* Verbs of one resource are one line; each verb of a URL has its own. */
static void write_missing(const cover *c, lw_buf *out)
{
    for (size_t i = 0; i < c->count; i++) {
        const missing_verbs *m = &c->missing[i];
        lw_str what = thing_of(m);
        bool is_url = lw_str_starts_with(what, LW_STR("{NonResourceURLs:"));
        bool is_same = i > 0 && !is_url && lw_str_equal(what, thing_of(m - 1));
        bool is_followed = i + 1 < c->count && !is_url && lw_str_equal(what, thing_of(m + 1));
        if (is_same) {
            lw_buf_append_char(out, ' ');
        } else {
            if (i > 0)
                lw_buf_append_char(out, '\n');
            lw_buf_append_str(out, what);
        }
        lw_buf_append_str(out, lw_str_make(lw_buf_view(&c->texts).ptr + m->verbs_at, m->verbs_len));
        if (!is_followed)
            lw_buf_append_text(out, "]}");
    }
}

lw_status lw_rbac_cover(const lw_rbac_held *held, const lw_rbac_rules *wanted, bool *is_covered,
                        lw_buf *missing)
{
    cover c = { .held = held, .steps_left = LW_RBAC_COVER_STEPS_MAX, .st = LW_OK };
    lw_buf_init(&c.texts, TEXTS_MAX);
    for (size_t i = 0; i < wanted->count && c.st == LW_OK; i++) {
        check_resources(&c, &wanted->items[i]);
        check_urls(&c, &wanted->items[i]);
    }
    if (c.st == LW_OK) {
        if (c.count > 0)
            qsort(c.missing, c.count, sizeof(*c.missing), compare_missing);
        write_missing(&c, missing);
        *is_covered = c.count == 0;
    }
    lw_buf_done(&c.texts);
    lw_free(c.missing);
    return c.st;
}
