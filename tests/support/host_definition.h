/* SPDX-License-Identifier: Apache-2.0 */
/* host_definition.h -- a CustomResourceDefinition whose versions a webhook converts, and objects of
 * it. */
#ifndef LW_TESTS_SUPPORT_HOST_DEFINITION_H
#define LW_TESTS_SUPPORT_HOST_DEFINITION_H

#include <stdio.h>

#include <listwatch/object.h>

#include "api/conversion/converter.h"
#include "base/str.h"

/* v1beta1: the reply needs no uid. */
#define HOST_DEFINITION                                                                            \
    "{\"kind\":\"CustomResourceDefinition\",\"apiVersion\":\"apiextensions.k8s.io/v1\","           \
    "\"metadata\":{\"name\":\"hosts.example.com\",\"uid\":\"d\",\"resourceVersion\":\"1\"},"       \
    "\"spec\":{\"group\":\"example.com\",\"scope\":\"Namespaced\",\"names\":{\"plural\":"          \
    "\"hosts\",\"kind\":\"Host\",\"listKind\":\"HostList\",\"singular\":\"host\"},"                \
    "\"conversion\":{\"strategy\":\"Webhook\",\"webhook\":{\"clientConfig\":{\"url\":"             \
    "\"https://convert\"},\"conversionReviewVersions\":[\"v1beta1\"]}},\"versions\":["             \
    "{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":"           \
    "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}},"                       \
    "{\"name\":\"v2\",\"served\":true,\"storage\":false,\"schema\":{\"openAPIV3Schema\":"          \
    "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}}]}}"

static inline lw_status host_object(lw_object **out, const char *version, const char *name, int rv)
{
    char json[512];
    (void)snprintf(json, sizeof(json),
                   "{\"kind\":\"Host\",\"apiVersion\":\"example.com/%s\",\"metadata\":{\"name\":"
                   "\"%s\",\"namespace\":\"default\",\"uid\":\"u-%s\",\"resourceVersion\":\"%d\"},"
                   "\"spec\":{\"n\":%d}}",
                   version, name, name, rv, rv);
    return lw_object_from_json(out, json, strlen(json), NULL);
}

/* The definition with its converter. */
static inline lw_status host_definition(lw_definition **out, const lw_hook_caller *caller,
                                        lw_error *err)
{
    lw_object *crd = NULL;
    lw_status st = lw_object_from_json(&crd, HOST_DEFINITION, strlen(HOST_DEFINITION), err);
    if (st == LW_OK)
        st = lw_definition_new(out, crd, err);
    lw_object_unref(crd);
    if (st == LW_OK)
        st = lw_converter_attach(*out, NULL, caller, NULL);
    return st;
}

#endif
