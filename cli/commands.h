/* SPDX-License-Identifier: Apache-2.0 */
/* commands.h -- the commands of the program, one per file.  Each gets its own name as argv[0] and
 * returns the exit code. */
#ifndef LISTWATCH_CLI_COMMANDS_H
#define LISTWATCH_CLI_COMMANDS_H

enum {
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_CUT = 3, /* a signal asked the process to stop, but it did not stop in time */
};

int command_api_resources(int argc, char **argv);
int command_apply(int argc, char **argv);
int command_attach(int argc, char **argv);
int command_completion(int argc, char **argv);
int command_control(int argc, char **argv);
int command_delete(int argc, char **argv);
int command_describe(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_envtest(int argc, char **argv);
int command_etcd(int argc, char **argv); /* in place of etcd */
int command_exec(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_get(int argc, char **argv);
int command_kube_apiserver(int argc, char **argv); /* in place of kube-apiserver */
int command_logs(int argc, char **argv);
int command_mirror(int argc, char **argv);
int command_port_forward(int argc, char **argv);
int command_rollout(int argc, char **argv);
int command_scale(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_store(int argc, char **argv);
int command_wait(int argc, char **argv);
int command_watch(int argc, char **argv);

#endif
