/* SPDX-License-Identifier: Apache-2.0 */
/* store_backup.c -- `listwatch store backup`: writes a backup, also while a server runs.
 *
 * The file is written under another name, flushed and renamed: whenever the command is killed, FILE
 * does not exist, is the old backup, or is complete. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "connection.h"
#include "store_arguments.h"
#include "store_progress.h"

enum {
    BACKUP_IDLE_S = 600, /* the server may have to prepare the backup */
};

static const char usage[] =
    "usage: listwatch store backup FILE [--overwrite] [--data-dir DIR]\n"
    "       listwatch store backup FILE [--overwrite] --server URL | --kubeconfig FILE\n"
    "\n"
    "Writes a backup of all objects and their history, as of one revision, to FILE; - writes to\n"
    "standard output.  Reads the data directory, also while a server runs on it, or asks the\n"
    "server for it, which needs a user in the group system:masters.\n"
    "\n"
    "      --overwrite           replace FILE if it exists\n"
    "      --kubeconfig FILE     server and credentials\n"
    "      --context NAME        context of the kubeconfig to use\n"
    "      --server URL          URL of the server; overrides the kubeconfig\n"
    "      --token TOKEN, --certificate-authority FILE, --insecure-skip-tls-verify\n"
    "                            same as for kubectl\n" STORE_DATA_DIR_USAGE;

static lw_status write_bytes(const char *bytes, size_t len, void *arg)
{
    const int *fd = arg;
    for (size_t done = 0; done < len;) {
        ssize_t wrote = write(*fd, bytes + done, len - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return LW_ERR_IO;
        done += (size_t)wrote;
    }
    return LW_OK;
}

/* Gets the backup from the server.  False after an error was printed. */
static bool download(const store_arguments *args, int fd)
{
    connection conn;
    lw_error err = LW_ERROR_INIT;
    if (!connection_open(&conn, &args->server))
        return false;
    lw_raw_options options = LW_RAW_OPTIONS_INIT;
    options.on_bytes = write_bytes;
    options.arg = &fd;
    options.idle_timeout_s = BACKUP_IDLE_S;
    lw_status st =
        lw_client_raw(conn.client, "GET", "/debug/listwatch/backup", &options, NULL, &err);
    if (st < 0)
        connection_complain(&conn, st, &err);
    connection_close(&conn);
    return st == LW_OK;
}

static bool copy(const store_arguments *args, int fd)
{
    store_progress progress;
    lw_server_store_facts facts;
    lw_error err = LW_ERROR_INIT;
    store_progress_init(&progress, args, "changes written");
    lw_server_store_report report = store_progress_report(&progress);
    lw_status st = lw_server_store_backup(args->data_dir, fd, &report, &facts, &err);
    store_progress_done(&progress);
    if (st < 0)
        (void)store_fail(args, err.message);
    return st == LW_OK;
}

static bool write_backup(const store_arguments *args, int fd)
{
    return args->has_server ? download(args, fd) : copy(args, fd);
}

/* Reads what was written, as a restore would. */
static bool check(const store_arguments *args, int fd, lw_server_store_facts *facts)
{
    lw_error err = LW_ERROR_INIT;
    if (lseek(fd, 0, SEEK_SET) < 0 || lw_server_store_check_backup(fd, facts, &err) < 0) {
        (void)store_fail(args, err.message[0] ? err.message : strerror(errno));
        return false;
    }
    return true;
}

static bool flush_folder(const char *path)
{
    char parent[STORE_PATH_SIZE];
    const char *slash = strrchr(path, '/');
    int len = slash ? (int)(slash - path) : 0;
    (void)snprintf(parent, sizeof(parent), "%.*s%s", len, path, !slash ? "." : len == 0 ? "/" : "");
    int folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_flushed = folder >= 0 && fsync(folder) == 0;
    if (folder >= 0)
        (void)close(folder);
    return is_flushed;
}

/* Writes the backup to |fd|, whose name is |partial|, and gives it its name. */
static int write_and_publish(const store_arguments *args, int fd, const char *partial)
{
    lw_server_store_facts facts;
    if (!write_backup(args, fd) || !check(args, fd, &facts))
        return EXIT_FAILED;
    if (fsync(fd) < 0 || rename(partial, args->file) < 0 || !flush_folder(args->file))
        return store_fail(args, strerror(errno));
    printf("backed up: revision %llu, %llu objects, %llu bytes\n",
           (unsigned long long)facts.revision, (unsigned long long)facts.objects,
           (unsigned long long)facts.bytes);
    return EXIT_OK;
}

static int to_file(const store_arguments *args)
{
    char partial[STORE_PATH_SIZE];
    struct stat status;
    if (!args->overwrites && lstat(args->file, &status) == 0)
        return store_refuse(args, args->file, "exists; use --overwrite to replace it");
    int len = snprintf(partial, sizeof(partial), "%s.partial", args->file);
    if (len < 0 || (size_t)len >= sizeof(partial))
        return store_refuse(args, args->file, "the name is too long");
    int fd = open(partial, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return store_refuse(args, partial, strerror(errno));
    int code = write_and_publish(args, fd, partial);
    (void)close(fd);
    if (code != EXIT_OK)
        (void)unlink(partial);
    return code;
}

int store_backup(int argc, char **argv)
{
    store_arguments args;
    bool is_over = false;
    int code = store_arguments_parse(&args, argc, argv, "Fos", usage, &is_over);
    if (is_over)
        return code;
    if (strcmp(args.file, "-") == 0)
        return write_backup(&args, STDOUT_FILENO) ? EXIT_OK : EXIT_FAILED;
    return to_file(&args);
}
