/* SPDX-License-Identifier: Apache-2.0 */
/* feature_gates.h -- the feature gates of kube-apiserver that change something here. */
#ifndef LW_SERVER_SETUP_FEATURE_GATES_H
#define LW_SERVER_SETUP_FEATURE_GATES_H

#include <stdbool.h>

#include <listwatch/error.h>

typedef struct lw_feature_gates {
    bool serves_cbor; /* CBORServingAndStorage */
} lw_feature_gates;

/* Reads "Name=true,Other=false" (NULL: the defaults).  LW_ERR_INVALID: it is not such a list. */
lw_status lw_feature_gates_read(lw_feature_gates *gates, const char *text, lw_error *err);

#endif
