/* SPDX-License-Identifier: Apache-2.0 */
/* field_path.c -- the text of a spot, from the top down. */
#include "api/pending/field_path.h"

#include <stdio.h>

#include "base/str.h"

/* Writes |spot| behind what is above it; returns how many bytes there are then. */
static size_t append(char text[LW_FIELD_PATH_SIZE], const lw_field_path *spot)
{
    size_t len = spot->above ? append(text, spot->above) : 0;
    size_t room = LW_FIELD_PATH_SIZE - len;
    const char *between = len > 0 ? "." : "";
    int more = spot->index == SIZE_MAX
                   ? snprintf(text + len, room, "%s%.*s", between, LW_STR_ARG(spot->name))
                   : snprintf(text + len, room, "%s%.*s[%zu]", between, LW_STR_ARG(spot->name),
                              spot->index);
    return more < 0 || (size_t)more >= room ? LW_FIELD_PATH_SIZE - 1 : len + (size_t)more;
}

const char *lw_field_path_text(char text[LW_FIELD_PATH_SIZE], lw_field_path spot)
{
    (void)append(text, &spot);
    return text;
}
