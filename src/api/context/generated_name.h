/* SPDX-License-Identifier: Apache-2.0 */
/* generated_name.h -- what follows a generateName. */
#ifndef LW_API_CONTEXT_GENERATED_NAME_H
#define LW_API_CONTEXT_GENERATED_NAME_H

#include <listwatch/str.h>

#include "base/random.h"

enum {
    LW_GENERATED_NAME_SIZE = 64, /* a DNS label and its NUL */
    LW_GENERATED_BASE_MAX = 58,  /* bytes that are kept of a generateName */
};

/* |base| cut to fit and five letters and digits that spell no words. */
void lw_name_generate(char name[LW_GENERATED_NAME_SIZE], lw_str base, lw_random *random);

#endif
