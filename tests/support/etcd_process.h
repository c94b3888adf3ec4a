/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_process.h -- a real etcd cluster of one or more members, on free loopback ports, with its
 * data in a temporary folder.
 *
 * Members can be killed, paused, resumed and restarted by index.  They exit with the test, even if
 * it crashes.  Their output is in <folder>/<index>.log. */
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
    bool is_tls;                     /* for clients; members use plain HTTP among themselves */
    bool wants_client_cert;          /* clients must present a certificate signed by the CA */
    const char *args[ETCD_ARGS_MAX]; /* additional arguments of each member, NULL-terminated */
} etcd_cluster_options;

typedef struct etcd_member {
    pid_t pid; /* 0: not running */
    bool is_paused;
    uint16_t client_port, peer_port;
    char endpoint[64]; /* "http://127.0.0.1:12345" */
    int life;          /* a pipe that closes when it exits */
} etcd_member;

typedef struct etcd_cluster {
    etcd_cluster_options options;
    char folder[64];
    char endpoints[ETCD_MEMBERS_MAX * 64]; /* of all members, separated by commas */
    /* With TLS, the files of a client; else "". */
    char ca_file[96], cert_file[96], key_file[96];
    etcd_member members[ETCD_MEMBERS_MAX];
} etcd_cluster;

/* True if etcd is installed on this machine; tests skip() if it is not. */
bool etcd_is_installed(void);

/* Starts all members and waits until each can serve.  NULL |options|: one member, plain HTTP.
 * False: it failed with a message on stderr that names the log, and nothing is running. */
bool etcd_cluster_start(etcd_cluster *cluster, const etcd_cluster_options *options);

/* Kills the members and removes the folder.  Does nothing if the cluster was not started. */
void etcd_cluster_stop(etcd_cluster *cluster);

/* Sends SIGKILL and waits for the exit. */
void etcd_member_kill(etcd_cluster *cluster, size_t index);

/* Restarts a killed member with its data and ports, and waits until it can serve. */
bool etcd_member_start(etcd_cluster *cluster, size_t index);

/* SIGSTOP and SIGCONT: its connections stay open, but it does not respond. */
void etcd_member_pause(etcd_cluster *cluster, size_t index);
void etcd_member_resume(etcd_cluster *cluster, size_t index);

#endif
