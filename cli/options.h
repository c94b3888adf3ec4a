/* SPDX-License-Identifier: Apache-2.0 */
/* options.h -- parses the options of a command line; long options must be written in full.
 *
 * getopt_long accepts any unambiguous abbreviation of a long option.  "delete --all" would then
 * mean --all-namespaces, and an option added later would change the meaning of an old script. */
#ifndef LISTWATCH_CLI_OPTIONS_H
#define LISTWATCH_CLI_OPTIONS_H

#include <getopt.h>

/* Returns the next option like getopt_long, with its value in optarg; -1 after the last option,
 * with the first other argument at argv[optind].  '?': an invalid option, after an error was
 * printed to standard error.  |letters| must not begin with ':', |known| must end with an entry of
 * zeros, and argv[0] is the name of the command.  Not thread-safe: getopt_long has global state. */
int options_next(int argc, char **argv, const char *letters, const struct option *known);

#endif
