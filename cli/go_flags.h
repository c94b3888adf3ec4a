/* SPDX-License-Identifier: Apache-2.0 */
/* go_flags.h -- parses command lines the way programs in Go do, for the commands that stand in for
 * kube-apiserver and etcd.
 *
 * "--name=value", "--name value", "-name" and "--flag" for a boolean, which is true; '_' in a name
 * is '-'.  Every flag must be in the table of the command. */
#ifndef LISTWATCH_CLI_GO_FLAGS_H
#define LISTWATCH_CLI_GO_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum go_flag_type {
    GO_FLAG_TEXT, /* the last value counts */
    GO_FLAG_BOOL,
    GO_FLAG_LIST, /* all values count, separated by commas */
} go_flag_type;

/* What a flag means to this program. */
typedef enum go_flag_use {
    GO_FLAG_NO_EFFECT,
    GO_FLAG_USED,   /* the command looks at it */
    GO_FLAG_PASSED, /* an option of `listwatch serve` with the same name, or with |option| */
    GO_FLAG_SWITCH, /* the same, but the option takes no value; passed if it is true */
} go_flag_use;

typedef struct go_flag {
    const char *name;
    go_flag_type type;
    go_flag_use use;
    const char *option; /* NULL: the same name */
} go_flag;

/* Called with each flag that was given, in order; |value| is an argument or "true".  Returns the
 * exit code; parsing ends if it is not EXIT_OK. */
typedef int (*go_flag_fn)(const go_flag *flag, const char *value, void *arg);

/* Parses |argv|; |table| ends with a NULL name.  Returns the exit code; an error was printed unless
 * it is EXIT_OK. */
int go_flags_parse(int argc, char **argv, const go_flag *table, go_flag_fn take, void *arg);

/* Prints the table, one flag per line, as `PROGRAM --help` of the original does. */
void go_flags_print(const char *program, const go_flag *table);

/* True for "true", "1", "t" and their kin, as Go parses booleans. */
bool go_flag_is_true(const char *value);

#endif
