/* SPDX-License-Identifier: Apache-2.0 */
/* field_path.h -- where in a document a check is: "spec.containers[0].ports[1].name".
 *
 * A spot is a link of a chain on the stack; its text is made when there is something to say about
 * it, which is seldom. */
#ifndef LW_API_PENDING_FIELD_PATH_H
#define LW_API_PENDING_FIELD_PATH_H

#include <stdint.h>

#include <listwatch/str.h>

enum {
    LW_SPOT_SIZE = 512, /* bytes of a text; longer ones are cut */
};

typedef struct lw_spot {
    const struct lw_spot *above; /* NULL: the document; must live as long */
    lw_str name;                 /* of the member; may be a path, or empty at the top */
    size_t index;                /* of the item in it; SIZE_MAX: none */
} lw_spot;

static inline lw_spot lw_spot_in(const lw_spot *above, lw_str name)
{
    return (lw_spot){ above, name, SIZE_MAX };
}

static inline lw_spot lw_spot_item(const lw_spot *above, lw_str name, size_t index)
{
    return (lw_spot){ above, name, index };
}

/* Writes the text of |spot| into |text| and returns it. */
const char *lw_spot_text(char text[LW_SPOT_SIZE], lw_spot spot);

#endif
