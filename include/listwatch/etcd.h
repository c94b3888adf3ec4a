/* SPDX-License-Identifier: Apache-2.0 */
/* etcd.h -- informers straight on etcd, with no API server between: liblistwatch-etcd.
 *
 *     lw_provider *etcd;
 *     lw_etcd_provider_new(&etcd, &(lw_etcd_provider_options){ .endpoints = "http://..." }, &err);
 *     lw_factory_new(&factory, &(lw_factory_options){ .provider = etcd }, &err);
 *     lw_factory_informer(factory, "/my/config/", &informer, &err);
 *
 * The resource of an informer is a prefix of keys.  A key below it becomes an object:
 *   name        what follows its last '/'
 *   namespace   what stands between the prefix and that, if anything
 *   a JSON object as value that has metadata of its own is the object, with these two and its
 *   resourceVersion set; any other JSON is put under "value", anything else as text under "data"
 *   (UTF-8) or "binaryData" (base64), of an object of kind Entry of etcd.listwatch.dev/v1.
 * Every key is an object and no two have the same name, also those that end in '/' or are not
 * UTF-8: docs/guide/etcd-source.md says how.
 *
 * Namespaces, selectors and read options mean what they mean at an API server; selectors are
 * applied to what was read. */
#ifndef LISTWATCH_ETCD_H
#define LISTWATCH_ETCD_H

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/log.h>
#include <listwatch/sys/source.h>

LW_BEGIN_DECLS

/* Strings are copied.  NULL and 0: the default. */
typedef struct lw_etcd_provider_options {
    const char *endpoints; /* "http://10.0.0.1:2379,http://10.0.0.2:2379"; all http or all https */
    const char *ca_file;   /* PEM, of the servers; NULL: the system's */
    const char *cert_file; /* PEM, of this program */
    const char *key_file;
    const char *user; /* etcd's own; NULL: none */
    const char *password;
    const lw_logger *logger; /* outlives the provider; NULL: silent */
} lw_etcd_provider_options;

/* For lw_factory_options.provider.  Does not wait for the cluster.  LW_ERR_INVALID names what
 * cannot be used; LW_ERR_NOMEM, LW_ERR_IO. */
LW_API lw_status lw_etcd_provider_new(lw_provider **out, const lw_etcd_provider_options *options,
                                      lw_error *err);

LW_END_DECLS

#endif
