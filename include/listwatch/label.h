/* SPDX-License-Identifier: Apache-2.0 */
/* label.h -- one label of an object. */
#ifndef LISTWATCH_LABEL_H
#define LISTWATCH_LABEL_H

#include <listwatch/str.h>

LW_BEGIN_DECLS

/* Arrays of labels are sorted by the bytes of their keys; each key occurs once. */
typedef struct lw_label {
    lw_str key;
    lw_str value;
} lw_label;

LW_END_DECLS

#endif
