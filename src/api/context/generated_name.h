/* SPDX-License-Identifier: Apache-2.0 */
/* generated_name.h -- generates names from metadata.generateName. */
#ifndef LW_API_CONTEXT_GENERATED_NAME_H
#define LW_API_CONTEXT_GENERATED_NAME_H

#include <listwatch/str.h>

#include "base/random.h"

enum {
    LW_GENERATED_NAME_SIZE = 64, /* a DNS label and its NUL */
    LW_GENERATED_BASE_MAX = 58,  /* bytes of generateName that are kept */
};

/* Writes |base|, cut to fit, and a random suffix of five characters that cannot form words. */
void lw_name_generate(char name[LW_GENERATED_NAME_SIZE], lw_str base, lw_random *random);

#endif
