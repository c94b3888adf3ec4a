/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_process.h -- a real etcd of one or more members, on free ports of the loopback, with its
 * data in a folder of its own.
 *
 * Members can be killed, paused, resumed and started again, each by its index.  They end with the
 * test, also when that dies.  What they said is in <folder>/<index>.log. */
#ifndef LW_TESTS_SUPPORT_ETCD_PROCESS_H
#define LW_TESTS_SUPPORT_ETCD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    ETCD_MEMBERS_MAX = 5,
    ETCD_ARGS_MAX = 16,
};

typedef struct etcd_cluster_options {
    size_t members;                  /* 0: one */
    bool is_tls;                     /* clients speak TLS; members among themselves never do */
    bool wants_client_cert;          /* ... and show a certificate that the CA signed */
    const char *args[ETCD_ARGS_MAX]; /* further ones for each member, NULL-terminated */
} etcd_cluster_options;

typedef struct etcd_member {
    pid_t pid; /* 0: it does not run */
    bool is_paused;
    uint16_t client_port, peer_port;
    char endpoint[64]; /* "http://127.0.0.1:12345" */
    int life;          /* a pipe that ends with it */
} etcd_member;

typedef struct etcd_cluster {
    etcd_cluster_options options;
    char folder[64];
    char endpoints[ETCD_MEMBERS_MAX * 64]; /* of all members, with commas */
    /* With TLS, else "": the files of a client. */
    char ca_file[96], cert_file[96], key_file[96];
    etcd_member members[ETCD_MEMBERS_MAX];
} etcd_cluster;

/* True when there is an etcd on this machine; tests skip() where there is none. */
bool etcd_is_installed(void);

/* Starts all members and waits until each can answer.  NULL |options|: one member, plain.  False,
 * with a message on stderr that names the log, when that fails; nothing runs then. */
bool etcd_cluster_start(etcd_cluster *cluster, const etcd_cluster_options *options);

/* Kills what runs and removes the folder.  Does nothing when it is not started. */
void etcd_cluster_stop(etcd_cluster *cluster);

/* kill -9, and waits for its end. */
void etcd_member_kill(etcd_cluster *cluster, size_t index);

/* Starts a member that was killed, with its data and its ports, and waits until it can answer. */
bool etcd_member_start(etcd_cluster *cluster, size_t index);

/* SIGSTOP and SIGCONT: its connections stay, nothing answers. */
void etcd_member_pause(etcd_cluster *cluster, size_t index);
void etcd_member_resume(etcd_cluster *cluster, size_t index);

#endif
