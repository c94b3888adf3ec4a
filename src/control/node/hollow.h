/* SPDX-License-Identifier: Apache-2.0 */
/* hollow.h -- the parts of the simulated ("hollow") nodes: IP addresses, the Node and its Lease,
 * and what happens to a pod.
 *
 * hollow_addresses.c: node i has an address in 172.16.0.0/12 and the range 10.128+.x.0/24 for its
 * pods; each pod has one of these addresses for its lifetime.  One thread at a time.
 *
 * hollow_pod.c decides what a node does with a pod, from the pod and the time:
 *
 *     bound ──START──▶ Running ──FINISH, if it ends by itself──▶ Succeeded or Failed
 *                          └──READY, when the annotation changes
 *     being deleted ──DELETE──▶ deleted */
#ifndef LW_CONTROL_NODE_HOLLOW_H
#define LW_CONTROL_NODE_HOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch.h>

enum {
    LW_HOLLOW_ADDRESS_SIZE = 24, /* "10.255.255.255/24" and the NUL */
    LW_HOLLOW_RANGE = 256,
    LW_HOLLOW_NODES_MAX = 32768, /* number of such ranges in 10.128.0.0/9 */
};

/* The addresses of one node that are in use: a hash of the pod's UID; 0: free. */
typedef struct lw_hollow_range {
    uint64_t owners[LW_HOLLOW_RANGE];
} lw_hollow_range;

/* Write the address of the node, and the range of its pods. */
void lw_hollow_node_address(char text[LW_HOLLOW_ADDRESS_SIZE], unsigned node);
void lw_hollow_node_range(char text[LW_HOLLOW_ADDRESS_SIZE], unsigned node);

/* Gets the address of |uid|, and assigns one if needed; false: all are in use. */
bool lw_hollow_range_take(lw_hollow_range *range, unsigned node, const char *uid,
                          char text[LW_HOLLOW_ADDRESS_SIZE]);

/* Records that |uid| uses |address|, so that it is not assigned to others.  Ignores addresses of
 * other ranges. */
void lw_hollow_range_note(lw_hollow_range *range, unsigned node, const char *uid, lw_str address);

/* Releases the address of |uid|. */
void lw_hollow_range_release(lw_hollow_range *range, const char *uid);

/* Annotation of a Node: "stopped" stops its heartbeats and its pods, as if the machine had
 * failed. */
#define LW_HOLLOW_ANNOTATION "listwatch.io/hollow"

/* Namespace of the heartbeat leases. */
#define LW_NODE_LEASES "kube-node-lease"

/* Writes the Node, with its status, into the empty |doc|. */
void lw_hollow_write_node(lw_document *doc, const char *name, unsigned number, int64_t wall_ns);

/* Writes the strategic merge patch of the status for a heartbeat; |is_new|: the node was marked as
 * not ready before. */
void lw_hollow_write_beat(lw_document *doc, bool is_new, int64_t wall_ns);

/* Writes its Lease of |duration_s| seconds, renewed now. */
void lw_hollow_write_lease(lw_document *doc, const char *name, int duration_s, int64_t wall_ns);

/* True if |node| should be simulated as failed. */
bool lw_hollow_is_stopped(const lw_object *node);

/* Annotations of a pod: how long it runs, if it need not run forever; its exit code; "false": it
 * runs but is not ready. */
#define LW_HOLLOW_RUN_SECONDS "listwatch.io/run-seconds"
#define LW_HOLLOW_EXIT_CODE   "listwatch.io/exit-code"
#define LW_HOLLOW_READY       "listwatch.io/ready"

typedef enum lw_hollow_action {
    LW_HOLLOW_NOTHING,
    LW_HOLLOW_START,
    LW_HOLLOW_SET_READY,
    LW_HOLLOW_FINISH,
    LW_HOLLOW_DELETE,
} lw_hollow_action;

/* Decides what to do now; |*after_ns| (> 0) is when to decide again, 0: at its next change. */
lw_hollow_action lw_hollow_decide(const lw_object *pod, int64_t wall_ns, int64_t *after_ns);

/* Writes the status that results from |action| (one of the first three) into |doc|, a merge
 * patch. */
void lw_hollow_write_status(lw_document *doc, const lw_object *pod, lw_hollow_action action,
                            const char *host_ip, const char *pod_ip, int64_t wall_ns);

#endif
