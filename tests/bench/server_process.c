/* SPDX-License-Identifier: Apache-2.0 */
/* server_process.c -- starts, asks after and ends a server. */
#include "bench/server_process.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int remove_entry(const char *path, const struct stat *info, int flag, struct FTW *place)
{
    (void)info;
    (void)flag;
    (void)place;
    return remove(path);
}

static void run_program(const char *program, const char *folder, int out)
{
    char log[512];
    snprintf(log, sizeof(log), "%s/log", folder);
    int err = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    dup2(out, STDOUT_FILENO);
    if (err >= 0)
        dup2(err, STDERR_FILENO);
    execl(program, program, "serve", "--listen", "127.0.0.1:0", "--insecure-listen", "127.0.0.1:0",
          "--data-dir", folder, "--disable-admission-plugins", "ServiceAccount", (char *)NULL);
    fprintf(stderr, "%s: %s\n", program, strerror(errno));
    _exit(127);
}

/* The port at the end of the URL that begins with |scheme|. */
static uint16_t port_of(const char *line, const char *scheme)
{
    const char *url = strstr(line, scheme);
    const char *colon = url ? strchr(url + strlen(scheme), ':') : NULL;
    return colon ? (uint16_t)strtoul(colon + 1, NULL, 10) : 0;
}

/* Reads the ready line; false when the program ends without one. */
static bool read_ready(server_process *server, int in)
{
    char line[512];
    size_t len = 0;
    while (len < sizeof(line) - 1) {
        ssize_t got = read(in, line + len, 1);
        if (got <= 0)
            return false;
        if (line[len++] == '\n')
            break;
    }
    line[len] = '\0';
    server->tls_port = port_of(line, "https://");
    server->plain_port = port_of(line, "http://");
    return strncmp(line, "ready:", 6) == 0 && server->plain_port != 0 && server->tls_port != 0;
}

/* The token of the admin's kubeconfig. */
static bool read_token(server_process *server)
{
    char path[512], line[4096];
    snprintf(path, sizeof(path), "%s/admin.kubeconfig", server->folder);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool found = false;
    while (!found && fgets(line, sizeof(line), file)) {
        const char *at = strstr(line, "token:");
        found = at && sscanf(at + 6, " \"%127[^\"\n]", server->token) == 1;
        found = found || (at && sscanf(at + 6, " %127[^\"\n ]", server->token) == 1);
    }
    fclose(file);
    return found;
}

/* Starts it in its folder. */
static bool start(server_process *server, const char *program)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) {
        perror("pipe2");
        return false;
    }
    double start = bench_now();
    server->pid = fork();
    if (server->pid == 0)
        run_program(program, server->folder, ends[1]);
    close(ends[1]);
    bool is_ready = server->pid > 0 && read_ready(server, ends[0]);
    server->ready_ms = (bench_now() - start) * 1e3;
    close(ends[0]);
    if (!is_ready || !read_token(server)) {
        fprintf(stderr, "%s serve did not become ready\n", program);
        return false;
    }
    return true;
}

bool server_start(server_process *server, const char *program, const char *parent)
{
    memset(server, 0, sizeof(*server));
    snprintf(server->folder, sizeof(server->folder), "%s/bench-XXXXXX", parent);
    if (!mkdtemp(server->folder)) {
        fprintf(stderr, "%s: %s\n", server->folder, strerror(errno));
        return false;
    }
    bool is_started = start(server, program);
    if (!is_started)
        server_stop(server);
    return is_started;
}

bool server_kill_and_start(server_process *server, const char *program)
{
    kill(server->pid, SIGKILL);
    waitpid(server->pid, NULL, 0);
    return start(server, program);
}

void server_stop(server_process *server)
{
    if (server->pid > 0) {
        kill(server->pid, SIGTERM);
        waitpid(server->pid, NULL, 0);
        server->pid = 0;
    }
    nftw(server->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

double server_cpu_seconds(const server_process *server)
{
    char path[64], text[1024];
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)server->pid);
    FILE *file = fopen(path, "r");
    size_t len = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (file)
        fclose(file);
    text[len] = '\0';
    const char *after_name = strrchr(text, ')');
    unsigned long user = 0, kernel = 0;
    if (after_name)
        (void)sscanf(after_name + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                     &kernel);
    return (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
}

/* A line of /proc/PID/status. */
static uint64_t status_kib(const server_process *server, const char *name)
{
    char path[64], line[256];
    size_t len = strlen(name);
    snprintf(path, sizeof(path), "/proc/%d/status", (int)server->pid);
    FILE *file = fopen(path, "r");
    unsigned long kib = 0;
    while (file && fgets(line, sizeof(line), file)) {
        if (strncmp(line, name, len) == 0 && sscanf(line + len, ": %lu", &kib) == 1)
            break;
    }
    if (file)
        fclose(file);
    return kib;
}

uint64_t server_rss_kib(const server_process *server)
{
    return status_kib(server, "VmRSS");
}

uint64_t server_own_kib(const server_process *server)
{
    return status_kib(server, "RssAnon");
}
