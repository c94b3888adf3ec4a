/* SPDX-License-Identifier: Apache-2.0 */
/* ws_upgrade.c -- server side of the WebSocket handshake (RFC 6455, section 4.2). */
#include <string.h>

#include "base/str.h"
#include "base/text/base64.h"
#include "net/h1/h1_parse.h"
#include "net/h1/ws.h"
#include "net/tls/tls_digest.h"

enum {
    KEY_SIZE = 16,     /* decoded size of Sec-WebSocket-Key */
    KEY_TEXT_MAX = 64, /* maximum length of the key that lw_ws_accept reads */
};

/* True if the header |name| has |token| in its list; several lines form one list. */
static bool header_has(const lw_http_request *request, lw_str name, lw_str token)
{
    for (size_t i = 0; i < request->header_count; i++) {
        if (lw_str_equal(request->headers[i].name, name) &&
            lw_h1_list_has(request->headers[i].value, token))
            return true;
    }
    return false;
}

/* Gets the value of the header |name|, which must occur exactly once. */
static bool header_once(const lw_http_request *request, lw_str name, lw_str *value)
{
    size_t found = 0;
    for (size_t i = 0; i < request->header_count; i++) {
        if (!lw_str_equal(request->headers[i].name, name))
            continue;
        *value = lw_str_trim(request->headers[i].value);
        found++;
    }
    return found == 1;
}

static bool is_key(lw_str key)
{
    char bytes[KEY_SIZE + 1];
    lw_buf decoded = { .data = bytes, .cap = KEY_SIZE, .limit = KEY_SIZE };
    return lw_base64_decode(&decoded, key) && decoded.st == LW_OK && decoded.len == KEY_SIZE;
}

bool lw_ws_check_upgrade(const lw_http_request *request, int *status)
{
    *status = 400;
    if (request->method != LW_HTTP_GET || request->version_major != 1 ||
        !header_has(request, LW_STR("upgrade"), LW_STR("websocket")) ||
        !header_has(request, LW_STR("connection"), LW_STR("upgrade")))
        return false;
    lw_str key;
    if (!header_once(request, LW_STR("sec-websocket-key"), &key) || !is_key(key))
        return false;
    lw_str version;
    if (!header_once(request, LW_STR("sec-websocket-version"), &version))
        return false;
    *status = 426;
    return lw_str_equal(version, LW_STR("13"));
}

lw_status lw_ws_accept(lw_str key, char out[LW_WS_ACCEPT_SIZE])
{
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    char text[KEY_TEXT_MAX + sizeof(guid)];
    key = lw_str_trim(key);
    if (key.len > KEY_TEXT_MAX)
        return LW_ERR_INVALID;
    memcpy(text, key.ptr ? key.ptr : "", key.len);
    memcpy(text + key.len, guid, sizeof(guid) - 1);
    unsigned char digest[LW_TLS_SHA1_SIZE];
    lw_status st = lw_tls_sha1(text, key.len + sizeof(guid) - 1, digest);
    if (st < 0)
        return st;
    lw_buf encoded = { .data = out, .cap = LW_WS_ACCEPT_SIZE - 1, .limit = LW_WS_ACCEPT_SIZE - 1 };
    lw_base64_encode(&encoded, lw_str_make((const char *)digest, sizeof(digest)));
    out[LW_WS_ACCEPT_SIZE - 1] = '\0';
    return encoded.st;
}
