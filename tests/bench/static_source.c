/* SPDX-License-Identifier: Apache-2.0 */
/* static_source.c -- the process: it encodes its pods, then forks a child for each connection,
 * which shares their bytes.  HTTP/1.1, no more of it than a list-watch client says. */
#include "bench/static_source.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/static_pods.h"
#include "bench/static_reply.h"

/* Reads one request, up to its empty line.  False: the client has gone. */
static bool read_request(int fd, char *request, size_t size)
{
    size_t len = 0;
    while (len < size - 1) {
        ssize_t got = read(fd, request + len, size - 1 - len);
        if (got <= 0)
            return false;
        len += (size_t)got;
        request[len] = '\0';
        if (strstr(request, "\r\n\r\n"))
            return true;
    }
    return false;
}

/* Where a watch leaves off, the client hangs up. */
static void wait_for_end(int fd)
{
    char byte;
    while (read(fd, &byte, 1) > 0)
        ;
}

static bool begins(const char *request, const char *path)
{
    return strncmp(request, "GET ", 4) == 0 && strncmp(request + 4, path, strlen(path)) == 0;
}

static void answer(int fd, const static_pods *pods, const char *request)
{
    char line[2048];
    (void)snprintf(line, sizeof(line), "%.*s", (int)strcspn(request, "\r\n"), request);
    bool wants_protobuf = strstr(request, "vnd.kubernetes.protobuf") != NULL;
    if (begins(line, "/api/v1/pods") && strstr(line, "watch=")) {
        static_reply_watch(fd, pods, wants_protobuf,
                           strstr(line, "sendInitialEvents=true") != NULL);
        wait_for_end(fd);
    } else if (begins(line, "/api/v1/pods")) {
        static_reply_list(fd, pods, wants_protobuf);
    } else if (begins(line, "/api/v1 ")) {
        static_reply_json(fd, "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":"
                              "[{\"name\":\"pods\",\"singularName\":\"pod\",\"namespaced\":true,"
                              "\"kind\":\"Pod\",\"verbs\":[\"get\",\"list\",\"watch\"]}]}");
    } else if (begins(line, "/apis ")) {
        static_reply_json(fd, "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[]}");
    } else if (begins(line, "/api ")) {
        static_reply_json(fd, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}");
    } else {
        static_reply_json(fd, "{\"major\":\"1\",\"minor\":\"34\",\"gitVersion\":\"v1.34.0\"}");
    }
}

static void serve_connection(int fd, const static_pods *pods)
{
    char request[16 * 1024];
    const int yes = 1; /* a head that waits for its body would be measured as ours */
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    while (read_request(fd, request, sizeof(request)))
        answer(fd, pods, request);
    (void)close(fd);
}

static int listen_somewhere(uint16_t *port)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t size = sizeof(address);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(fd, 128) < 0 || getsockname(fd, (struct sockaddr *)&address, &size) < 0) {
        if (fd >= 0)
            (void)close(fd);
        return -1;
    }
    *port = ntohs(address.sin_port);
    return fd;
}

/* The process: says one byte when its pods are ready, then answers until it is ended. */
static void run(int listener, int ready, const static_source_options *options)
{
    static_pods pods;
    const struct sigaction reap = { .sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT };
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)sigaction(SIGCHLD, &reap, NULL);
    if (!static_pods_make(&pods, options) || write(ready, "r", 1) != 1)
        _exit(1);
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        if (fd < 0)
            _exit(1);
        if (fork() == 0) {
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
            (void)close(listener);
            serve_connection(fd, &pods);
            _exit(0);
        }
        (void)close(fd);
    }
}

bool static_source_start(static_source *source, const static_source_options *options)
{
    int ready[2] = { -1, -1 };
    uint16_t port = 0;
    char byte;
    int listener = listen_somewhere(&port);
    if (listener < 0 || pipe(ready) < 0) {
        fputs("static source: cannot listen\n", stderr);
        return false;
    }
    (void)fflush(NULL);
    source->pid = fork();
    if (source->pid == 0) {
        (void)close(ready[0]);
        run(listener, ready[1], options);
    }
    (void)close(listener);
    (void)close(ready[1]);
    (void)snprintf(source->url, sizeof(source->url), "http://127.0.0.1:%u", port);
    bool is_ready = source->pid > 0 && read(ready[0], &byte, 1) == 1;
    (void)close(ready[0]);
    if (!is_ready)
        fputs("static source: out of memory\n", stderr);
    return is_ready;
}

void static_source_stop(static_source *source)
{
    if (source->pid > 0) {
        (void)kill(source->pid, SIGKILL);
        (void)waitpid(source->pid, NULL, 0);
    }
    source->pid = 0;
}
