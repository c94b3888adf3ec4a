/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_leaf.c -- the table of leaves. */
#include "schema/openapi/openapi_leaf.h"

#include "base/str.h"

#define META "io.k8s.apimachinery.pkg.apis.meta.v1."

enum {
    LEAF_QUANTITY,
    LEAF_INT_OR_STRING,
    LEAF_TIME,
    LEAF_MICRO_TIME,
    LEAF_DURATION,
    LEAF_RAW,
    LEAF_FIELDS_V1,
    LEAF_JSON,
};

const lw_openapi_leaf lw_openapi_leaves[LW_OPENAPI_LEAVES] = {
    [LEAF_QUANTITY] = { LW_STR_INIT("io.k8s.apimachinery.pkg.api.resource.Quantity"),
                        LW_STR_INIT("{\"description\":\"A number with an optional unit, such "
                                    "as 100m, 1.5 or 2Gi.\",\"type\":"
                                    "\"string\"}"),
                        LW_STR_INIT("{\"description\":\"A number with an optional unit, such "
                                    "as 100m, 1.5 or 2Gi.\",\"oneOf\":"
                                    "[{\"type\":\"string\"},{\"type\":\"number\"}]}") },
    [LEAF_INT_OR_STRING] = { LW_STR_INIT("io.k8s.apimachinery.pkg.util.intstr.IntOrString"),
                             LW_STR_INIT("{\"description\":\"An integer or a string, such as 80, "
                                         "http or 25%.\",\"type\":\"string\","
                                         "\"format\":\"int-or-string\"}"),
                             LW_STR_INIT("{\"description\":\"An integer or a string, such as 80, "
                                         "http or 25%.\",\"oneOf\":[{\"type\":"
                                         "\"integer\"},{\"type\":\"string\"}],\"format\":\"int-or-"
                                         "string\"}") },
    [LEAF_TIME] = { LW_STR_INIT(META "Time"),
                    LW_STR_INIT("{\"description\":\"A time in RFC 3339 format.\",\"type\":"
                                "\"string\",\"format\":\"date-time\"}"),
                    LW_STR_INIT("") },
    [LEAF_MICRO_TIME] = { LW_STR_INIT(META "MicroTime"),
                          LW_STR_INIT("{\"description\":\"A time in RFC 3339 format with "
                                      "microseconds.\",\"type\":"
                                      "\"string\",\"format\":\"date-time\"}"),
                          LW_STR_INIT("") },
    [LEAF_DURATION] = { LW_STR_INIT(META "Duration"),
                        LW_STR_INIT(
                            "{\"description\":\"A duration, such as 1m30s.\",\"type\":\"string\"}"),
                        LW_STR_INIT("") },
    [LEAF_RAW] = { LW_STR_INIT("io.k8s.apimachinery.pkg.runtime.RawExtension"),
                   LW_STR_INIT("{\"description\":\"An object of any kind.\",\"type\":\"object\"}"),
                   LW_STR_INIT("") },
    [LEAF_FIELDS_V1] = { LW_STR_INIT(META "FieldsV1"),
                         LW_STR_INIT("{\"description\":\"A set of fields, as a tree of their "
                                     "names.\",\"type\":"
                                     "\"object\"}"),
                         LW_STR_INIT("") },
    [LEAF_JSON] = { LW_STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON"),
                    LW_STR_INIT("{\"description\":\"Any JSON value.\"}"), LW_STR_INIT("") },
    [LW_OPENAPI_PATCH] = { LW_STR_INIT(META "Patch"),
                           LW_STR_INIT("{\"description\":\"A patch: the changes to make to an "
                                       "object.\",\"type\":\"object\"}"),
                           LW_STR_INIT("") },
};

int lw_openapi_leaf_of(const lw_type *type)
{
    switch (type->form) {
    case LW_TYPE_QUANTITY: return LEAF_QUANTITY;
    case LW_TYPE_INT_OR_STRING: return LEAF_INT_OR_STRING;
    case LW_TYPE_TIME: return LEAF_TIME;
    case LW_TYPE_MICRO_TIME: return LEAF_MICRO_TIME;
    case LW_TYPE_DURATION: return LEAF_DURATION;
    case LW_TYPE_FIELDS_V1: return LEAF_FIELDS_V1;
    case LW_TYPE_RAW: /* in schemas of definitions any value, elsewhere an object */
        return lw_str_ends_with(type->go, LW_STR(".JSON")) ? LEAF_JSON : LEAF_RAW;
    default: return -1;
    }
}

void lw_openapi_write_leaf(lw_openapi_writer *o, const lw_openapi_leaf *leaf)
{
    bool has_more = o->dialect == LW_OPENAPI_3 && leaf->v3.len > 0;
    lw_json_write_key(o->w, leaf->name);
    lw_json_write_raw(o->w, has_more ? leaf->v3 : leaf->v2);
}
