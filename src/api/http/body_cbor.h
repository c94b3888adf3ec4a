/* SPDX-License-Identifier: Apache-2.0 */
/* body_cbor.h -- bodies in CBOR; only for body.c. */
#ifndef LW_API_HTTP_BODY_CBOR_H
#define LW_API_HTTP_BODY_CBOR_H

#include "api/http/call.h"
#include "json/tree.h"

/* Reads the body as an object of |gvk|; |is_options|: it is DeleteOptions, whose refusals are
 * shorter.  False: |status| says why it cannot be (400, 413). */
bool lw_body_read_cbor(lw_api_call *call, lw_gvk gvk, bool is_options, lw_tree **out,
                       lw_api_status *status);

/* Reads the body of an apply. */
bool lw_body_read_cbor_patch(lw_api_call *call, lw_tree **out, lw_api_status *status);

#endif
