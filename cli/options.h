/* SPDX-License-Identifier: Apache-2.0 */
/* options.h -- the options on a command line, long ones in full only.
 *
 * getopt_long accepts any unambiguous abbreviation of a long option.  "delete --all" would then
 * mean
 * --all-namespaces, and an option added later would change what an old script does. */
#ifndef LISTWATCH_CLI_OPTIONS_H
#define LISTWATCH_CLI_OPTIONS_H

#include <getopt.h>

/* The next option, as getopt_long returns it, with its value in optarg; -1 after the last, with the
 * first other argument at argv[optind].  '?': a bad option, about which a message was printed to
 * standard error.  |letters| must not begin with ':', |known| must end with an entry of zeros, and
 * argv[0] is the name of the command.  Not thread-safe: getopt_long has global state. */
int options_next(int argc, char **argv, const char *letters, const struct option *known);

#endif
