/* SPDX-License-Identifier: Apache-2.0 */
/* trust_bundle.c -- reads the blocks of a bundle and finds duplicates by their digests. */
#include "crypto/trust_bundle.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/alloc.h"
#include "base/buf.h"

enum {
    DIGEST_SIZE = 32,
    ANCHORS_FIRST = 16,
    TEXT_MAX = 64 * 1024, /* bytes of one problem */
};

typedef struct anchor {
    unsigned char digest[DIGEST_SIZE];
    size_t index;
} anchor;

typedef struct bundle {
    void (*problem)(const char *text, void *arg);
    void *arg;
    anchor *anchors;
    size_t count, room, blocks;
    bool is_malformed;
    lw_status st;
} bundle;

static void report(bundle *b, const char *what, const char *name)
{
    char text[256];
    (void)snprintf(text, sizeof(text), "entry %zu %s%.100s", b->blocks, what, name);
    b->is_malformed = true;
    b->problem(text, b->arg);
}

static void add_anchor(bundle *b, const unsigned char digest[DIGEST_SIZE])
{
    if (b->count == b->room) {
        size_t room = 2 * b->room + ANCHORS_FIRST;
        anchor *anchors = lw_realloc_array(b->anchors, room, sizeof(*anchors));
        if (!anchors) {
            b->st = LW_ERR_NOMEM;
            return;
        }
        b->anchors = anchors;
        b->room = room;
    }
    memcpy(b->anchors[b->count].digest, digest, DIGEST_SIZE);
    b->anchors[b->count++].index = b->blocks;
}

static void check_block(bundle *b, const char *name, const char *header, const unsigned char *der,
                        long len)
{
    const unsigned char *at = der;
    unsigned char digest[DIGEST_SIZE];
    unsigned size = 0;
    if (strcmp(name, PEM_STRING_X509) != 0) {
        report(b, "has bad block type: ", name);
        return;
    }
    if (header[0] != '\0') {
        report(b, "has PEM block headers", "");
        return;
    }
    X509 *cert = d2i_X509(NULL, &at, len);
    if (!cert || at != der + len)
        report(b, "does not parse as X.509", "");
    else if (X509_check_ca(cert) != 1)
        report(b, "does not have the CA bit set", "");
    else if (X509_digest(cert, EVP_sha256(), digest, &size) != 1)
        b->st = LW_ERR_NOMEM;
    else
        add_anchor(b, digest);
    X509_free(cert);
}

static int compare_anchors(const void *a, const void *b)
{
    const anchor *one = a, *other = b;
    int order = memcmp(one->digest, other->digest, DIGEST_SIZE);
    return order != 0 ? order : (one->index > other->index) - (one->index < other->index);
}

static void report_duplicates(bundle *b)
{
    lw_buf text;
    if (b->count > 1)
        qsort(b->anchors, b->count, sizeof(*b->anchors), compare_anchors);
    lw_buf_init(&text, TEXT_MAX);
    for (size_t i = 0, next; i < b->count; i = next) {
        for (next = i + 1; next < b->count &&
                           memcmp(b->anchors[i].digest, b->anchors[next].digest, DIGEST_SIZE) == 0;)
            next++;
        if (next == i + 1)
            continue;
        lw_buf_reset(&text);
        lw_buf_append_text(&text, "duplicate trust anchor (indices [");
        for (size_t k = i; k < next; k++)
            lw_buf_printf(&text, k > i ? " %zu" : "%zu", b->anchors[k].index);
        lw_buf_append(&text, "])", sizeof("])"));
        if (text.st == LW_OK)
            b->problem(text.data, b->arg);
        else if (text.st == LW_ERR_NOMEM)
            b->st = text.st;
    }
    lw_buf_done(&text);
}

lw_status lw_trust_bundle_check(lw_str pem, void (*problem)(const char *text, void *), void *arg)
{
    bundle b = { .problem = problem, .arg = arg };
    char *name, *header;
    unsigned char *der;
    long len;
    if (pem.len > LW_TRUST_BUNDLE_MAX)
        return LW_ERR_LIMIT;
    ERR_clear_error();
    BIO *bio = BIO_new_mem_buf(pem.ptr ? pem.ptr : "", (int)pem.len);
    if (!bio)
        return LW_ERR_NOMEM;
    while (b.st == LW_OK && PEM_read_bio(bio, &name, &header, &der, &len) == 1) {
        check_block(&b, name, header, der, len);
        b.blocks++;
        OPENSSL_free(name);
        OPENSSL_free(header);
        OPENSSL_free(der);
    }
    BIO_free(bio);
    ERR_clear_error();
    if (b.st == LW_OK && !b.is_malformed && b.count == 0)
        problem("at least one trust anchor must be provided", arg);
    if (b.st == LW_OK && !b.is_malformed)
        report_duplicates(&b);
    lw_free(b.anchors);
    return b.st;
}
