/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_connect_path.c -- paths of requests that are passed on to nodes, pods and services: names
 * cannot leave their place in a key, and what follows is a part of what was sent. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fuzz/fuzz.h"
#include "server/connect/connect_path.h"

static void check_name(lw_str name)
{
    if (name.len == 0 || memchr(name.ptr, '/', name.len) || memchr(name.ptr, '\0', name.len))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_str input = lw_str_make((const char *)data, size);
    lw_connect_path path;
    lw_connect_id id;
    lw_buf text;
    lw_buf_init(&text, 1 << 20);
    if (lw_connect_path_read(&path, input, &text)) {
        check_name(path.name);
        if (path.resource != LW_CONNECT_NODES)
            check_name(path.ns);
        if (path.rest.len > 0 && (path.rest.ptr[0] != '/' || !lw_str_ends_with(input, path.rest)))
            abort();
        if (lw_connect_id_split(&id, path.name) && id.name.len == 0)
            abort();
    }
    lw_buf_done(&text);
    return 0;
}
