/* SPDX-License-Identifier: Apache-2.0 */
/* converter.h -- the conversion webhook of one CustomResourceDefinition: where it is, which reviews
 * it takes, and what it has converted lately.
 *
 * Made with a definition, which holds it (lw_definition_set_converter); later revisions of the
 * definition hold the same one as long as its spec stays as it is: a write of its status leaves the
 * cache and the connections alone.  Never changed but for the cache.  Threads: any. */
#ifndef LW_API_CONVERSION_CONVERTER_H
#define LW_API_CONVERSION_CONVERTER_H

#include "api/conversion/conversion_cache.h"
#include "api/conversion/conversion_metrics.h"
#include "api/webhooks/endpoint.h"
#include "base/ref.h"
#include "schema/kinds/definition.h"

typedef struct lw_converter {
    lw_ref refs;
    const lw_hook_caller *caller; /* NULL: this server calls no webhooks */
    lw_hook_endpoint *endpoint;   /* NULL: see |error| */
    char *error;                  /* why the webhook cannot be called */
    lw_hook_version version;
    lw_conversion_cache cache;
    lw_conversion_metrics *metrics; /* the server's; may be NULL */
} lw_converter;

/* Gives |definition| its converter, if its strategy is Webhook; does nothing otherwise.  |before|
 * is an earlier revision of the same definition, or NULL: its converter is taken over if the spec
 * has not changed.  |caller| (may be NULL) and |metrics| live longer.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_converter_attach(lw_definition *definition, const lw_definition *before,
                                            const lw_hook_caller *caller,
                                            lw_conversion_metrics *metrics);

#endif
