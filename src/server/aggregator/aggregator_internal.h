/* SPDX-License-Identifier: Apache-2.0 */
/* aggregator_internal.h -- the work on APIServices, for files of server/aggregator.
 *
 *     aggregator.c        the table, and following what is stored
 *     apiservice_pass.c   what is to be done with one APIService
 *     apiservice_check.c  is its server available, and what does it serve?
 *     apiservice_write.c  creates, deletes, and writes the condition
 *     apiservice_local.c  those of the groups that this server serves itself */
#ifndef LW_SERVER_AGGREGATOR_AGGREGATOR_INTERNAL_H
#define LW_SERVER_AGGREGATOR_AGGREGATOR_INTERNAL_H

#include "api/context/key_scheduler.h"
#include "api/services/service_address.h"
#include "api/write/write.h"
#include "base/container_of.h"
#include "base/sync.h"
#include "cache/watcher.h"
#include "net/client/http_client.h"
#include "server/aggregator/aggregator.h"

#define LW_APISERVICE_MANAGED_LABEL "kube-aggregator.kubernetes.io/automanaged"

enum {
    LW_APISERVICE_MESSAGE_MAX = 4096, /* bytes of the message of a condition */
    LW_APISERVICE_NAME_MAX = 512,     /* bytes of VERSION.GROUP */
    LW_APISERVICE_KINDS = 4,          /* that are followed */
};

struct lw_aggregator {
    char *cert, *key;
    lw_proxy_identity identity; /* views of both */
    const lw_logger *logger;
    atomic_size_t count; /* of the services in |table| */
    lw_mutex mu;
    lw_apiservice_table *table;    /* mu; NULL: none */
    atomic_uint_least64_t openapi; /* lw_openapi_merge_stamp of |table| */
};

/* The work on the background loop. */
typedef struct lw_apiservice_work {
    lw_port_worker worker; /* first */
    lw_aggregator *aggregator;
    lw_api_port *port;
    lw_http_client *client;
    lw_key_scheduler services; /* of lw_apiservice_entry, by name */
    lw_cache_filter all;
    lw_watcher *watchers[LW_APISERVICE_KINDS]; /* NULL: not followed now */
    lw_catalog_view kinds;                     /* whose groups have entries */
    lw_task turn;                              /* counted in port->under_way while is_posted */
    lw_timer pause;                            /* until it follows again */
    bool is_posted, is_stopped;
    bool is_changed; /* something is to be published */
} lw_apiservice_work;

/* What a check has found. */
typedef struct lw_apiservice_finding {
    const char *status, *reason; /* of the condition Available */
    lw_buf message;
} lw_apiservice_finding;

typedef enum lw_apiservice_question {
    LW_APISERVICE_ASK_VERSION,   /* /apis/GROUP/VERSION */
    LW_APISERVICE_ASK_DISCOVERY, /* /apis */
    LW_APISERVICE_ASK_OPENAPI,   /* /openapi/v3 */
    LW_APISERVICE_ASK_OPENAPI_2, /* /openapi/v2 */
} lw_apiservice_question;

/* An APIService that is stored, or that a custom resource needs. */
typedef struct lw_apiservice_entry {
    lw_scheduled_key key;   /* first; the name */
    lw_object *object;      /* NULL: not stored */
    lw_apiservice *service; /* NULL: not stored, or local */
    uint64_t needed_at;     /* version of work->kinds in which a custom resource needs it */
    const lw_kind *kind;    /* which, as long as that is the version */
    int64_t not_before_ns;
    unsigned failures; /* checks in a row */
    bool is_seen;      /* since it follows the APIServices */

    /* While a pass runs. */
    lw_write write;
    lw_http_call *call; /* NULL: none is in progress */
    lw_apiservice_question question;
    unsigned tries;
    int64_t deadline_ns;
    lw_service_address address;
    lw_apiservice_finding finding;
    lw_buf discovery, openapi_url; /* answered */
    lw_remote_openapi *openapi;    /* the same; what was answered last if there is no answer */
} lw_apiservice_entry;

static inline lw_apiservice_work *lw_apiservice_work_of(const lw_apiservice_entry *entry)
{
    return LW_CONTAINER_OF(entry->key.scheduler, lw_apiservice_work, services);
}

extern const lw_key_scheduler_type lw_apiservice_passes; /* apiservice_pass.c */

/* Publishes the services of all entries.  Out of memory: the table stays as it is until the next
 * time. */
void lw_apiservice_publish(lw_apiservice_work *work);

/* Return true if a custom resource that this server serves needs the APIService of |entry|, or if
 * none does.  Both are false while it is not known. */
bool lw_apiservice_is_needed(const lw_apiservice_entry *entry);
bool lw_apiservice_is_unneeded(const lw_apiservice_entry *entry);

/* Returns true if |object| exists because of a custom resource. */
bool lw_apiservice_is_managed(const lw_object *object);

/* Removes an entry that is neither stored nor needed and whose pass, if any, is about to be over.
 */
void lw_apiservice_forget(lw_apiservice_entry *entry);

/* apiservice_check.c -- checks the server of |entry| and calls lw_apiservice_checked later, or
 * right here. */
void lw_apiservice_check(lw_apiservice_entry *entry);
void lw_apiservice_check_cancel(lw_apiservice_entry *entry); /* nothing runs: does nothing */
void lw_apiservice_checked(lw_apiservice_entry *entry);      /* in apiservice_pass.c */

/* apiservice_write.c -- start a write, after which the pass is over. */
void lw_apiservice_write_create(lw_apiservice_entry *entry);
void lw_apiservice_write_delete(lw_apiservice_entry *entry);
void lw_apiservice_write_condition(lw_apiservice_entry *entry);
void lw_apiservice_written(lw_apiservice_entry *entry, bool has_failed); /* in apiservice_pass.c */

/* apiservice_local.c -- appends the APIService of a group that this server serves, as JSON without
 * server-side metadata.  |managed| is the value of LW_APISERVICE_MANAGED_LABEL. */
void lw_apiservice_write_local(const lw_kind *kind, const char *managed, lw_buf *out);

/* Appends VERSION.GROUP. */
void lw_apiservice_append_name(const lw_kind *kind, lw_buf *out);

#endif
