/* SPDX-License-Identifier: Apache-2.0 */
/* field_path.h -- the path of the field being checked: "spec.containers[0].ports[1].name".
 *
 * A path is a chain of elements on the stack; its text is written only for an error, which is
 * rare. */
#ifndef LW_API_PENDING_FIELD_PATH_H
#define LW_API_PENDING_FIELD_PATH_H

#include <stdint.h>

#include <listwatch/str.h>

enum {
    LW_FIELD_PATH_SIZE = 512, /* bytes of a text; longer ones are cut */
};

typedef struct lw_field_path {
    const struct lw_field_path *above; /* NULL: the document; must live as long */
    lw_str name;  /* name of the member; may be a dotted path, or empty at the top */
    size_t index; /* index of the item in it; SIZE_MAX: none */
} lw_field_path;

static inline lw_field_path lw_field_path_in(const lw_field_path *above, lw_str name)
{
    return (lw_field_path){ above, name, SIZE_MAX };
}

static inline lw_field_path lw_field_path_item(const lw_field_path *above, lw_str name,
                                               size_t index)
{
    return (lw_field_path){ above, name, index };
}

/* Writes the text of |path| into |text| and returns it. */
const char *lw_field_path_text(char text[LW_FIELD_PATH_SIZE], lw_field_path path);

#endif
