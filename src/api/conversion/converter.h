/* SPDX-License-Identifier: Apache-2.0 */
/* converter.h -- the conversion webhook of one CustomResourceDefinition: where it is, which reviews
 * it takes, and what it has converted lately.
 *
 * Made with the definition, which owns it (lw_definition_set_converter); never changed but for the
 * cache.  Threads: any. */
#ifndef LW_API_CONVERSION_CONVERTER_H
#define LW_API_CONVERSION_CONVERTER_H

#include "api/conversion/conversion_cache.h"
#include "api/conversion/conversion_metrics.h"
#include "api/webhooks/endpoint.h"
#include "schema/kinds/definition.h"

typedef struct lw_converter {
    const lw_hook_caller *caller; /* NULL: this server calls no webhooks */
    lw_hook_endpoint *endpoint;   /* NULL: see |error| */
    char *error;                  /* why the webhook cannot be called */
    lw_hook_version version;
    lw_conversion_cache cache;
    lw_conversion_metrics *metrics; /* the server's; may be NULL */
} lw_converter;

/* Makes the converter of |definition|, if its strategy is Webhook; does nothing otherwise.
 * |caller| (may be NULL) and |metrics| live longer.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_converter_attach(lw_definition *definition, const lw_hook_caller *caller,
                                            lw_conversion_metrics *metrics);

#endif
