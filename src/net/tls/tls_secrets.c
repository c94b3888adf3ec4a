/* SPDX-License-Identifier: Apache-2.0 */
/* tls_secrets.c -- keeps the application traffic secrets of a handshake, which OpenSSL reports as
 * lines of a key log: a label, the client's random, the secret, the latter two in hexadecimal. */
#include "net/tls/tls_secrets.h"

#include <openssl/ssl.h>

#include "base/str.h"

/* Returns the length of the secret that |hex| contains; 0: it is none. */
static size_t decode(lw_str hex, unsigned char out[LW_TLS_SECRET_MAX])
{
    if (hex.len % 2 != 0 || hex.len / 2 > LW_TLS_SECRET_MAX)
        return 0;
    for (size_t i = 0; i < hex.len; i += 2) {
        int high = lw_char_hex_value(hex.ptr[i]), low = lw_char_hex_value(hex.ptr[i + 1]);
        if (high < 0 || low < 0)
            return 0;
        out[i / 2] = (unsigned char)(high << 4 | low);
    }
    return hex.len / 2;
}

void lw_tls__keep_secret(const SSL *ssl, const char *line)
{
    lw_tls_handshake_secrets *secrets = SSL_get_app_data(ssl);
    lw_str label, rest, random, hex;
    if (!secrets || !lw_str_cut(lw_str_of(line), ' ', &label, &rest) ||
        !lw_str_cut(rest, ' ', &random, &hex))
        return;
    if (lw_str_equal(label, LW_STR("CLIENT_TRAFFIC_SECRET_0")))
        secrets->client_len = decode(hex, secrets->secrets.client);
    else if (lw_str_equal(label, LW_STR("SERVER_TRAFFIC_SECRET_0")))
        secrets->server_len = decode(hex, secrets->secrets.server);
}

bool lw_tls__secrets_are_complete(lw_tls_handshake_secrets *secrets, const SSL *ssl)
{
    const lw_tls_suite *suite =
        lw_tls_suite_find(SSL_CIPHER_get_protocol_id(SSL_get_current_cipher(ssl)));
    size_t len = suite ? lw_tls_suite_secret_len(suite) : 0;
    secrets->secrets.suite = suite;
    return len > 0 && secrets->client_len == len && secrets->server_len == len;
}
