/* SPDX-License-Identifier: Apache-2.0 */
/* http_address.c -- the socket address of a URL. */
#include "http_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HOST_SIZE = 64,
};

static bool parse_host(http_address *address, const char *host, uint16_t port)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(port) };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
    if (inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, &v4.sin_addr) ==
        1) {
        memcpy(&address->storage, &v4, sizeof(v4));
        address->len = sizeof(v4);
        return true;
    }
    if (inet_pton(AF_INET6, host, &v6.sin6_addr) != 1)
        return false;
    memcpy(&address->storage, &v6, sizeof(v6));
    address->len = sizeof(v6);
    return true;
}

bool http_address_parse(http_address *address, const char *urls)
{
    static const char scheme[] = "http://";
    char host[HOST_SIZE];
    if (strncmp(urls, scheme, sizeof(scheme) - 1) != 0)
        return false;
    const char *rest = urls + sizeof(scheme) - 1;
    bool is_v6 = rest[0] == '[';
    rest += is_v6;
    size_t len = strcspn(rest, is_v6 ? "]" : ":/,");
    const char *after = rest + len + (is_v6 && rest[len] == ']');
    char *end = NULL;
    if (len == 0 || len >= sizeof(host) || *after != ':')
        return false;
    unsigned long port = strtoul(after + 1, &end, 10);
    if (end == after + 1 || port > UINT16_MAX || !strchr("/,", *end))
        return false;
    (void)snprintf(host, sizeof(host), "%.*s", (int)len, rest);
    *address = (http_address){ .len = 0 };
    return parse_host(address, host, (uint16_t)port);
}

unsigned http_address_port(const http_address *address)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    if (address->storage.ss_family == AF_INET6) {
        memcpy(&v6, &address->storage, sizeof(v6));
        return ntohs(v6.sin6_port);
    }
    memcpy(&v4, &address->storage, sizeof(v4));
    return ntohs(v4.sin_port);
}
