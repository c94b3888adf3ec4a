/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_process.c -- starts, pauses and stops members of an etcd cluster.
 *
 * A member reports that it is ready as it would to systemd: with a datagram to NOTIFY_SOCKET.
 * There is one socket per member in the folder.  The end of a pipe reports that a member has
 * died. */
#include "support/etcd_process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "net/tls/tls_make.h"

enum {
    READY_TIMEOUT_MS = 60000,
    START_TRIES = 5, /* another process may take a free port before etcd does */
    LINE_SIZE = 512,
    ARGV_MAX = 48,
    PEM_MAX = 64 * 1024,
};

bool etcd_is_installed(void)
{
    static const char *const places[] = { "/usr/bin/etcd", "/usr/local/bin/etcd" };
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        if (access(places[i], X_OK) == 0)
            return true;
    }
    return false;
}

/* Returns a port that is free now; 0: none. */
static uint16_t free_port(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t len = sizeof(address);
    uint16_t port = 0;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &len) == 0)
        port = ntohs(address.sin_port);
    if (fd >= 0)
        close(fd);
    return port;
}

/* Binds a socket to |address| for the ready message of the member; -1: failure. */
static int open_ready(const etcd_cluster *cluster, size_t index, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    (void)snprintf(address->sun_path, sizeof(address->sun_path), "%s/%zu.ready", cluster->folder,
                   index);
    (void)unlink(address->sun_path);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)address, sizeof(*address)) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The arguments of a member; the strings are in |text|. */
typedef struct command {
    const char *argv[ARGV_MAX];
    size_t count;
    char text[16 * LINE_SIZE];
    size_t len;
} command;

static void add(command *c, const char *argument)
{
    if (c->count < ARGV_MAX - 1)
        c->argv[c->count++] = argument;
}

static void add_text(command *c, const char *name, const char *value)
{
    int len = snprintf(c->text + c->len, sizeof(c->text) - c->len, "%s%s", name, value);
    if (len < 0 || (size_t)len >= sizeof(c->text) - c->len)
        return;
    add(c, c->text + c->len);
    c->len += (size_t)len + 1;
}

static void add_cluster(command *c, const etcd_cluster *cluster)
{
    char line[LINE_SIZE];
    size_t len = 0;
    for (size_t i = 0; i < cluster->options.members; i++)
        len += (size_t)snprintf(line + len, sizeof(line) - len, "%sm%zu=http://127.0.0.1:%u",
                                i ? "," : "", i, cluster->members[i].peer_port);
    add_text(c, "--initial-cluster=", line);
}

static void add_tls(command *c, const etcd_cluster *cluster)
{
    char path[LINE_SIZE];
    (void)snprintf(path, sizeof(path), "%s/server.crt", cluster->folder);
    add_text(c, "--cert-file=", path);
    (void)snprintf(path, sizeof(path), "%s/server.key", cluster->folder);
    add_text(c, "--key-file=", path);
    if (cluster->options.wants_client_cert) {
        add_text(c, "--trusted-ca-file=", cluster->ca_file);
        add(c, "--client-cert-auth");
    }
}

static void make_command(command *c, const etcd_cluster *cluster, size_t index)
{
    const etcd_member *member = &cluster->members[index];
    char line[LINE_SIZE];
    memset(c, 0, sizeof(*c));
    add(c, "etcd");
    (void)snprintf(line, sizeof(line), "m%zu", index);
    add_text(c, "--name=", line);
    (void)snprintf(line, sizeof(line), "%s/%zu.data", cluster->folder, index);
    add_text(c, "--data-dir=", line);
    add_text(c, "--listen-client-urls=", member->endpoint);
    add_text(c, "--advertise-client-urls=", member->endpoint);
    (void)snprintf(line, sizeof(line), "http://127.0.0.1:%u", member->peer_port);
    add_text(c, "--listen-peer-urls=", line);
    add_text(c, "--initial-advertise-peer-urls=", line);
    add_cluster(c, cluster);
    add_text(c, "--initial-cluster-token=", cluster->folder);
    add(c, "--unsafe-no-fsync");
    add(c, "--logger=zap");
    add(c, "--log-level=warn");
    if (cluster->options.is_tls)
        add_tls(c, cluster);
    for (size_t i = 0; i < ETCD_ARGS_MAX && cluster->options.args[i]; i++)
        add(c, cluster->options.args[i]);
}

