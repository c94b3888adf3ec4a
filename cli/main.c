/* SPDX-License-Identifier: Apache-2.0 */
/* main.c -- the program `listwatch`: selects the command and runs it. */
#include <stdio.h>
#include <string.h>

#include <listwatch.h>

#include "closest.h"
#include "commands.h"
#include "message.h"

static int print_version(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    printf("listwatch %s\n", lw_version());
    return 0;
}

typedef struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv); /* argv[0] is the name of the command */
} command;

static const command commands[] = {
    { "get", "show objects of a server or a file", command_get },
    { "watch", "show objects of a server and follow their changes", command_watch },
    { "describe", "show the details of objects and their events", command_describe },
    { "logs", "print the log of a container", command_logs },
    { "exec", "run a command in a container", command_exec },
    { "attach", "attach to the process of a container", command_attach },
    { "port-forward", "forward local ports to a pod", command_port_forward },
    { "apply", "create or update the objects in a file", command_apply },
    { "diff", "show what apply would change", command_diff },
    { "delete", "delete objects", command_delete },
    { "scale", "change the number of replicas", command_scale },
    { "wait", "wait until objects meet a condition", command_wait },
    { "rollout", "show whether an update of a workload is complete", command_rollout },
    { "api-resources", "list the resources of a server", command_api_resources },
    { "explain", "show the fields of a resource", command_explain },
    { "serve", "run an API server", command_serve },
    { "mirror", "follow an API server and serve its objects to many clients", command_mirror },
    { "envtest", "make the folder with which controller tests use this program", command_envtest },
    { "store", "check, back up, restore or trim the store of a server", command_store },
    { "control", "run the controllers of a cluster", command_control },
    { "completion", "print the completion script of a shell", command_completion },
    { "version", "print the version", print_version },
};

/* Names under which the program does what the program of that name does. */
static const command stand_ins[] = {
    { "kube-apiserver", NULL, command_kube_apiserver },
    { "etcd", NULL, command_etcd },
};

enum {
    COMMANDS = sizeof(commands) / sizeof(commands[0]),
};

static void print_help(FILE *to)
{
    fprintf(to, "usage: listwatch <command> [options]\n\ncommands:\n");
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-14s %s\n", commands[i].name, commands[i].summary);
}

static int refuse_unknown(const char *name)
{
    closest similar = CLOSEST_INIT(name);
    for (size_t i = 0; i < COMMANDS; i++)
        closest_offer(&similar, commands[i].name);
    if (similar.found)
        message("unknown command \"%s\" (did you mean %s?)", name, similar.found);
    else
        message("unknown command \"%s\"; see listwatch --help", name);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *own_name = slash ? slash + 1 : argc > 0 ? argv[0] : "";
    for (size_t i = 0; i < sizeof(stand_ins) / sizeof(stand_ins[0]); i++) {
        if (strcmp(own_name, stand_ins[i].name) == 0)
            return stand_ins[i].run(argc, argv);
    }
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return EXIT_OK;
    }
    const char *name = strcmp(argv[1], "--version") == 0 ? "version" : argv[1];
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    }
    return refuse_unknown(argv[1]);
}
