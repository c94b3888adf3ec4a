/* SPDX-License-Identifier: Apache-2.0 */
/* node_audience.c -- looks for an audience in the volumes of a pod. */
#include "api/admission/node_audience.h"

#include "api/authz/authz.h"
#include "api/context/cache_lookup.h"
#include "base/str.h"
#include "object/names.h"
#include "object/quote.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

/* What is looked for, and what was found. */
typedef struct search {
    const lw_api *api;
    const lw_object *pod;
    lw_str audience;
    lw_buf *why; /* the problems of the volumes that could not be followed */
    lw_status st;
} search;

static void note_missing(search *s, const lw_kind *kind, lw_str name)
{
    if (s->why->len > 0)
        lw_buf_append_text(s->why, ", ");
    lw_buf_append_str(s->why, kind->singular);
    if (kind->group.len > 0)
        lw_buf_printf(s->why, ".%.*s", LW_STR_ARG(kind->group));
    lw_buf_append_char(s->why, ' ');
    lw_quote_append(s->why, name);
    lw_buf_append_text(s->why, " not found");
}

/* Finds an object; NULL: there is none, which is noted, or s->st. */
static lw_object *find(search *s, const lw_kind *kind, lw_str ns, lw_str name)
{
    lw_object *found = NULL;
    if (s->st == LW_OK)
        s->st = lw_lookup(lw_api_resource(s->api, kind), (lw_key){ ns, name }, &found);
    if (s->st == LW_OK && !found)
        note_missing(s, kind, name);
    return found;
}

/* Whether |list|, JSON of an array or empty, has an item with the audience. */
static bool has_audience(search *s, lw_str list)
{
    lw_tree *tree = NULL;
    bool is_found = false;
    if (s->st < 0 || list.len == 0)
        return false;
    s->st = lw_tree_parse(&tree, list, 0, NULL);
    const lw_node *items = s->st == LW_OK ? lw_tree_root(tree) : NULL;
    for (size_t i = 0; lw_node_is(items, LW_JSON_ARRAY) && i < lw_node_count(items); i++)
        is_found |= lw_str_equal(lw_fields_text(lw_node_at(items, i), "audience"), s->audience);
    lw_tree_free(tree);
    return is_found;
}

static bool driver_has_audience(search *s, lw_str driver)
{
    lw_str requests = { NULL, 0 };
    lw_object *found = driver.len > 0 ? find(s, &lw_kind_csidrivers, LW_STR(""), driver) : NULL;
    if (!found)
        return false;
    (void)lw_object_raw(found, "/spec/tokenRequests", &requests); /* absent: none */
    bool is_found = has_audience(s, requests);
    lw_object_unref(found);
    return is_found;
}

/* From the claim to its volume, and to the driver of that. */
static bool claim_has_audience(search *s, lw_str claim_name)
{
    lw_str ns = lw_object_key(s->pod).ns;
    lw_object *claim = find(s, &lw_kind_persistentvolumeclaims, ns, claim_name);
    if (!claim)
        return false;
    lw_object *volume = find(s, &lw_kind_persistentvolumes, LW_STR(""),
                             lw_str_of(lw_object_string(claim, "/spec/volumeName", "")));
    bool is_found =
        volume &&
        driver_has_audience(s, lw_str_of(lw_object_string(volume, "/spec/csi/driver", "")));
    lw_object_unref(volume);
    lw_object_unref(claim);
    return is_found;
}

static bool projection_has_audience(const search *s, const lw_node *volume)
{
    const lw_node *sources = lw_fields_find(volume, "/projected/sources");
    for (size_t i = 0; lw_node_is(sources, LW_JSON_ARRAY) && i < lw_node_count(sources); i++) {
        const lw_node *token = lw_node_get(lw_node_at(sources, i), LW_STR("serviceAccountToken"));
        if (token && lw_str_equal(lw_fields_text(token, "audience"), s->audience))
            return true;
    }
    return false;
}

