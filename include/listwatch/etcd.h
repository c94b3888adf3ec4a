/* SPDX-License-Identifier: Apache-2.0 */
/* etcd.h -- informers on etcd without an API server: liblistwatch-etcd.
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
 * Namespaces, selectors and read options work as with an API server; selectors are applied after
 * reading. */
#ifndef LISTWATCH_ETCD_H
#define LISTWATCH_ETCD_H

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/log.h>
#include <listwatch/sys/source.h>

LW_BEGIN_DECLS

/* Strings are copied.  NULL and 0 mean the default. */
typedef struct lw_etcd_provider_options {
    const char *endpoints; /* "http://10.0.0.1:2379,http://10.0.0.2:2379"; all http or all https */
    const char *ca_file;   /* PEM, CA that verifies etcd; NULL: the CAs of the system */
    const char *cert_file; /* PEM, client certificate of this program */
    const char *key_file;
    const char *user; /* authentication at etcd; NULL: none */
    const char *password;
    const lw_logger *logger; /* must outlive the provider; NULL: silent */
} lw_etcd_provider_options;

/* Makes a provider for lw_factory_options.provider, which takes ownership.  Does not wait for the
 * cluster.  LW_ERR_INVALID: the message names the invalid option.  LW_ERR_NOMEM, LW_ERR_IO. */
LW_MUST_CHECK LW_API lw_status lw_etcd_provider_new(lw_provider **out,
                                                    const lw_etcd_provider_options *options,
                                                    lw_error *err);

LW_END_DECLS

#endif
