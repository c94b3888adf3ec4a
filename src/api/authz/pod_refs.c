/* SPDX-License-Identifier: Apache-2.0 */
/* pod_refs.c -- visits the references of pods and persistent volumes. */
#include "api/authz/pod_refs.h"

#include <stdio.h>

#include "base/str.h"
#include "json/fields.h"

enum {
    CLAIM_NAME_SIZE = 1024,
};

typedef struct visit {
    lw_ref_fn fn;
    void *arg;
    lw_status st;
} visit;

static void note(visit *v, lw_ref_kind kind, lw_str ns, lw_str name)
{
    if (v->st == LW_OK && name.len > 0)
        v->st = v->fn(kind, ns, name, v->arg);
}

static void note_at(visit *v, lw_ref_kind kind, const lw_node *object, const char *pointer)
{
    note(v, kind, LW_STR(""), lw_fields_text_at(object, pointer));
}

static void visit_container(visit *v, const lw_node *container)
{
    const lw_node *sources = lw_node_get(container, LW_STR("envFrom"));
    const lw_node *variables = lw_node_get(container, LW_STR("env"));
    for (size_t i = 0; i < lw_node_count(sources); i++) {
        note_at(v, LW_REF_SECRET, lw_node_at(sources, i), "/secretRef/name");
        note_at(v, LW_REF_CONFIG_MAP, lw_node_at(sources, i), "/configMapRef/name");
    }
    for (size_t i = 0; i < lw_node_count(variables); i++) {
        const lw_node *from = lw_node_get(lw_node_at(variables, i), LW_STR("valueFrom"));
        if (!from)
            continue;
        note_at(v, LW_REF_SECRET, from, "/secretKeyRef/name");
        note_at(v, LW_REF_CONFIG_MAP, from, "/configMapKeyRef/name");
    }
}

static void visit_projected(visit *v, const lw_node *volume)
{
    const lw_node *sources = lw_fields_find(volume, "/projected/sources");
    for (size_t i = 0; i < lw_node_count(sources); i++) {
        note_at(v, LW_REF_SECRET, lw_node_at(sources, i), "/secret/name");
        note_at(v, LW_REF_CONFIG_MAP, lw_node_at(sources, i), "/configMap/name");
    }
}

/* An ephemeral volume has a claim that is named after the pod and the volume. */
static void visit_ephemeral(visit *v, const lw_node *pod, const lw_node *volume)
{
    char name[CLAIM_NAME_SIZE];
    if (!lw_node_get(volume, LW_STR("ephemeral")))
        return;
    lw_str of_pod = lw_fields_text_at(pod, "/metadata/name"), own = lw_fields_text(volume, "name");
    int len = snprintf(name, sizeof(name), "%.*s-%.*s", LW_STR_ARG(of_pod), LW_STR_ARG(own));
    if (len > 0 && (size_t)len < sizeof(name))
        note(v, LW_REF_CLAIM, LW_STR(""), lw_str_of(name));
}

/* The secret that the source |name| of a volume refers to.  A volume has one source, so this looks
 * at its members instead of looking for each source. */
static void visit_source(visit *v, lw_str name, const lw_node *source)
{
    static const struct {
        lw_str name;
        const char *secret;
    } secrets[] = {
        { LW_STR_INIT("secret"), "/secretName" },
        { LW_STR_INIT("azureFile"), "/secretName" },
        { LW_STR_INIT("cephfs"), "/secretRef/name" },
        { LW_STR_INIT("cinder"), "/secretRef/name" },
        { LW_STR_INIT("rbd"), "/secretRef/name" },
        { LW_STR_INIT("flexVolume"), "/secretRef/name" },
        { LW_STR_INIT("scaleIO"), "/secretRef/name" },
        { LW_STR_INIT("iscsi"), "/secretRef/name" },
        { LW_STR_INIT("storageos"), "/secretRef/name" },
        { LW_STR_INIT("csi"), "/nodePublishSecretRef/name" },
    };
    for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
        if (lw_str_equal(name, secrets[i].name))
            note_at(v, LW_REF_SECRET, source, secrets[i].secret);
    }
}

static void visit_volume(visit *v, const lw_node *pod, const lw_node *volume)
{
    bool is_object = lw_node_is(volume, LW_JSON_OBJECT);
    for (size_t i = 0; is_object && i < lw_node_count(volume); i++)
        visit_source(v, lw_node_key_at(volume, i), lw_node_at(volume, i));
    note_at(v, LW_REF_CONFIG_MAP, volume, "/configMap/name");
    note_at(v, LW_REF_CLAIM, volume, "/persistentVolumeClaim/claimName");
    visit_projected(v, volume);
    visit_ephemeral(v, pod, volume);
}

