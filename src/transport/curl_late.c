/* SPDX-License-Identifier: Apache-2.0 */
/* curl_late.c -- loads libcurl when it is first used; only for the program.
 *
 * libcurl loads two dozen libraries: 3.7 MB of memory, and half of the start-up time of the
 * program; and a server does not need it.  This file defines the functions of libcurl that this
 * module calls, with the same names; in the program they take precedence over those of libcurl.
 * They are hidden, so that libcurl itself uses its own. Threads: curl_global_init is called first
 * and once (curl_transport.c); the library stays loaded. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>

#define CURL_DISABLE_TYPECHECK
#pragma GCC visibility push(hidden)
#include <curl/curl.h>
#pragma GCC visibility pop

static struct {
    CURLcode (*global_init)(long flags);
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *easy);
    CURLcode (*easy_setopt)(CURL *easy, CURLoption option, ...);
    CURLcode (*easy_getinfo)(CURL *easy, CURLINFO info, ...);
    CURLcode (*easy_pause)(CURL *easy, int mask);
    CURLcode (*easy_recv)(CURL *easy, void *dst, size_t size, size_t *got);
    CURLcode (*easy_send)(CURL *easy, const void *bytes, size_t len, size_t *sent);
    const char *(*easy_strerror)(CURLcode code);
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_cleanup)(CURLM *multi);
    CURLMcode (*multi_add_handle)(CURLM *multi, CURL *easy);
    CURLMcode (*multi_remove_handle)(CURLM *multi, CURL *easy);
    CURLMcode (*multi_setopt)(CURLM *multi, CURLMoption option, ...);
    CURLMcode (*multi_socket_action)(CURLM *multi, curl_socket_t s, int events, int *running);
    CURLMsg *(*multi_info_read)(CURLM *multi, int *left);
    struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
    void (*slist_free_all)(struct curl_slist *list);
} late;

/* A function of libcurl, and where its address goes. */
typedef struct wanted {
    const char *name;
    void *address;
} wanted;

static const wanted all[] = {
    { "curl_global_init", &late.global_init },
    { "curl_easy_init", &late.easy_init },
    { "curl_easy_cleanup", &late.easy_cleanup },
    { "curl_easy_setopt", &late.easy_setopt },
    { "curl_easy_getinfo", &late.easy_getinfo },
    { "curl_easy_pause", &late.easy_pause },
    { "curl_easy_recv", &late.easy_recv },
    { "curl_easy_send", &late.easy_send },
    { "curl_easy_strerror", &late.easy_strerror },
    { "curl_multi_init", &late.multi_init },
    { "curl_multi_cleanup", &late.multi_cleanup },
    { "curl_multi_add_handle", &late.multi_add_handle },
    { "curl_multi_remove_handle", &late.multi_remove_handle },
    { "curl_multi_setopt", &late.multi_setopt },
    { "curl_multi_socket_action", &late.multi_socket_action },
    { "curl_multi_info_read", &late.multi_info_read },
    { "curl_slist_append", &late.slist_append },
    { "curl_slist_free_all", &late.slist_free_all },
};

CURLcode curl_global_init(long flags)
{
    void *library = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return CURLE_FAILED_INIT;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        void *address = dlsym(library, all[i].name);
        if (!address)
            return CURLE_FAILED_INIT;
        *(void **)all[i].address = address;
    }
    return late.global_init(flags);
}

CURL *curl_easy_init(void)
{
    return late.easy_init();
}

void curl_easy_cleanup(CURL *easy)
{
    late.easy_cleanup(easy);
}

/* The value of an option has the size of a pointer, whatever its type: a long, a pointer, a
 * curl_off_t. */
_Static_assert(sizeof(long) == sizeof(void *) && sizeof(curl_off_t) == sizeof(void *),
               "options are passed on as pointers");

CURLcode(curl_easy_setopt)(CURL *easy, CURLoption option, ...)
{
    va_list args;
    va_start(args, option);
    void *value = va_arg(args, void *);
    va_end(args);
    return late.easy_setopt(easy, option, value);
}

CURLcode(curl_easy_getinfo)(CURL *easy, CURLINFO info, ...)
{
    va_list args;
    va_start(args, info);
    void *value = va_arg(args, void *);
    va_end(args);
    return late.easy_getinfo(easy, info, value);
}

CURLcode curl_easy_pause(CURL *easy, int mask)
{
    return late.easy_pause(easy, mask);
}

CURLcode curl_easy_recv(CURL *easy, void *dst, size_t size, size_t *got)
{
    return late.easy_recv(easy, dst, size, got);
}

CURLcode curl_easy_send(CURL *easy, const void *bytes, size_t len, size_t *sent)
{
    return late.easy_send(easy, bytes, len, sent);
}

const char *curl_easy_strerror(CURLcode code)
{
    return late.easy_strerror(code);
}

CURLM *curl_multi_init(void)
{
    return late.multi_init();
}

CURLMcode curl_multi_cleanup(CURLM *multi)
{
    return late.multi_cleanup(multi);
}

CURLMcode curl_multi_add_handle(CURLM *multi, CURL *easy)
{
    return late.multi_add_handle(multi, easy);
}

CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *easy)
{
    return late.multi_remove_handle(multi, easy);
}

CURLMcode(curl_multi_setopt)(CURLM *multi, CURLMoption option, ...)
{
    va_list args;
    va_start(args, option);
    void *value = va_arg(args, void *);
    va_end(args);
    return late.multi_setopt(multi, option, value);
}

CURLMcode curl_multi_socket_action(CURLM *multi, curl_socket_t s, int events, int *running)
{
    return late.multi_socket_action(multi, s, events, running);
}

CURLMsg *curl_multi_info_read(CURLM *multi, int *left)
{
    return late.multi_info_read(multi, left);
}

struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text)
{
    return late.slist_append(list, text);
}

void curl_slist_free_all(struct curl_slist *list)
{
    late.slist_free_all(list);
}
