/* SPDX-License-Identifier: Apache-2.0 */
/* server_load.h -- the loads that `make bench` puts on a server, each with what it measured. */
#ifndef LW_TESTS_BENCH_SERVER_LOAD_H
#define LW_TESTS_BENCH_SERVER_LOAD_H

#include "bench/http_client.h"

/* What is done to pods. */
typedef enum write_verb {
    WRITE_CREATE,
    WRITE_UPDATE, /* as a controller does it: the whole object comes back, with another label */
    WRITE_STATUS, /* as a kubelet does it: a strategic patch of the status */
    WRITE_APPLY,  /* the manifest with another label, by another manager */
    WRITE_VERBS,
} write_verb;

typedef struct write_result {
    uint64_t written;
    double seconds;
    double server_cpu;
    double p50_ms, p99_ms;
} write_result;

/* Creates |count| generated pods with |in_flight| requests at once. */
bool load_create(const server_process *server, bool is_tls, unsigned in_flight, uint64_t count,
                 uint64_t seed, write_result *out);

/* Creates |count| pods and writes each of them once with each verb: a result for each. */
bool load_writes(const server_process *server, bool is_tls, unsigned in_flight, uint64_t count,
                 uint64_t seed, write_result out[WRITE_VERBS]);

#define BENCH_PROTOBUF "application/vnd.kubernetes.protobuf"

/* Reads the list of all pods |rounds| times, in the form |accept| (NULL: JSON). */
typedef struct list_result {
    uint64_t bytes;    /* of one list */
    double seconds;    /* the best round */
    double server_cpu; /* of one round, on average */
    uint64_t rss_before_kib, rss_after_kib;
} list_result;

bool load_list(const server_process *server, bool is_tls, const char *accept, unsigned rounds,
               list_result *out);

/* The same for a watch that begins with all pods, up to the bookmark behind them. */
bool load_initial(const server_process *server, bool is_tls, const char *accept, unsigned rounds,
                  list_result *out);

/* Opens |watchers| watches of config maps and makes |writes| changes at |rate| a second. */
typedef struct fanout_options {
    bool is_tls;
    unsigned watchers;
    unsigned writes;
    double rate;             /* 0: as fast as they are answered */
    unsigned protobuf_every; /* each how many'th watcher is in protobuf; 0: none */
    unsigned elsewhere;      /* further watchers, each of a namespace of its own without changes */
} fanout_options;

typedef struct fanout_result {
    uint64_t deliveries;
    double seconds;
    double server_cpu;
    double p50_ms, p99_ms; /* from before the write to its arrival at a watcher */
    double rss_per_watcher_kib;
    uint64_t lost; /* watches that ended or missed events */
} fanout_result;

bool load_fanout(const server_process *server, const fanout_options *options, fanout_result *out);

/* Fills a namespace with |objects|, deletes it, and writes elsewhere meanwhile, one after the
 * other. */
typedef struct namespace_result {
    double seconds;                      /* from the DELETE until the namespace is gone */
    double server_cpu;                   /* in that time */
    uint64_t writes;                     /* made in that time */
    double before_p50_ms, before_p99_ms; /* of such writes before it */
    double p50_ms, p99_ms, max_ms;       /* and while it was emptied */
} namespace_result;

bool load_namespace(const server_process *server, unsigned objects, namespace_result *out);

/* Sends the create number |number|; see load_many. */
typedef bool (*load_send_fn)(http_client *client, uint64_t number);

/* |count| creates by |at_once| clients, which are open, at most 64.  False when one is not answered
 * with 201. */
bool load_many(http_client *clients, unsigned at_once, uint64_t count, load_send_fn send);

/* Creates |objects| config maps of 3 KB, 100 in each namespace, ends the server with SIGKILL,
 * starts |program| on its data, and lists namespaces.  |server| is the new one then. */
typedef struct scale_result {
    double create_seconds, create_cpu;
    uint64_t filled_rss_kib, filled_own_kib;
    double ready_ms, start_cpu; /* of the second start */
    uint64_t ready_rss_kib, ready_own_kib;
    double list_p50_ms, list_p99_ms; /* of one namespace, in JSON */
    uint64_t list_bytes;
} scale_result;

bool load_scale(server_process *server, const char *program, uint64_t objects, scale_result *out);

/* Sorts |values| and returns the one below which |share| of them lie. */
double bench_percentile(double *values, size_t count, double share);

#endif
