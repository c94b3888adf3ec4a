/* SPDX-License-Identifier: Apache-2.0 */
/* data_dir.c -- the default data directory of a server, in the user's state directory. */
#include "data_dir.h"

#include <stdio.h>
#include <stdlib.h>

bool data_dir_find(char *out, size_t size)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int len = -1;
    if (state && state[0] == '/')
        len = snprintf(out, size, "%s/listwatch", state);
    else if (home && home[0] == '/')
        len = snprintf(out, size, "%s/.local/state/listwatch", home);
    return len > 0 && (size_t)len < size;
}
