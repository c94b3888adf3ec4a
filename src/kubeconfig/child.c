/* SPDX-License-Identifier: Apache-2.0 */
/* child.c -- posix_spawn, a pipe, a deadline.
 * Deadlines are of the system's clock: a child lives in real time whatever the library's clock is.
 */
#include "kubeconfig/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread/cancel.h"
#include "kubeconfig/secret.h"

enum {
    PIECE = 4096,
    STANDARD_FDS =
        3, /* input, output and error; the descriptors of this file must not be among them */
};

typedef struct child {
    pid_t pid;
    int pidfd; /* -1: not supported by the kernel */
    int out;   /* read end of its output */
    bool is_group_leader;
    int64_t deadline_ns;
} child;

/* Returns |fd|, or a copy above the standard descriptors, so that setting those up in the child
 * cannot close it.  Returns -1 on failure; then |fd| is closed. */
static int fd_above_standard(int fd)
{
    if (fd < 0 || fd >= STANDARD_FDS)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STANDARD_FDS);
    (void)close(fd);
    return moved;
}

static bool pipe_open(int fds[2])
{
    if (pipe2(fds, O_CLOEXEC) != 0)
        return false;
    fds[0] = fd_above_standard(fds[0]);
    fds[1] = fd_above_standard(fds[1]);
    if (fds[0] >= 0 && fds[1] >= 0)
        return true;
    for (int i = 0; i < 2; i++) {
        if (fds[i] >= 0)
            (void)close(fds[i]);
    }
    return false;
}

/* Threads of the library block all signals, and the process may ignore some; the child starts with
 * the defaults. */
static int set_attributes(posix_spawnattr_t *attr, bool is_group_leader)
{
    sigset_t none;
    sigset_t usual;
    (void)sigemptyset(&none);
    (void)sigemptyset(&usual);
    (void)sigaddset(&usual, SIGPIPE);
    (void)sigaddset(&usual, SIGCHLD);
    (void)sigaddset(&usual, SIGTERM);
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (is_group_leader)
        flags = (short)(flags | POSIX_SPAWN_SETPGROUP);
    int rc = posix_spawnattr_setsigmask(attr, &none);
    if (rc == 0)
        rc = posix_spawnattr_setsigdefault(attr, &usual);
    if (rc == 0)
        rc = posix_spawnattr_setpgroup(attr, 0);
    return rc ? rc : posix_spawnattr_setflags(attr, flags);
}

static int set_files(posix_spawn_file_actions_t *files, int out, bool has_terminal)
{
    int rc = 0;
    if (!has_terminal)
        rc = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(files, out, STDOUT_FILENO);
    /* The child must not inherit descriptors without close-on-exec. */
    return rc ? rc : posix_spawn_file_actions_addclosefrom_np(files, STANDARD_FDS);
}

/* Returns 0 or an errno value. */
static int spawn(const lw_child_options *options, int out, pid_t *pid)
{
    posix_spawnattr_t attr;
    posix_spawn_file_actions_t files;
    int rc = posix_spawnattr_init(&attr);
    if (rc)
        return rc;
    rc = posix_spawn_file_actions_init(&files);
    if (rc == 0) {
        rc = set_attributes(&attr, !options->has_terminal);
        if (rc == 0)
            rc = set_files(&files, out, options->has_terminal);
        if (rc == 0)
            rc = posix_spawn(pid, options->path, &files, &attr, options->argv, options->envp);
        (void)posix_spawn_file_actions_destroy(&files);
    }
    (void)posix_spawnattr_destroy(&attr);
    return rc;
}

static lw_status child_start(child *c, const lw_child_options *options, lw_error *err)
{
    int fds[2];
    if (!pipe_open(fds))
        return lw_error_set(err, LW_ERR_IO, "cannot create a pipe: %s", strerror(errno));
    int rc = spawn(options, fds[1], &c->pid);
    (void)close(fds[1]);
    if (rc) {
        (void)close(fds[0]);
        if (rc == ENOMEM)
            return lw_error_nomem(err);
        return lw_error_set(err, rc == ENOENT ? LW_ERR_NOT_FOUND : LW_ERR_IO, "%s: %s",
                            options->path, strerror(rc));
    }
    c->out = fds[0];
    (void)fcntl(c->out, F_SETFL, O_NONBLOCK);
    c->pidfd = pidfd_open(c->pid, 0);
    c->is_group_leader = !options->has_terminal;
    c->deadline_ns = lw_clock_now(lw_clock_system()) + options->timeout_ms * LW_NS_PER_MS;
    return LW_OK;
}

