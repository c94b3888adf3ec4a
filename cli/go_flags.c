/* SPDX-License-Identifier: Apache-2.0 */
/* go_flags.c -- parses command lines the way programs in Go do. */
#include "go_flags.h"

#include <stdio.h>
#include <string.h>

#include "commands.h"

static bool names_match(const char *given, size_t len, const char *name)
{
    if (strlen(name) != len)
        return false;
    for (size_t i = 0; i < len; i++) {
        if ((given[i] == '_' ? '-' : given[i]) != name[i])
            return false;
    }
    return true;
}

static const go_flag *find(const go_flag *table, const char *given, size_t len)
{
    for (; table->name; table++) {
        if (names_match(given, len, table->name))
            return table;
    }
    return NULL;
}

int go_flags_parse(int argc, char **argv, const go_flag *table, go_flag_fn take, void *arg)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        size_t dashes = strspn(word, "-");
        if (dashes == 0 || dashes > 2 || word[dashes] == '\0') {
            fprintf(stderr, "Error: \"%s\" does not take any arguments, got [\"%s\"]\n", argv[0],
                    word);
            return EXIT_FAILED;
        }
        const char *name = word + dashes, *value = strchr(name, '=');
        size_t len = value ? (size_t)(value - name) : strlen(name);
        const go_flag *flag = find(table, name, len);
        if (!flag) {
            fprintf(stderr, "Error: unknown flag: --%.*s\n", (int)len, name);
            return EXIT_FAILED;
        }
        if (value)
            value++;
        else if (flag->type == GO_FLAG_BOOL)
            value = "true";
        else if (i + 1 < argc)
            value = argv[++i];
        if (!value) {
            fprintf(stderr, "Error: flag needs an argument: --%s\n", flag->name);
            return EXIT_FAILED;
        }
        int code = take(flag, value, arg);
        if (code != EXIT_OK)
            return code;
    }
    return EXIT_OK;
}

void go_flags_print(const char *program, const go_flag *table)
{
    static const char *const types[] = {
        [GO_FLAG_TEXT] = " string", [GO_FLAG_BOOL] = "", [GO_FLAG_LIST] = " strings"
    };
    printf("This is listwatch in place of %s.\n\nUsage:\n  %s [flags]\n\nFlags:\n", program,
           program);
    for (; table->name; table++)
        printf("      --%s%s%s\n", table->name, types[table->type],
               table->use == GO_FLAG_NO_EFFECT ? "   (accepted, no effect)" : "");
}

bool go_flag_is_true(const char *value)
{
    static const char *const texts[] = { "1", "t", "T", "true", "TRUE", "True" };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (strcmp(value, texts[i]) == 0)
            return true;
    }
    return false;
}
