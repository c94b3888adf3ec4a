/* SPDX-License-Identifier: Apache-2.0 */
/* type_text.c -- the descriptions of types and fields, apart from type.c: only a server has them.
 */
#include "base/str.h"
#include "schema/types/type_table.h"

lw_str lw_type_text(uint32_t description)
{
    return lw_str_of(lw_type_texts + description);
}