/* Returns the timeout of poll; 0: the deadline has passed. */
static int ms_left(const child *c)
{
    int64_t left = c->deadline_ns - lw_clock_now(lw_clock_system());
    if (left <= 0)
        return 0;
    int64_t ms = (left + LW_NS_PER_MS - 1) / LW_NS_PER_MS;
    return ms > INT_MAX ? INT_MAX : (int)ms;
}

/* Reads the available output.  Returns 1: more may come, 0: the end, -1: |out| or reading failed.
 */
static int drain(int fd, lw_buf *out)
{
    for (;;) {
        if (lw_secret_reserve(out, PIECE) < 0)
            return -1;
        ssize_t got = read(fd, out->data + out->len, PIECE);
        if (got > 0)
            out->len += (size_t)got;
        else if (got == 0)
            return 0;
        else if (errno == EAGAIN)
            return 1;
        else if (errno != EINTR)
            return -1;
    }
}

/* Fills |fds| with what cancels the calling thread; returns the number. */
static nfds_t cancel_fds(struct pollfd fds[LW_CANCEL_SCOPES_MAX])
{
    int scopes[LW_CANCEL_SCOPES_MAX];
    size_t count = lw_cancel_fds(scopes);
    for (size_t i = 0; i < count; i++)
        fds[i] = (struct pollfd){ .fd = scopes[i], .events = POLLIN };
    return count;
}

/* Reads until the child has closed its output or has ended: a background process of the child may
 * keep the pipe open forever.  Returns false if the deadline has passed, the thread is cancelled or
 * |out| failed. */
static bool read_output(const child *c, lw_buf *out)
{
    struct pollfd fds[2 + LW_CANCEL_SCOPES_MAX] = { { .fd = c->out, .events = POLLIN },
                                                    { .fd = c->pidfd, .events = POLLIN } };
    nfds_t count = 2 + cancel_fds(fds + 2);
    while (!lw_cancel_is_due()) {
        int ready = poll(fds, count, ms_left(c));
        if (ready < 0 && errno != EINTR)
            return false;
        if (ready == 0)
            return false;
        if (ready < 0)
            continue;
        bool has_ended =
            fds[1].revents != 0; /* before the last read: there is no output after it */
        int more = drain(c->out, out);
        if (more < 0)
            return false;
        if (more == 0 || has_ended)
            return true;
    }
    return false;
}

/* Waits for the end of the child.  Returns false if the deadline has passed or the thread is
 * cancelled. */
static bool wait_for_end(const child *c)
{
    if (c->pidfd < 0)
        return true; /* waitpid waits, without a limit */
    struct pollfd fds[1 + LW_CANCEL_SCOPES_MAX] = { { .fd = c->pidfd, .events = POLLIN } };
    nfds_t count = 1 + cancel_fds(fds + 1);
    while (!lw_cancel_is_due()) {
        int ready = poll(fds, count, ms_left(c));
        if (ready > 0 && fds[0].revents != 0)
            return true;
        if (ready == 0 || (ready < 0 && errno != EINTR))
            return false;
    }
    return false;
}

static void child_kill(const child *c)
{
    (void)kill(c->is_group_leader ? -c->pid : c->pid, SIGKILL);
}

static void collect(const child *c, lw_child_result *result)
{
    int status = 0;
    pid_t pid;
    do {
        pid = waitpid(c->pid, &status, 0);
    } while (pid < 0 && errno == EINTR);
    result->is_known = pid == c->pid;
    if (!result->is_known)
        return;
    result->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

lw_status lw_child_run(const lw_child_options *options, lw_buf *out, lw_child_result *result,
                       lw_error *err)
{
    child c = { .pidfd = -1 };
    lw_child_result ended = { 0 };
    lw_status st = child_start(&c, options, err);
    if (st < 0)
        return st;
    bool is_in_time = read_output(&c, out) && wait_for_end(&c);
    if (!is_in_time)
        child_kill(&c);
    collect(&c, &ended);
    (void)close(c.out);
    if (c.pidfd >= 0)
        (void)close(c.pidfd);
    if (out->st == LW_ERR_NOMEM)
        return lw_error_nomem(err);
    if (out->st < 0)
        return lw_error_set(err, out->st, "%s: the output is larger than %zu bytes", options->path,
                            out->limit);
    if (!is_in_time && lw_cancel_is_due())
        return lw_error_set(err, LW_ERR_STOPPED, "%s was killed: the request was cancelled",
                            options->path);
    ended.is_timed_out = !is_in_time;
    *result = ended;
    return LW_OK;
}
