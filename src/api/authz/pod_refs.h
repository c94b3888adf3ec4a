/* SPDX-License-Identifier: Apache-2.0 */
/* pod_refs.h -- the objects that a pod or a persistent volume refers to by name, so that the node
 * that runs the pod needs to read them. */
#ifndef LW_API_AUTHZ_POD_REFS_H
#define LW_API_AUTHZ_POD_REFS_H

#include "json/tree.h"

#define LW_MIRROR_POD_ANNOTATION "kubernetes.io/config.mirror"

typedef enum lw_ref_kind {
    LW_REF_POD,
    LW_REF_SECRET,
    LW_REF_CONFIG_MAP,
    LW_REF_CLAIM, /* PersistentVolumeClaim */
    LW_REF_SERVICE_ACCOUNT,
    LW_REF_VOLUME, /* PersistentVolume */
    LW_REF_RESOURCE_CLAIM,
    LW_REF_ATTACHMENT, /* this and the next ones name their node themselves */
    LW_REF_RESOURCE_SLICE,
    LW_REF_CERTIFICATE_REQUEST, /* PodCertificateRequest */
} lw_ref_kind;

enum {
    LW_REF_KIND_COUNT = LW_REF_CERTIFICATE_REQUEST + 1,
};

/* Called with each reference; |ns| is empty if it is the namespace of the referring object.  The
 * texts are valid during the call.  An error ends the visit. */
typedef lw_status (*lw_ref_fn)(lw_ref_kind kind, lw_str ns, lw_str name, void *arg);

/* Visits the secrets, config maps, claims (of volumes and of devices) and the service account of
 * |pod|, some perhaps several times.  Returns LW_OK or the error of |fn|. */
lw_status lw_pod_visit_refs(const lw_node *pod, lw_ref_fn fn, void *arg);

/* Visits the secrets that a node needs to mount |volume|, a PersistentVolume. */
lw_status lw_volume_visit_secrets(const lw_node *volume, lw_ref_fn fn, void *arg);

/* Returns true if a kubelet has created |object| for a pod from its own files. */
bool lw_pod_is_mirror(const lw_node *object);

#endif
