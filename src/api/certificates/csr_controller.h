/* SPDX-License-Identifier: Apache-2.0 */
/* csr_controller.h -- approves, signs and deletes certificate signing requests (csr.h) when they
 * are created or changed, and when it is time.
 *
 * Threads: those of the port's loop. */
#ifndef LW_API_CERTIFICATES_CSR_CONTROLLER_H
#define LW_API_CERTIFICATES_CSR_CONTROLLER_H

#include "api/context/port.h"

typedef struct lw_csr_controller lw_csr_controller;

LW_MUST_CHECK lw_status lw_csr_controller_new(lw_csr_controller **out, lw_api_port *port);

/* Sees a change of any object.  LW_ERR_NOMEM: the change is lost; forget, and begin again. */
LW_MUST_CHECK lw_status lw_csr_controller_observe(lw_csr_controller *controller,
                                                  const lw_kind *kind, const lw_cache_event *event);

/* Starts what is due. */
void lw_csr_controller_pump(lw_csr_controller *controller);

/* Changes were missed: forgets all requests. */
void lw_csr_controller_forget(lw_csr_controller *controller);

/* Starts nothing from now on.  NULL does nothing. */
void lw_csr_controller_stop(lw_csr_controller *controller);

/* After its writes are over.  NULL does nothing. */
void lw_csr_controller_free(lw_csr_controller *controller);

#endif
