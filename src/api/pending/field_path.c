/* SPDX-License-Identifier: Apache-2.0 */
/* field_path.c -- writes a field path, from the root down. */
#include "api/pending/field_path.h"

#include <stdio.h>

#include "base/str.h"

/* Writes |path| after the paths above it; returns the length of the text. */
static size_t append(char text[LW_FIELD_PATH_SIZE], const lw_field_path *path)
{
    size_t len = path->above ? append(text, path->above) : 0;
    size_t room = LW_FIELD_PATH_SIZE - len;
    const char *between = len > 0 ? "." : "";
    int more = path->index == SIZE_MAX
                   ? snprintf(text + len, room, "%s%.*s", between, LW_STR_ARG(path->name))
                   : snprintf(text + len, room, "%s%.*s[%zu]", between, LW_STR_ARG(path->name),
                              path->index);
    return more < 0 || (size_t)more >= room ? LW_FIELD_PATH_SIZE - 1 : len + (size_t)more;
}

const char *lw_field_path_text(char text[LW_FIELD_PATH_SIZE], lw_field_path path)
{
    (void)append(text, &path);
    return text;
}
