/* SPDX-License-Identifier: Apache-2.0 */
/* api_errors.h -- error responses of an API server, with the messages of
 * k8s.io/apimachinery/pkg/api/errors.
 *
 * Unless its comment says "Completes", a function initialises |status|; call lw_api_status_done
 * after it was written.  Only group and resource of an lw_gvr are used. */
#ifndef LW_OBJECT_API_ERRORS_H
#define LW_OBJECT_API_ERRORS_H

#include "object/api_status.h"

/* 200 Success: the response to a delete. */
void lw_api_status_success(lw_api_status *status, lw_gvr gvr, lw_str name, lw_str uid);

/* 404 pods "a" not found */
void lw_api_status_not_found(lw_api_status *status, lw_gvr gvr, lw_str name);

/* 409 pods "a" already exists */
void lw_api_status_already_exists(lw_api_status *status, lw_gvr gvr, lw_str name);

/* 409 Already exists: no free name could be generated; clients retry after one second. */
void lw_api_status_name_not_generated(lw_api_status *status, lw_gvr gvr, lw_str name);

/* 409 Operation cannot be fulfilled on pods "a": |why| */
void lw_api_status_conflict(lw_api_status *status, lw_gvr gvr, lw_str name, lw_str why);

/* 409 Operation cannot be fulfilled: the object was changed since it was read. */
void lw_api_status_modified(lw_api_status *status, lw_gvr gvr, lw_str name);

/* 410 Expired with |message|. */
void lw_api_status_expired(lw_api_status *status, lw_str message);

/* 410 too old resource version: 1 (79): for a watch. */
void lw_api_status_too_old_rv(lw_api_status *status, uint64_t requested, uint64_t oldest);

/* 410 For a list at a compacted revision. */
void lw_api_status_list_expired(lw_api_status *status);

/* 410 For the next page of a list; |token| continues it inconsistently. */
void lw_api_status_page_expired(lw_api_status *status, lw_str token);

/* 504 Timeout: Too large resource version: 99, current: 79 */
void lw_api_status_too_large_rv(lw_api_status *status, uint64_t requested, uint64_t current);

/* 400 |message| */
void lw_api_status_bad_request(lw_api_status *status, lw_str message);

/* 401 |message|, or "not authorized" if it is empty. */
void lw_api_status_unauthorized(lw_api_status *status, lw_str message);

/* 403 pods "a" is forbidden: |why|; the name, or all of it, may be empty. */
void lw_api_status_forbidden(lw_api_status *status, lw_gvr gvr, lw_str name, lw_str why);

/* 405 |action| is not supported on resources of kind "pods" */
void lw_api_status_method_not_supported(lw_api_status *status, lw_gvr gvr, lw_str action);

/* 406 and 415 |message| */
void lw_api_status_not_acceptable(lw_api_status *status, lw_str message);
void lw_api_status_unsupported_media_type(lw_api_status *status, lw_str message);

/* 413 Request entity too large: |why| */
void lw_api_status_too_large(lw_api_status *status, lw_str why);

/* 429 |message|; clients wait |retry_after_s|. */
void lw_api_status_too_many(lw_api_status *status, lw_str message, int32_t retry_after_s);

/* 500 Internal error occurred: |why| */
void lw_api_status_internal(lw_api_status *status, lw_str why);

/* 500 ServerTimeout: The list operation against pods could not be completed at this time, ... */
void lw_api_status_server_timeout(lw_api_status *status, lw_gvr gvr, lw_str operation,
                                  int32_t retry_after_s);

/* 503 |message| */
void lw_api_status_unavailable(lw_api_status *status, lw_str message);

/* 507 |message| */
void lw_api_status_no_space(lw_api_status *status, lw_str message);

/* 504 Timeout: |why| */
void lw_api_status_timeout(lw_api_status *status, lw_str why, int32_t retry_after_s);

/* The generic message of |code|, e.g. 404 the server could not find the requested resource.
 * |message| is used for 403, 406, 415 and 5xx.  |code| 0 is an ERROR event whose object is not a
 * Status. */
void lw_api_status_generic(lw_api_status *status, int code, lw_str message);

/* Makes a Status from |err|, for failures below the API. */
void lw_api_status_of_error(lw_api_status *status, const lw_error *err);

/* The types of field errors. */
typedef enum lw_field_fault {
    LW_FIELD_INVALID,       /* Invalid value: "v": detail */
    LW_FIELD_REQUIRED,      /* Required value: detail */
    LW_FIELD_FORBIDDEN,     /* Forbidden: detail */
    LW_FIELD_NOT_SUPPORTED, /* Unsupported value: "v": detail */
    LW_FIELD_DUPLICATE,     /* Duplicate value: "v": detail */
    LW_FIELD_NOT_FOUND,     /* Not found: "v": detail */
    LW_FIELD_TOO_LONG,      /* Too long: detail */
    LW_FIELD_TYPE_INVALID,  /* Invalid value: "v": detail */
    LW_FIELD_INTERNAL,      /* Internal error: detail */
} lw_field_fault;

/* Adds an error of |field| to |status|, which must be initialised.  |value| is a string, printed in
 * quotes if the type shows one; |detail| may be empty. */
void lw_api_status_add_field_error(lw_api_status *status, lw_field_fault fault, lw_str field,
                                   lw_str value, lw_str detail);

/* 422 Completes a |status| with field errors: Pod "a" is invalid: metadata.name: Invalid value:
 * ...; several errors are in brackets. */
void lw_api_status_complete_invalid(lw_api_status *status, lw_gvk gvk, lw_str name);

/* 409 Completes a |status| whose causes (reason FieldManagerConflict) are added. */
void lw_api_status_complete_apply_conflict(lw_api_status *status, lw_str message);

/* Sets |err| from an error response: its body (any bytes), the HTTP status (0 for the object of an
 * ERROR event) and the Retry-After header (empty: none).  If the body is not a Status, the HTTP
 * status determines the error.  Returns err->code, also if |err| is NULL; LW_ERR_NOMEM if memory
 * runs out. */
lw_status lw_api_error_decode(lw_str body, int http_status, lw_str retry_after, lw_error *err);

/* Sets the seconds that the server asked to wait, and with them whether it is retriable. */
void lw_api_error_set_retry_after(lw_error *err, int seconds);

#endif
