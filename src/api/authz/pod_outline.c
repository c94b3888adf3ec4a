/* SPDX-License-Identifier: Apache-2.0 */
/* pod_outline.c -- walks the text of a pod and makes nodes only of the parts of interest. */
#include "api/authz/pod_outline.h"

#include <string.h>

#include "api/authz/pod_refs.h"
#include "base/str.h"
#include "json/cursor.h"
#include "json/text.h"

/* A member to keep. */
typedef struct part {
    lw_str name;
    const struct part *below; /* of its value, or of each of its elements; NULL: all */
} part;

#define NO_PART                                                                                    \
    {                                                                                              \
        LW_STR_INIT(""), NULL                                                                      \
    }

/* Of an object that only has to be there. */
static const part nothing[] = { NO_PART };

static const part named[] = { { LW_STR_INIT("name"), NULL }, NO_PART };
static const part with_secret_name[] = { { LW_STR_INIT("secretName"), NULL }, NO_PART };
static const part with_secret[] = { { LW_STR_INIT("secretRef"), named }, NO_PART };
static const part csi[] = { { LW_STR_INIT("nodePublishSecretRef"), named }, NO_PART };
static const part claim[] = { { LW_STR_INIT("claimName"), NULL }, NO_PART };

static const part value_source[] = {
    { LW_STR_INIT("secretKeyRef"), named },
    { LW_STR_INIT("configMapKeyRef"), named },
    NO_PART,
};

static const part variable[] = { { LW_STR_INIT("valueFrom"), value_source }, NO_PART };

static const part variables[] = {
    { LW_STR_INIT("secretRef"), named },
    { LW_STR_INIT("configMapRef"), named },
    NO_PART,
};

static const part container[] = {
    { LW_STR_INIT("env"), variable },
    { LW_STR_INIT("envFrom"), variables },
    NO_PART,
};

static const part projection[] = {
    { LW_STR_INIT("secret"), named },
    { LW_STR_INIT("configMap"), named },
    NO_PART,
};

static const part projected[] = { { LW_STR_INIT("sources"), projection }, NO_PART };

static const part volume[] = {
    { LW_STR_INIT("name"), NULL },
    { LW_STR_INIT("secret"), with_secret_name },
    { LW_STR_INIT("azureFile"), with_secret_name },
    { LW_STR_INIT("cephfs"), with_secret },
    { LW_STR_INIT("cinder"), with_secret },
    { LW_STR_INIT("rbd"), with_secret },
    { LW_STR_INIT("flexVolume"), with_secret },
    { LW_STR_INIT("scaleIO"), with_secret },
    { LW_STR_INIT("iscsi"), with_secret },
    { LW_STR_INIT("storageos"), with_secret },
    { LW_STR_INIT("csi"), csi },
    { LW_STR_INIT("configMap"), named },
    { LW_STR_INIT("persistentVolumeClaim"), claim },
    { LW_STR_INIT("projected"), projected },
    { LW_STR_INIT("ephemeral"), nothing },
    NO_PART,
};

static const part spec[] = {
    { LW_STR_INIT("volumes"), volume },
    { LW_STR_INIT("containers"), container },
    { LW_STR_INIT("initContainers"), container },
    { LW_STR_INIT("ephemeralContainers"), container },
    { LW_STR_INIT("serviceAccountName"), NULL },
    { LW_STR_INIT("imagePullSecrets"), named },
    { LW_STR_INIT("nodeName"), NULL },
    { LW_STR_INIT("resourceClaims"), NULL },
    NO_PART,
};

static const part annotations[] = { { LW_STR_INIT(LW_MIRROR_POD_ANNOTATION), NULL }, NO_PART };

static const part metadata[] = {
    { LW_STR_INIT("name"), NULL },
    { LW_STR_INIT("annotations"), annotations },
    NO_PART,
};

static const part status[] = {
    { LW_STR_INIT("resourceClaimStatuses"), NULL },
    { LW_STR_INIT("extendedResourceClaimStatus"), NULL },
    NO_PART,
};

static const part pod[] = {
    { LW_STR_INIT("metadata"), metadata },
    { LW_STR_INIT("spec"), spec },
    { LW_STR_INIT("status"), status },
    NO_PART,
};

static const part *find(const part *parts, lw_str raw_key)
{
    bool is_escaped = raw_key.len > 0 && memchr(raw_key.ptr, '\\', raw_key.len);
    for (; parts->name.len > 0; parts++) {
        if (is_escaped ? lw_json_text_equal(raw_key, parts->name)
                       : lw_str_equal(raw_key, parts->name))
            return parts;
    }
    return NULL;
}

/* What is being read; |st| is the first failure. */
typedef struct reading {
    lw_json_cursor c;
    lw_tree *tree;
    lw_status st;
} reading;

static lw_node *read_value(reading *r, const part *parts);

static lw_node *read_object(reading *r, const part *parts)
{
    lw_str raw_key;
    lw_node *object = lw_tree_object(r->tree);
    lw_json_cursor_enter(&r->c);
    while (lw_json_cursor_next_member(&r->c, &raw_key)) {
        const part *kept = find(parts, raw_key);
        if (kept)
            lw_node_put(r->tree, object, kept->name, read_value(r, kept->below));
        else
            (void)lw_json_cursor_skip(&r->c);
    }
    return object;
}

/* A value that is kept as it is. */
static lw_node *read_whole(reading *r)
{
    bool is_escaped = true;
    lw_node *value = NULL;
    lw_json_cursor c = r->c;
    lw_str text = lw_json_cursor_type(&c) == LW_JSON_STRING ? lw_json_cursor_text(&c, &is_escaped)
                                                            : LW_STR("");
    lw_str raw = lw_json_cursor_skip(&r->c);
    if (!is_escaped)
        return lw_tree_string(r->tree, text);
    lw_status st = lw_tree_parse_node(r->tree, raw, &value, NULL);
    if (r->st == LW_OK)
        r->st = st;
    return value;
}

/* Elements that are no objects are read whole, so that the recursion is as deep as the parts. */
static lw_node *read_elements(reading *r, const part *parts)
{
    lw_node *array = lw_tree_array(r->tree);
    lw_json_cursor_enter(&r->c);
    while (lw_json_cursor_next_element(&r->c)) {
        bool is_object = lw_json_cursor_type(&r->c) == LW_JSON_OBJECT;
        lw_node_append(r->tree, array, is_object ? read_object(r, parts) : read_whole(r));
    }
    return array;
}

static lw_node *read_value(reading *r, const part *parts)
{
    lw_json_type type = parts ? lw_json_cursor_type(&r->c) : LW_JSON_NULL;
    if (type == LW_JSON_OBJECT)
        return read_object(r, parts);
    return type == LW_JSON_ARRAY ? read_elements(r, parts) : read_whole(r);
}

lw_status lw_pod_outline_parse(lw_str json, lw_tree **out)
{
    reading r = { .c = lw_json_cursor_on(json) };
    lw_status st = lw_tree_new(&r.tree, 0);
    if (st < 0)
        return st;
    lw_tree_set_root(r.tree, read_value(&r, pod));
    st = r.st < 0 ? r.st : lw_tree_status(r.tree);
    if (st == LW_OK)
        *out = r.tree;
    else
        lw_tree_free(r.tree);
    return st;
}
