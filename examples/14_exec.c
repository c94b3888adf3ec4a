/* SPDX-License-Identifier: Apache-2.0 */
/* 14_exec.c -- runs a command in a container, gives it what standard input has, and ends with its
 * exit code.
 *
 *     14_exec POD COMMAND [ARGUMENT...] < input */
#include <listwatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    INPUT_MAX = 16 * 1024 * 1024,
    TIMEOUT_MS = 60 * 1000,
};

static lw_status print(lw_stream_source source, const char *bytes, size_t len, void *arg)
{
    FILE *to = source == LW_STREAM_STDERR ? stderr : stdout;
    (void)arg;
    return fwrite(bytes, 1, len, to) == len ? LW_OK : LW_ERR_IO;
}

static lw_str read_input(char *bytes)
{
    return lw_str_make(bytes, fread(bytes, 1, INPUT_MAX, stdin));
}

static int run(lw_client *client, const char *ns, const char *pod, const char *const *command,
               char *bytes)
{
    lw_stream_options options = LW_STREAM_OPTIONS_INIT;
    lw_error err = LW_ERROR_INIT;
    int exit_code = 0;
    options.input = read_input(bytes);
    options.timeout_ms = TIMEOUT_MS;
    options.on_bytes = print;
    if (lw_client_exec(client, ns, pod, command, &options, &exit_code, &err) < 0) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    return exit_code;
}

int main(int argc, char **argv)
{
    lw_config *config = NULL;
    lw_client *client = NULL;
    lw_error err = LW_ERROR_INIT;
    int code = 1;
    char *bytes = malloc(INPUT_MAX);
    if (argc < 3 || !bytes) {
        fprintf(stderr, "usage: 14_exec POD COMMAND [ARGUMENT...]\n");
        free(bytes);
        return 2;
    }
    if (lw_config_load(&config, NULL, &err) < 0 || lw_client_new(&client, config, NULL, &err) < 0)
        fprintf(stderr, "%s\n", err.message);
    else
        code = run(client, lw_config_namespace(config), argv[1], (const char *const *)(argv + 2),
                   bytes);
    lw_client_unref(client);
    lw_config_unref(config);
    free(bytes);
    return code;
}
