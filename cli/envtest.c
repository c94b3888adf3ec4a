/* SPDX-License-Identifier: Apache-2.0 */
/* envtest.c -- `listwatch envtest`: makes the assets folder with which controller-runtime's envtest
 * starts this program as kube-apiserver and etcd. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "options.h"

enum {
    PATH_SIZE = 4096,
};

static const char usage[] =
    "usage: listwatch envtest [DIR]\n"
    "\n"
    "Makes a folder with the programs that tests of Kubernetes operators start "
    "(controller-runtime,\n"
    "kubebuilder), and prints its path:\n"
    "\n"
    "    export KUBEBUILDER_ASSETS=$(listwatch envtest)\n"
    "\n"
    "kube-apiserver and etcd in it are this program; kubectl is the one in $PATH, if there is "
    "one.\n"
    "DIR is the folder (default: listwatch/envtest in $XDG_CACHE_HOME or ~/.cache).\n";

static int fail(const char *what)
{
    fprintf(stderr, "listwatch envtest: %s: %s\n", what, strerror(errno));
    return EXIT_FAILED;
}

static bool default_folder(char *out, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int len = -1;
    if (cache && cache[0] == '/')
        len = snprintf(out, size, "%s/listwatch/envtest", cache);
    else if (home && home[0] == '/')
        len = snprintf(out, size, "%s/.cache/listwatch/envtest", home);
    return len > 0 && (size_t)len < size;
}

/* Makes the folder and those above it. */
static bool make_folders(const char *folder)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof(path), "%s", folder);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0755) < 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return mkdir(path, 0755) == 0 || errno == EEXIST;
}

/* Replaces |folder|/|name| by a link to |program|, in one step: tests may be running. */
static bool link_program(const char *folder, const char *name, const char *program)
{
    char path[PATH_SIZE + 64], fresh[PATH_SIZE + 128];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    (void)snprintf(fresh, sizeof(fresh), "%s.%ld", path, (long)getpid());
    if (symlink(program, fresh) < 0)
        return false;
    if (rename(fresh, path) == 0)
        return true;
    int why = errno;
    (void)unlink(fresh);
    errno = why;
    return false;
}

/* Finds an executable file in $PATH outside of |folder|. */
static bool find_program(const char *name, const char *folder, char out[PATH_SIZE])
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t len = strcspn(path, ":");
        bool is_own = len == strlen(folder) && strncmp(path, folder, len) == 0;
        int used = snprintf(out, PATH_SIZE, "%.*s/%s", (int)len, path, name);
        if (!is_own && len > 0 && used > 0 && used < PATH_SIZE && access(out, X_OK) == 0)
            return true;
        path += len + (path[len] == ':');
    }
    return false;
}

static int make_assets(const char *folder)
{
    char program[PATH_SIZE], absolute[PATH_MAX], kubectl[PATH_SIZE];
    ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
    if (len < 0)
        return fail("/proc/self/exe");
    program[len] = '\0';
    if (!make_folders(folder) || !realpath(folder, absolute))
        return fail(folder);
    if (!link_program(absolute, "kube-apiserver", program) ||
        !link_program(absolute, "etcd", program))
        return fail(absolute);
    if (!find_program("kubectl", absolute, kubectl))
        fputs("listwatch envtest: there is no kubectl in $PATH; tests that start it will fail\n",
              stderr);
    else if (!link_program(absolute, "kubectl", kubectl))
        return fail(absolute);
    puts(absolute);
    return EXIT_OK;
}

int command_envtest(int argc, char **argv)
{
    static const struct option options[] = {
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    char folder[PATH_SIZE];
    int option = options_next(argc, argv, "h", options);
    if (option == 'h') {
        fputs(usage, stdout);
        return EXIT_OK;
    }
    if (option >= 0 || argc - optind > 1) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    if (optind < argc)
        return make_assets(argv[optind]);
    if (!default_folder(folder, sizeof(folder))) {
        fputs("listwatch envtest: set a folder: neither $XDG_CACHE_HOME nor $HOME is set\n",
              stderr);
        return EXIT_USAGE;
    }
    return make_assets(folder);
}
