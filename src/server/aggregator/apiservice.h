/* SPDX-License-Identifier: Apache-2.0 */
/* apiservice.h -- a version of an API group that another server serves: what an APIService with
 * spec.service says, and what is known of that server.
 *
 * Immutable and shared by references; a change makes a new one.  Threads: any. */
#ifndef LW_SERVER_AGGREGATOR_APISERVICE_H
#define LW_SERVER_AGGREGATOR_APISERVICE_H

#include <listwatch/object.h>

#include "base/ref.h"
#include "net/tls/tls.h"
#include "server/aggregator/remote_openapi.h"

typedef struct lw_apiservice {
    lw_ref refs;
    lw_object *object; /* the APIService, behind the views below */
    lw_str spec;       /* JSON */
    lw_str group, version;
    lw_str service_ns, service_name;
    char *server_name; /* "name.namespace.svc": the certificate must have it */
    int64_t port;
    int64_t group_priority, version_priority;
    lw_tls_context *tls; /* NULL: see tls_error */
    char *tls_error;     /* why there is none */
    bool is_available;   /* the condition Available is True */

    /* What the server has answered last; NULL: nothing yet. */
    char *discovery;            /* JSON of an APIVersionDiscovery, without freshness */
    bool is_fresh;              /* the last attempt to get |discovery| succeeded */
    char *openapi_url;          /* path of its OpenAPI v3 document with a hash of it */
    lw_remote_openapi *openapi; /* from its /openapi/v2 */
} lw_apiservice;

/* The certificate that this server shows, PEM; empty: none.  The views outlive all services. */
typedef struct lw_proxy_identity {
    lw_str cert, key;
} lw_proxy_identity;

/* Reads |object|, an APIService with spec.service.  |before| (may be NULL) is what it was: what the
 * server has answered is kept, and its TLS context if spec is the same.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_apiservice_read(lw_apiservice **out, const lw_object *object,
                                           const lw_apiservice *before,
                                           const lw_proxy_identity *identity);

/* What a server has answered; all may be NULL. */
typedef struct lw_apiservice_answers {
    const char *discovery;
    bool is_fresh;
    const char *openapi_url;
    lw_remote_openapi *openapi;
} lw_apiservice_answers;

/* Copies |service| with what its server has answered now; texts are copied.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_apiservice_with(lw_apiservice **out, const lw_apiservice *service,
                                           const lw_apiservice_answers *answers);

lw_apiservice *lw_apiservice_ref(lw_apiservice *service);
void lw_apiservice_unref(lw_apiservice *service); /* NULL does nothing */

/* Returns true if |object| names a service: it is not served by this server. */
bool lw_apiservice_is_remote(const lw_object *object);

/* All of one moment, by group and version. */
typedef struct lw_apiservice_table {
    lw_ref refs;
    size_t count;
    lw_apiservice *at[]; /* one reference each */
} lw_apiservice_table;

enum {
    LW_APISERVICES_MAX = 1000, /* of other servers */
};

lw_apiservice_table *lw_apiservice_table_ref(lw_apiservice_table *table); /* NULL: NULL */
void lw_apiservice_table_unref(lw_apiservice_table *table);               /* NULL does nothing */

/* Returns the service of |group| and |version|, borrowed; NULL: none.  |table| may be NULL. */
const lw_apiservice *lw_apiservice_find(const lw_apiservice_table *table, lw_str group,
                                        lw_str version);

#endif