/* The name of the claim that was made from a template for the entry |name| of the spec. */
static lw_str name_of_generated_claim(const lw_node *pod, lw_str name)
{
    const lw_node *statuses = lw_fields_find(pod, "/status/resourceClaimStatuses");
    for (size_t i = 0; i < lw_node_count(statuses); i++) {
        const lw_node *status = lw_node_at(statuses, i);
        if (lw_str_equal(lw_fields_text(status, "name"), name))
            return lw_fields_text(status, "resourceClaimName");
    }
    return LW_STR("");
}

static void visit_resource_claims(visit *v, const lw_node *pod)
{
    const lw_node *claims = lw_fields_find(pod, "/spec/resourceClaims");
    for (size_t i = 0; i < lw_node_count(claims); i++) {
        const lw_node *claim = lw_node_at(claims, i);
        lw_str name = lw_fields_text(claim, "resourceClaimName");
        if (name.len == 0 && lw_node_get(claim, LW_STR("resourceClaimTemplateName")))
            name = name_of_generated_claim(pod, lw_fields_text(claim, "name"));
        note(v, LW_REF_RESOURCE_CLAIM, LW_STR(""), name);
    }
    note_at(v, LW_REF_RESOURCE_CLAIM, pod, "/status/extendedResourceClaimStatus/resourceClaimName");
}

lw_status lw_pod_visit_refs(const lw_node *pod, lw_ref_fn fn, void *arg)
{
    static const char *const containers[] = { "containers", "initContainers",
                                              "ephemeralContainers" };
    visit v = { fn, arg, LW_OK };
    const lw_node *spec = lw_node_get(pod, LW_STR("spec"));
    const lw_node *pulls = lw_node_get(spec, LW_STR("imagePullSecrets"));
    const lw_node *volumes = lw_node_get(spec, LW_STR("volumes"));
    note_at(&v, LW_REF_SERVICE_ACCOUNT, spec, "/serviceAccountName");
    for (size_t i = 0; i < lw_node_count(pulls); i++)
        note_at(&v, LW_REF_SECRET, lw_node_at(pulls, i), "/name");
    for (size_t i = 0; i < sizeof(containers) / sizeof(containers[0]); i++) {
        const lw_node *list = lw_node_get(spec, lw_str_of(containers[i]));
        for (size_t j = 0; j < lw_node_count(list); j++)
            visit_container(&v, lw_node_at(list, j));
    }
    for (size_t i = 0; i < lw_node_count(volumes); i++)
        visit_volume(&v, pod, lw_node_at(volumes, i));
    visit_resource_claims(&v, pod);
    return v.st;
}

/* A secret of a persistent volume.  In old objects the namespace of the claim was meant. */
static void visit_volume_secret(visit *v, const lw_node *ref, lw_str claim_ns)
{
    lw_str ns = lw_fields_text(ref, "namespace");
    note(v, LW_REF_SECRET, ns.len > 0 ? ns : claim_ns, lw_fields_text(ref, "name"));
}

lw_status lw_volume_visit_secrets(const lw_node *volume, lw_ref_fn fn, void *arg)
{
    static const char *const secrets[] = {
        "/cephfs/secretRef",        "/cinder/secretRef",       "/rbd/secretRef",
        "/flexVolume/secretRef",    "/scaleIO/secretRef",      "/iscsi/secretRef",
        "/storageos/secretRef",     "/csi/nodeStageSecretRef", "/csi/nodePublishSecretRef",
        "/csi/nodeExpandSecretRef",
    };
    visit v = { fn, arg, LW_OK };
    const lw_node *spec = lw_node_get(volume, LW_STR("spec"));
    lw_str claim_ns = lw_fields_text_at(spec, "/claimRef/namespace");
    lw_str azure_ns = lw_fields_text_at(spec, "/azureFile/secretNamespace");
    note(&v, LW_REF_SECRET, azure_ns.len > 0 ? azure_ns : claim_ns,
         lw_fields_text_at(spec, "/azureFile/secretName"));
    for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++)
        visit_volume_secret(&v, lw_fields_find(spec, secrets[i]), claim_ns);
    return v.st;
}

bool lw_pod_is_mirror(const lw_node *object)
{
    return lw_node_get(lw_fields_find(object, "/metadata/annotations"),
                       LW_STR(LW_MIRROR_POD_ANNOTATION)) != NULL;
}
