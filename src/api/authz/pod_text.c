/* SPDX-License-Identifier: Apache-2.0 */
/* pod_text.c -- walks the text of a pod along a table of the parts of interest.
 *
 * Whatever the table does not expect ends the walk, so that the result is that of
 * lw_pod_visit_refs, or none. */
#include "api/authz/pod_text.h"

#include <string.h>

#include "base/str.h"
#include "json/cursor.h"
#include "json/text.h"

/* What to do with a value. */
typedef enum part_use {
    USE_OBJECT, /* walk its members */
    USE_LIST,   /* walk those of its elements */
    USE_VOLUMES,
    USE_REF, /* a string: the name of an object */
    USE_POD_NAME,
    USE_NODE_NAME,
    USE_VOLUME_NAME,
    USE_EPHEMERAL, /* it only has to be there */
    USE_MIRROR,
    USE_NOTHING,
    USE_RARE, /* end the walk */
} part_use;

typedef struct part {
    lw_str name;
    part_use use;
    lw_ref_kind kind; /* of a reference */
    const struct part *below;
} part;

/* clang-format off */
#define PART(name, use, below) { LW_STR_INIT(name), use, LW_REF_POD, below }
#define REF(name, kind)        { LW_STR_INIT(name), USE_REF, kind, NULL }
#define NO_PART                { LW_STR_INIT(""), USE_NOTHING, LW_REF_POD, NULL }
/* clang-format on */

static const part secret_name[] = { REF("name", LW_REF_SECRET), NO_PART };
static const part config_map_name[] = { REF("name", LW_REF_CONFIG_MAP), NO_PART };
static const part with_secret_name[] = { REF("secretName", LW_REF_SECRET), NO_PART };
static const part with_secret[] = { PART("secretRef", USE_OBJECT, secret_name), NO_PART };
static const part csi[] = { PART("nodePublishSecretRef", USE_OBJECT, secret_name), NO_PART };
static const part claim[] = { REF("claimName", LW_REF_CLAIM), NO_PART };

static const part value_source[] = {
    PART("secretKeyRef", USE_OBJECT, secret_name),
    PART("configMapKeyRef", USE_OBJECT, config_map_name),
    NO_PART,
};

static const part variable[] = { PART("valueFrom", USE_OBJECT, value_source), NO_PART };

static const part variables[] = {
    PART("secretRef", USE_OBJECT, secret_name),
    PART("configMapRef", USE_OBJECT, config_map_name),
    NO_PART,
};

static const part container[] = {
    PART("env", USE_LIST, variable),
    PART("envFrom", USE_LIST, variables),
    NO_PART,
};

static const part projection[] = {
    PART("secret", USE_OBJECT, secret_name),
    PART("configMap", USE_OBJECT, config_map_name),
    NO_PART,
};

static const part projected[] = { PART("sources", USE_LIST, projection), NO_PART };

static const part volume[] = {
    PART("name", USE_VOLUME_NAME, NULL),
    PART("secret", USE_OBJECT, with_secret_name),
    PART("configMap", USE_OBJECT, config_map_name),
    PART("persistentVolumeClaim", USE_OBJECT, claim),
    PART("projected", USE_OBJECT, projected),
    PART("csi", USE_OBJECT, csi),
    PART("ephemeral", USE_EPHEMERAL, NULL),
    PART("azureFile", USE_OBJECT, with_secret_name),
    PART("cephfs", USE_OBJECT, with_secret),
    PART("cinder", USE_OBJECT, with_secret),
    PART("rbd", USE_OBJECT, with_secret),
    PART("flexVolume", USE_OBJECT, with_secret),
    PART("scaleIO", USE_OBJECT, with_secret),
    PART("iscsi", USE_OBJECT, with_secret),
    PART("storageos", USE_OBJECT, with_secret),
    NO_PART,
};

