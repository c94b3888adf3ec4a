/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_interpose.c -- redirects libyaml's allocations to the library's allocator, so that they fail
 * too. libyaml exports the four functions that it allocates with; definitions in the program
 * override them. */
#include <string.h>
#include <yaml.h>

#include "base/alloc.h"

/* libyaml does not declare these in yaml.h, but exports them. */
LW_API void *yaml_malloc(size_t size);
LW_API void *yaml_realloc(void *ptr, size_t size);
LW_API void yaml_free(void *ptr);
LW_API yaml_char_t *yaml_strdup(const yaml_char_t *text);

void *yaml_malloc(size_t size)
{
    return lw_alloc(size);
}

void *yaml_realloc(void *ptr, size_t size)
{
    return lw_realloc_array(ptr, size, 1);
}

void yaml_free(void *ptr)
{
    lw_free(ptr);
}

yaml_char_t *yaml_strdup(const yaml_char_t *text)
{
    if (!text)
        return NULL;
    size_t size = strlen((const char *)text) + 1;
    yaml_char_t *copy = lw_alloc(size);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}
