/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_shared.c -- a program on the shared libraries with an allocator of its own, whose blocks no
 * other can free: what liblistwatch-etcd makes and liblistwatch frees must be of one of them.
 *
 *     etcd_shared ENDPOINTS PREFIX     prints how many objects there are, and blocks at the end */
#include <listwatch.h>
#include <listwatch/etcd.h>
#include <listwatch/sys/alloc.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    OFFSET = 16, /* of a block in one of malloc's */
};

static atomic_long live;

static void *allocate(size_t size, void *arg)
{
    (void)arg;
    char *block = malloc(size + OFFSET);
    atomic_fetch_add(&live, block != NULL);
    return block ? block + OFFSET : NULL;
}

static void *resize(void *ptr, size_t size, void *arg)
{
    if (!ptr)
        return allocate(size, arg);
    char *block = realloc((char *)ptr - OFFSET, size + OFFSET);
    return block ? block + OFFSET : NULL;
}

static void release(void *ptr, void *arg)
{
    (void)arg;
    if (!ptr)
        return;
    atomic_fetch_sub(&live, 1);
    free((char *)ptr - OFFSET);
}

static int show(const char *endpoints, const char *prefix, lw_error *err)
{
    const lw_etcd_provider_options options = { .endpoints = endpoints };
    lw_provider *etcd = NULL;
    lw_factory *factory = NULL;
    lw_informer *informer = NULL;
    lw_status st = lw_etcd_provider_new(&etcd, &options, err);
    if (st == LW_OK)
        st = lw_factory_new(&factory,
                            &(lw_factory_options){ .size = sizeof(lw_factory_options),
                                                   .provider = etcd },
                            err);
    if (st == LW_OK)
        st = lw_factory_informer_with(factory, prefix,
                                      &(lw_informer_options){ .size = sizeof(lw_informer_options),
                                                              .label_selector = "!hidden" },
                                      &informer, err);
    if (st == LW_OK)
        st = lw_factory_start(factory, err);
    if (st == LW_OK)
        st = lw_factory_wait_for_sync(factory, 60, err);
    if (st == LW_OK)
        printf("%zu objects\n", lw_lister_count(lw_informer_lister(informer)));
    lw_factory_free(factory);
    return st == LW_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    const lw_allocator allocator = { allocate, resize, release, NULL };
    lw_error err = LW_ERROR_INIT;
    if (argc != 3)
        return 2;
    lw_set_allocator(&allocator);
    int code = show(argv[1], argv[2], &err);
    if (code != 0)
        fprintf(stderr, "etcd_shared: %s\n", err.message);
    printf("%ld blocks\n", atomic_load(&live));
    return code;
}
