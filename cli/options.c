/* SPDX-License-Identifier: Apache-2.0 */
/* options.c -- parses the options of a command line; long options must be written in full. */
#include "options.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Length of "--server" in "--server=URL". */
static size_t name_length(const char *word)
{
    return strcspn(word, "=");
}

static bool is_long(const char *word)
{
    return strncmp(word, "--", 2) == 0;
}

/* Returns the argument from which getopt_long has just read an option: the last one, or the one
 * before its value. */
static const char *current_word(char **argv)
{
    return argv[optarg && optarg == argv[optind - 1] ? optind - 2 : optind - 1];
}

static const struct option *find_long(const struct option *known, const char *word)
{
    size_t len = name_length(word) - 2;
    for (const struct option *o = known; o->name; o++) {
        if (strlen(o->name) == len && strncmp(o->name, word + 2, len) == 0)
            return o;
    }
    return NULL;
}

/* Prints the options that |word| may be an abbreviation of. */
static void print_suggestions(const struct option *known, const char *word)
{
    size_t len = name_length(word) - 2;
    bool is_first = true;
    for (const struct option *o = known; o->name; o++) {
        if (len == 0 || strncmp(o->name, word + 2, len) != 0)
            continue;
        fprintf(stderr, "%s--%s", is_first ? " (did you mean " : " or ", o->name);
        is_first = false;
    }
    if (!is_first)
        fputs("?)", stderr);
}

static int refuse_unknown(const char *command, const struct option *known, const char *word)
{
    fprintf(stderr, "listwatch %s: unknown option %.*s", command, (int)name_length(word), word);
    print_suggestions(known, word);
    fputc('\n', stderr);
    return '?';
}

/* True if getopt_long stopped at a long option.  If it stopped at an unknown letter inside a group
 * such as -xq, it has not yet moved past that argument, and argv[optind - 1] is an earlier one.  A
 * long option there was valid, because an invalid one would have been refused before. */
static bool stopped_at_long(const struct option *known, const char *word, int option)
{
    if (option == ':' || optopt == 0)
        return is_long(word);
    const struct option *found = is_long(word) ? find_long(known, word) : NULL;
    return is_long(word) && strchr(word, '=') && (!found || found->has_arg == no_argument);
}

/* Prints what is wrong with the option at which getopt_long returned |option|, '?' or ':'. */
static int refuse(char **argv, const struct option *known, int option)
{
    const char *word = argv[optind - 1];
    int len = (int)name_length(word);
    bool is_at_long = stopped_at_long(known, word, option);
    if (is_at_long && !find_long(known, word))
        return refuse_unknown(argv[0], known, word);
    if (is_at_long)
        fprintf(stderr, "listwatch %s: option %.*s %s\n", argv[0], len, word,
                option == ':' ? "needs a value" : "takes no value");
    else if (option == ':')
        fprintf(stderr, "listwatch %s: option -%c needs a value\n", argv[0], optopt);
    else
        fprintf(stderr, "listwatch %s: unknown option -%c\n", argv[0], optopt);
    return '?';
}

int options_next(int argc, char **argv, const char *letters, const struct option *known)
{
    char quiet_letters[64];
    int index = -1;
    (void)snprintf(quiet_letters, sizeof(quiet_letters), ":%s", letters);
    opterr = 0;
    optarg = NULL;
    int option = getopt_long(argc, argv, quiet_letters, known, &index);
    if (option == '?' || option == ':')
        return refuse(argv, known, option);
    if (option >= 0 && index >= 0 && !find_long(known, current_word(argv)))
        return refuse_unknown(argv[0], known, current_word(argv));
    return option;
}