static bool volume_has_audience(search *s, const lw_node *volume)
{
    lw_str claim = lw_fields_text_at(volume, "/persistentVolumeClaim/claimName");
    if (projection_has_audience(s, volume))
        return true;
    if (lw_fields_find(volume, "/ephemeral/volumeClaimTemplate")) {
        lw_buf name;
        lw_buf_init(&name, LW_NAME_SUBDOMAIN_MAX * 2);
        lw_buf_append_str(&name, lw_object_key(s->pod).name);
        lw_buf_append_char(&name, '-');
        lw_buf_append_str(&name, lw_fields_text(volume, "name"));
        bool is_found = name.st == LW_OK && claim_has_audience(s, lw_buf_view(&name));
        if (name.st < 0)
            s->st = name.st;
        lw_buf_done(&name);
        return is_found;
    }
    if (claim.len > 0)
        return claim_has_audience(s, claim);
    return driver_has_audience(s, lw_fields_text_at(volume, "/csi/driver"));
}

static bool pod_has_audience(search *s)
{
    lw_str text;
    lw_tree *tree = NULL;
    bool is_found = false;
    if (lw_object_raw(s->pod, "/spec/volumes", &text) < 0)
        return false;
    s->st = lw_tree_parse(&tree, text, 0, NULL);
    const lw_node *volumes = s->st == LW_OK ? lw_tree_root(tree) : NULL;
    size_t count = lw_node_is(volumes, LW_JSON_ARRAY) ? lw_node_count(volumes) : 0;
    for (size_t i = 0; i < count && !is_found && s->st == LW_OK; i++)
        is_found = volume_has_audience(s, lw_node_at(volumes, i));
    lw_tree_free(tree);
    return is_found;
}

static bool is_authorized(const lw_node_restriction_request *request, lw_str audience)
{
    const lw_authz_attributes attributes = {
        .user = request->user,
        .verb = LW_STR("request-serviceaccounts-token-audience"),
        .is_resource = true,
        .version = LW_STR("v1"),
        .resource = audience,
        .ns = request->key.ns,
        .name = request->key.name,
        .stream = request->stream,
    };
    return lw_authz_allows(request->api->authz, &attributes);
}

/* Replaces |why|, which has the problems of volumes or is empty, by the whole message. */
static void explain(const search *s, const lw_user *user)
{
    lw_buf problems = *s->why;
    lw_buf_init(s->why, problems.limit);
    if (problems.len > 0) {
        lw_buf_append_text(s->why, "error validating audience ");
        lw_quote_append(s->why, s->audience);
        lw_buf_append_text(s->why, ": ");
        lw_buf_append_str(s->why, lw_buf_view(&problems));
    } else {
        lw_buf_append_str(s->why, user->name);
        lw_buf_append_text(s->why, " is not authorized to request tokens for audience ");
        lw_quote_append(s->why, s->audience);
    }
    if (problems.st < 0 || s->st < 0)
        s->why->st = problems.st < 0 ? problems.st : s->st;
    lw_buf_done(&problems);
}

bool lw_node_audience_admits(const lw_node_restriction_request *request, const lw_object *pod,
                             const lw_node *spec, lw_buf *why)
{
    const lw_node *audiences = lw_node_get(spec, LW_STR("audiences"));
    if (lw_node_count(audiences) > 1) {
        lw_buf_append_text(why, "node may only request 0 or 1 audiences");
        return false;
    }
    search s = { .api = request->api, .pod = pod, .why = why };
    if (lw_node_count(audiences) == 1)
        s.audience = lw_node_text(lw_node_at(audiences, 0));
    if (pod_has_audience(&s))
        return true;
    if (s.st == LW_OK && why->st == LW_OK && why->len == 0 && is_authorized(request, s.audience))
        return true;
    explain(&s, request->user);
    return false;
}