static const part spec[] = {
    PART("volumes", USE_VOLUMES, volume),
    PART("containers", USE_LIST, container),
    PART("initContainers", USE_LIST, container),
    PART("ephemeralContainers", USE_LIST, container),
    REF("serviceAccountName", LW_REF_SERVICE_ACCOUNT),
    PART("imagePullSecrets", USE_LIST, secret_name),
    PART("nodeName", USE_NODE_NAME, NULL),
    PART("resourceClaims", USE_RARE, NULL),
    NO_PART,
};

static const part annotations[] = { PART(LW_MIRROR_POD_ANNOTATION, USE_MIRROR, NULL), NO_PART };

static const part metadata[] = {
    PART("name", USE_POD_NAME, NULL),
    PART("annotations", USE_OBJECT, annotations),
    NO_PART,
};

static const part status[] = {
    PART("resourceClaimStatuses", USE_RARE, NULL),
    PART("extendedResourceClaimStatus", USE_RARE, NULL),
    NO_PART,
};

static const part top[] = {
    PART("metadata", USE_OBJECT, metadata),
    PART("spec", USE_OBJECT, spec),
    PART("status", USE_OBJECT, status),
    NO_PART,
};

typedef struct reading {
    lw_json_cursor c;
    lw_pod_text *pod;
    lw_str volume; /* the name of the current volume */
    bool is_ephemeral;
} reading;

static const part *find(const part *parts, lw_str key)
{
    for (; parts->name.len > 0; parts++) {
        if (lw_str_equal(key, parts->name))
            return parts;
    }
    return NULL;
}

/* A string without escapes. */
static bool read_text(reading *r, lw_str *text)
{
    bool is_escaped = true;
    if (lw_json_cursor_type(&r->c) == LW_JSON_STRING)
        *text = lw_json_cursor_text(&r->c, &is_escaped);
    return !is_escaped;
}

static bool note(reading *r, lw_ref_kind kind, lw_str name, bool is_ephemeral)
{
    lw_pod_text *pod = r->pod;
    if (pod->count == LW_POD_TEXT_REFS)
        return false;
    pod->refs[pod->count++] = (lw_pod_text_ref){ kind, is_ephemeral, name };
    return true;
}

static bool read_ref(reading *r, lw_ref_kind kind)
{
    lw_str name = LW_STR("");
    return read_text(r, &name) && (name.len == 0 || note(r, kind, name, false));
}

static bool read_object(reading *r, const part *parts);

static bool read_list(reading *r, const part *parts)
{
    if (lw_json_cursor_type(&r->c) != LW_JSON_ARRAY)
        return false;
    lw_json_cursor_enter(&r->c);
    while (lw_json_cursor_next_element(&r->c)) {
        if (!read_object(r, parts))
            return false;
    }
    return true;
}

static bool read_volumes(reading *r, const part *parts)
{
    if (lw_json_cursor_type(&r->c) != LW_JSON_ARRAY)
        return false;
    lw_json_cursor_enter(&r->c);
    while (lw_json_cursor_next_element(&r->c)) {
        r->volume = LW_STR("");
        r->is_ephemeral = false;
        if (!read_object(r, parts) || (r->is_ephemeral && !note(r, LW_REF_CLAIM, r->volume, true)))
            return false;
    }
    return true;
}

static bool read_part(reading *r, const part *p)
{
    switch (p->use) {
    case USE_OBJECT: return read_object(r, p->below);
    case USE_LIST: return read_list(r, p->below);
    case USE_VOLUMES: return read_volumes(r, p->below);
    case USE_REF: return read_ref(r, p->kind);
    case USE_POD_NAME: return read_text(r, &r->pod->name);
    case USE_NODE_NAME: return read_text(r, &r->pod->node);
    case USE_VOLUME_NAME: return read_text(r, &r->volume);
    case USE_EPHEMERAL: r->is_ephemeral = true; break;
    case USE_MIRROR: r->pod->is_mirror = true; break;
    case USE_NOTHING: break;
    case USE_RARE: return false;
    }
    (void)lw_json_cursor_skip(&r->c);
    return true;
}

/* Reads an object; false: there is something in it that the table does not expect.  The recursion
 * is as deep as the table. */
