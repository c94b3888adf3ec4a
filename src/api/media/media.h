/* SPDX-License-Identifier: Apache-2.0 */
/* media.h -- the media type that a client requests, and that of its body. */
#ifndef LW_API_MEDIA_MEDIA_H
#define LW_API_MEDIA_MEDIA_H

#include "api/media/query.h"
#include "net/http.h"
#include "schema/kinds/table.h"

typedef enum lw_media_format {
    LW_MEDIA_JSON,
    LW_MEDIA_YAML,
    LW_MEDIA_PROTOBUF,
    LW_MEDIA_CBOR,
} lw_media_format;

typedef enum lw_media_as {
    LW_MEDIA_AS_IS,
    LW_MEDIA_TABLE,
    LW_MEDIA_PARTIAL,      /* PartialObjectMetadata */
    LW_MEDIA_PARTIAL_LIST, /* PartialObjectMetadataList */
    LW_MEDIA_DISCOVERY,    /* APIGroupDiscoveryList */
} lw_media_as;

typedef struct lw_media {
    lw_media_format format;
    lw_media_as as;
    lw_str as_version; /* "v1" or "v1beta1" of meta.k8s.io; "v2" of apidiscovery */
    bool is_pretty;
    bool takes_gzip;
    bool names_served; /* Accept is absent, or names a type that built-in kinds have, or any */
} lw_media;

/* The representations that an endpoint supports. */
enum {
    LW_MEDIA_ALLOW_TABLE = 1 << 0,
    LW_MEDIA_ALLOW_PARTIAL = 1 << 1,
    LW_MEDIA_ALLOW_PARTIAL_LIST = 1 << 2,
    LW_MEDIA_ALLOW_DISCOVERY = 1 << 3,
    LW_MEDIA_ALLOW_YAML = 1 << 4,
    LW_MEDIA_ALLOW_PROTOBUF = 1 << 5, /* as stored; the metadata alone is always available */
    LW_MEDIA_ALLOW_CBOR = 1 << 6,     /* everything but tables */
    LW_MEDIA_NAMES_CBOR_SEQ = 1 << 7, /* the route knows cbor-seq, the type of streams */
};

/* Chooses by Accept (for a WebSocket ?accept comes first), Accept-Encoding, User-Agent and ?pretty.
 * False: nothing here is acceptable (406). */
bool lw_media_choose(lw_media *media, const lw_http_request *request, const lw_query *query,
                     unsigned allowed);

typedef enum lw_body_type {
    LW_BODY_JSON,
    LW_BODY_YAML,
    LW_BODY_PROTOBUF,
    LW_BODY_CBOR,
    LW_BODY_JSON_PATCH,
    LW_BODY_MERGE_PATCH,
    LW_BODY_STRATEGIC_PATCH,
    LW_BODY_APPLY_PATCH,
    LW_BODY_APPLY_PATCH_CBOR,
    LW_BODY_UNKNOWN,
} lw_body_type;

/* Returns the type in Content-Type; JSON if there is none. */
lw_body_type lw_media_body_type(const lw_http_request *request);

#endif
