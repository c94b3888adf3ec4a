/* SPDX-License-Identifier: Apache-2.0 */
/* options.c -- parses the options of a command line; long options must be written in full. */
#include "options.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "closest.h"
#include "message.h"

enum {
    NAME_SIZE = 64,
    SUGGESTION_SIZE = 512,
};

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

/* Writes the options that |word| may be an abbreviation of, or else the most similar one. */
static void suggest(const struct option *known, const char *word, char *text, size_t size)
{
    char name[NAME_SIZE];
    size_t len = name_length(word) - 2, used = 0;
    closest similar = CLOSEST_INIT(name);
    (void)snprintf(name, sizeof(name), "%.*s", (int)len, word + 2);
    text[0] = '\0';
    for (const struct option *o = known; o->name; o++) {
        closest_offer(&similar, o->name);
        if (len == 0 || strncmp(o->name, word + 2, len) != 0 || used >= size)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s--%s",
                                 used == 0 ? " (did you mean " : " or ", o->name);
    }
    if (used == 0 && similar.found)
        used = (size_t)snprintf(text, size, " (did you mean --%s", similar.found);
    if (used > 0 && used < size)
        (void)snprintf(text + used, size - used, "?)");
}

static int refuse_unknown(const char *command, const struct option *known, const char *word)
{
    char suggestion[SUGGESTION_SIZE];
    suggest(known, word, suggestion, sizeof(suggestion));
    message("unknown option %.*s of %s%s", (int)name_length(word), word, command, suggestion);
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
        message("option %.*s of %s %s", len, word, argv[0],
                option == ':' ? "needs a value" : "takes no value");
    else if (option == ':')
        message("option -%c of %s needs a value", optopt, argv[0]);
    else
        message("unknown option -%c of %s", optopt, argv[0]);
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