static bool read_object(reading *r, const part *parts)
{
    lw_str key;
    bool is_escaped = false;
    uint32_t seen = 0;
    if (lw_json_cursor_type(&r->c) != LW_JSON_OBJECT)
        return false;
    lw_json_cursor_enter(&r->c);
    while (lw_json_cursor_next_key(&r->c, &key, &is_escaped)) {
        const part *p = find(parts, key);
        if (is_escaped)
            return false;
        if (!p) {
            (void)lw_json_cursor_skip(&r->c);
            continue;
        }
        uint32_t bit = UINT32_C(1) << (p - parts);
        if (seen & bit) /* of the same member twice, the last one counts */
            return false;
        seen |= bit;
        const char *begin = r->c.at;
        if (!read_part(r, p))
            return false;
        lw_str value = lw_str_make(begin, (size_t)(r->c.at - begin));
        if (p->below == spec)
            r->pod->parts.spec = value;
        else if (p->below == annotations)
            r->pod->parts.annotations = value;
    }
    return true;
}

/* An ephemeral volume has a claim that is named after the pod and the volume. */
static bool name_claim(lw_pod_text *pod, lw_pod_text_ref *ref)
{
    size_t len = pod->name.len + 1 + ref->name.len;
    if (len > LW_POD_TEXT_NAMES - pod->names_len)
        return false;
    char *to = pod->names + pod->names_len;
    if (pod->name.len > 0)
        memcpy(to, pod->name.ptr, pod->name.len);
    to[pod->name.len] = '-';
    if (ref->name.len > 0)
        memcpy(to + pod->name.len + 1, ref->name.ptr, ref->name.len);
    ref->name = lw_str_make(to, len);
    pod->names_len += len;
    return true;
}

bool lw_pod_text_read(lw_str json, lw_pod_text *pod)
{
    reading r = { .c = lw_json_cursor_on(json), .pod = pod };
    pod->parts = (lw_pod_text_parts){ .spec = LW_STR("") };
    pod->name = pod->node = LW_STR("");
    pod->is_mirror = false;
    pod->count = pod->names_len = 0;
    if (!read_object(&r, top))
        return false;
    for (size_t i = 0; i < pod->count; i++) {
        if (pod->refs[i].is_ephemeral && !name_claim(pod, &pod->refs[i]))
            return false;
    }
    return true;
}

/* The claims of devices in |json|, in one walk: most statuses have none. */
static void find_claims(lw_str json, lw_pod_text_parts *parts)
{
    lw_json_cursor c = lw_json_cursor_on(json);
    lw_str raw_key;
    if (lw_json_cursor_type(&c) != LW_JSON_OBJECT)
        return;
    lw_json_cursor_enter(&c);
    while (lw_json_cursor_next_member(&c, &raw_key)) {
        lw_str value = lw_json_cursor_skip(&c);
        if (lw_json_text_equal(raw_key, LW_STR("resourceClaimStatuses")))
            parts->claims = value;
        else if (lw_json_text_equal(raw_key, LW_STR("extendedResourceClaimStatus")))
            parts->extended_claim = value;
    }
}

void lw_pod_text_find_parts(lw_str json, lw_pod_text_parts *parts)
{
    lw_str raw_key, of_metadata = LW_STR(""), of_status = LW_STR("");
    lw_json_cursor c = lw_json_cursor_on(json);
    *parts = (lw_pod_text_parts){ .spec = LW_STR("") };
    lw_json_cursor_enter(&c);
    while (lw_json_cursor_next_member(&c, &raw_key)) {
        lw_str value = lw_json_cursor_skip(&c);
        if (lw_json_text_equal(raw_key, LW_STR("spec")))
            parts->spec = value;
        else if (lw_json_text_equal(raw_key, LW_STR("metadata")))
            of_metadata = value;
        else if (lw_json_text_equal(raw_key, LW_STR("status")))
            of_status = value;
    }
    c = lw_json_cursor_on(of_metadata);
    if (of_metadata.len > 0 && lw_json_cursor_find_member(&c, LW_STR("annotations")))
        parts->annotations = lw_json_cursor_skip(&c);
    find_claims(of_status, parts);
}