/* Runs in the child: executes etcd. */
static void run_member(const etcd_cluster *cluster, size_t index, const char *ready)
{
    command c;
    char log[LINE_SIZE];
    make_command(&c, cluster, index);
    (void)snprintf(log, sizeof(log), "%s/%zu.log", cluster->folder, index);
    int out = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (out >= 0) {
        dup2(out, STDOUT_FILENO);
        dup2(out, STDERR_FILENO);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("NOTIFY_SOCKET", ready, 1);
#ifdef __aarch64__
    setenv("ETCD_UNSUPPORTED_ARCH", "arm64", 1); /* etcd supports arm64 only with this variable */
#endif
    union {
        const char *const *given;
        char *const *taken;
    } argv = { c.argv };
    execvp("etcd", argv.taken);
    _exit(127);
}

static bool spawn(etcd_cluster *cluster, size_t index, const char *ready)
{
    etcd_member *member = &cluster->members[index];
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    member->pid = fork();
    if (member->pid == 0) {
        int kept = dup(ends[1]); /* a copy that stays open in etcd until it exits */
        (void)kept;
        run_member(cluster, index, ready);
    }
    close(ends[1]);
    member->life = ends[0];
    if (member->pid < 0) {
        member->pid = 0;
        close(member->life);
        return false;
    }
    return true;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits for READY=1 on |ready|; false if the member dies or takes too long. */
static bool await_ready(etcd_member *member, int ready)
{
    int64_t deadline = now_ms() + READY_TIMEOUT_MS;
    for (;;) {
        struct pollfd fds[] = { { .fd = ready, .events = POLLIN }, { .fd = member->life } };
        int64_t left = deadline - now_ms();
        char text[256];
        if (left <= 0 || poll(fds, 2, (int)left) < 0)
            return false;
        if (fds[0].revents) {
            ssize_t len = recv(ready, text, sizeof(text) - 1, 0);
            text[len > 0 ? len : 0] = '\0';
            if (strstr(text, "READY=1"))
                return true;
        } else if (fds[1].revents) {
            return false;
        }
    }
}

void etcd_member_kill(etcd_cluster *cluster, size_t index)
{
    etcd_member *member = &cluster->members[index];
    if (member->pid == 0)
        return;
    kill(member->pid, SIGKILL);
    while (waitpid(member->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    close(member->life);
    member->pid = 0;
    member->is_paused = false;
}

void etcd_member_pause(etcd_cluster *cluster, size_t index)
{
    etcd_member *member = &cluster->members[index];
    int status;
    if (member->pid == 0 || member->is_paused)
        return;
    kill(member->pid, SIGSTOP);
    (void)waitpid(member->pid, &status, WUNTRACED); /* all of its threads are stopped now */
    member->is_paused = true;
}

void etcd_member_resume(etcd_cluster *cluster, size_t index)
{
    etcd_member *member = &cluster->members[index];
    if (!member->is_paused)
        return;
    kill(member->pid, SIGCONT);
    member->is_paused = false;
}

/* Starts the members from |first| up to |end| and waits for all of them: a member is ready only
 * when a majority is running. */
static bool start_members(etcd_cluster *cluster, size_t first, size_t end)
{
    int ready[ETCD_MEMBERS_MAX];
    struct sockaddr_un address;
    bool is_up = true;
    for (size_t i = first; i < end; i++) {
        ready[i] = open_ready(cluster, i, &address);
        is_up = is_up && ready[i] >= 0 && spawn(cluster, i, address.sun_path);
    }
    for (size_t i = first; i < end; i++) {
        is_up = is_up && await_ready(&cluster->members[i], ready[i]);
        if (ready[i] >= 0)
            close(ready[i]);
    }
    for (size_t i = first; i < end && !is_up; i++)
        etcd_member_kill(cluster, i);
    return is_up;
}

bool etcd_member_start(etcd_cluster *cluster, size_t index)
{
    if (start_members(cluster, index, index + 1))
        return true;
    fprintf(stderr, "member %zu of the etcd in %s does not come back\n", index, cluster->folder);
    return false;
}

static int remove_entry(const char *path, const struct stat *facts, int what, struct FTW *at)
{
    (void)facts;
    (void)what;
    (void)at;
    return remove(path);
}

void etcd_cluster_stop(etcd_cluster *cluster)
{
    if (!cluster->folder[0])
        return;
    for (size_t i = 0; i < cluster->options.members; i++)
        etcd_member_kill(cluster, i);
    (void)nftw(cluster->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    cluster->folder[0] = '\0';
}

static bool write_file(const char *path, const lw_buf *pem)
{
    FILE *file = pem->st == LW_OK ? fopen(path, "w") : NULL;
    if (!file)
        return false;
    bool is_written = fwrite(pem->data, 1, pem->len, file) == pem->len;
    return fclose(file) == 0 && is_written;
}

/* Makes a key and its certificate, NAME.crt and NAME.key, signed by |ca| unless that is empty. */
static bool make_pair(const etcd_cluster *cluster, const char *name, const lw_tls_subject *subject,
                      const lw_buf ca[2], lw_buf pair[2])
{
    char path[LINE_SIZE];
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(&pair[0], PEM_MAX);
    lw_buf_init(&pair[1], PEM_MAX);
    lw_str none = { NULL, 0 };
    if (lw_tls_make(subject, ca ? lw_buf_view(&ca[0]) : none, ca ? lw_buf_view(&ca[1]) : none,
                    &pair[0], &pair[1], &err) < 0)
        return false;
    (void)snprintf(path, sizeof(path), "%s/%s.crt", cluster->folder, name);
    if (!write_file(path, &pair[0]))
        return false;
    (void)snprintf(path, sizeof(path), "%s/%s.key", cluster->folder, name);
    return write_file(path, &pair[1]);
}

static bool make_keys(etcd_cluster *cluster)
{
    static const char *const hosts[] = { "localhost", "127.0.0.1", NULL };
    const lw_tls_subject authority = { .common_name = "test-ca", .is_ca = true, .days = 10 };
    const lw_tls_subject server = { .common_name = "etcd", .hosts = hosts, .days = 10 };
    const lw_tls_subject client = { .common_name = "root", .is_client = true, .days = 10 };
    lw_buf ca[2], pair[2], other[2];
    lw_buf *all[] = { &ca[0], &ca[1], &pair[0], &pair[1], &other[0], &other[1] };
    for (size_t i = 0; i < 6; i++)
        lw_buf_init(all[i], PEM_MAX);
    bool is_made = make_pair(cluster, "ca", &authority, NULL, ca) &&
                   make_pair(cluster, "server", &server, ca, pair) &&
                   make_pair(cluster, "client", &client, ca, other);
    for (size_t i = 0; i < 6; i++)
        lw_buf_done(all[i]);
    (void)snprintf(cluster->ca_file, sizeof(cluster->ca_file), "%s/ca.crt", cluster->folder);
    (void)snprintf(cluster->cert_file, sizeof(cluster->cert_file), "%s/client.crt",
                   cluster->folder);
    (void)snprintf(cluster->key_file, sizeof(cluster->key_file), "%s/client.key", cluster->folder);
    return is_made;
}

/* Makes one attempt with ports that are free now. */
static bool try_start(etcd_cluster *cluster)
{
    const char *scheme = cluster->options.is_tls ? "https" : "http";
    size_t len = 0;
    (void)snprintf(cluster->folder, sizeof(cluster->folder), "/tmp/listwatch-etcd-XXXXXX");
    if (!mkdtemp(cluster->folder)) {
        cluster->folder[0] = '\0';
        return false;
    }
    for (size_t i = 0; i < cluster->options.members; i++) {
        etcd_member *member = &cluster->members[i];
        member->client_port = free_port();
        member->peer_port = free_port();
        (void)snprintf(member->endpoint, sizeof(member->endpoint), "%s://127.0.0.1:%u", scheme,
                       member->client_port);
        len += (size_t)snprintf(cluster->endpoints + len, sizeof(cluster->endpoints) - len, "%s%s",
                                i ? "," : "", member->endpoint);
    }
    return (!cluster->options.is_tls || make_keys(cluster)) &&
           start_members(cluster, 0, cluster->options.members);
}

bool etcd_cluster_start(etcd_cluster *cluster, const etcd_cluster_options *options)
{
    memset(cluster, 0, sizeof(*cluster));
    if (options)
        cluster->options = *options;
    if (cluster->options.members == 0)
        cluster->options.members = 1;
    for (int i = 0; i < START_TRIES; i++) {
        if (try_start(cluster))
            return true;
        if (i == START_TRIES - 1)
            fprintf(stderr, "etcd does not start; see %s/0.log\n", cluster->folder);
        else
            etcd_cluster_stop(cluster);
    }
    for (size_t i = 0; i < cluster->options.members; i++)
        etcd_member_kill(cluster, i);
    return false;
}
