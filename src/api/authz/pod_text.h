/* SPDX-License-Identifier: Apache-2.0 */
/* pod_text.h -- reads from the text of a pod which objects its node needs, without parsing it. */
#ifndef LW_API_AUTHZ_POD_TEXT_H
#define LW_API_AUTHZ_POD_TEXT_H

#include "api/authz/pod_refs.h"

enum {
    LW_POD_TEXT_REFS = 64,
    LW_POD_TEXT_NAMES = 1024, /* bytes of the names that are not in the text as they are */
};

typedef struct lw_pod_text_ref {
    lw_ref_kind kind;
    bool is_ephemeral; /* the claim of an ephemeral volume */
    lw_str name;
} lw_pod_text_ref;

/* The parts of a pod that matter, as JSON; those that it does not have are empty. */
typedef struct lw_pod_text_parts {
    lw_str spec, annotations;
    lw_str claims, extended_claim; /* of its status */
} lw_pod_text_parts;

/* Most texts point into the text of the pod. */
typedef struct lw_pod_text {
    lw_pod_text_parts parts;
    lw_str name, node;
    bool is_mirror;
    size_t count;
    lw_pod_text_ref refs[LW_POD_TEXT_REFS]; /* those that lw_pod_visit_refs visits */
    size_t names_len;
    char names[LW_POD_TEXT_NAMES];
} lw_pod_text;

/* Finds the parts of |json|, the valid JSON of a pod. */
void lw_pod_text_find_parts(lw_str json, lw_pod_text_parts *parts);

/* Reads |json|, the valid JSON of a pod.  False: it has something rare, as claims of devices,
 * escapes, a member twice, or very many references; parse it, and use lw_pod_visit_refs. */
LW_MUST_CHECK bool lw_pod_text_read(lw_str json, lw_pod_text *pod);

#endif
