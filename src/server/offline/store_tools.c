/* SPDX-License-Identifier: Apache-2.0 */
/* store_tools.c -- check, repair, back up, restore and compact the store of a data directory. */
#include <listwatch/server_store.h>

#include <sys/stat.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/files.h"
#include "server/offline/store_folder.h"
#include "state/state_dir.h"
#include "store/lmdb/check_folder.h"
#include "store/lmdb/folder.h"
#include "store/lmdb/lmdb.h"
#include "store/lmdb/new.h"
#include "store/lmdb/restore.h"

enum {
    LINE_MAX_BYTES = 2048,
};

static void tell_damage(const lw_lmdb_damage *damage, void *arg)
{
    const lw_server_store_report *report = arg;
    lw_buf line;
    lw_buf_init(&line, LINE_MAX_BYTES);
    lw_lmdb_damage_print(damage, &line);
    char *text = lw_buf_take_text(&line);
    lw_buf_done(&line);
    if (report->on_line)
        report->on_line(text ? text : damage->what, report->arg);
    lw_free(text);
}

static bool tell_progress(uint64_t records, void *arg)
{
    const lw_server_store_report *report = arg;
    return !report->on_progress || report->on_progress(records, report->arg);
}

static void fill_facts(lw_server_store_facts *facts, const lw_store_marks *marks)
{
    facts->revision = marks->current;
    facts->compacted = marks->compacted;
    facts->objects = marks->keys;
}

/* The callbacks take a void pointer. */
static lw_server_store_report report_or_none(const lw_server_store_report *report)
{
    return report ? *report : (lw_server_store_report){ .on_line = NULL };
}

static uint64_t file_size(const char *folder)
{
    struct stat status;
    char *path = lw_file_path(folder, "data.mdb");
    uint64_t size = path && stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
    lw_free(path);
    return size;
}

lw_status lw_server_store_check(const char *data_dir, const lw_server_store_report *report,
                                lw_server_store_facts *facts, lw_error *err)
{
    lw_server_store_report told = report_or_none(report);
    lw_lmdb_findings findings = { .on_damage = tell_damage, .arg = &told };
    char *folder = NULL;
    lw_status st = lw_server_store_folder(data_dir, &folder, err);
    if (st < 0)
        return st;
    st = lw_lmdb_check_folder(folder, &findings, err);
    *facts = (lw_server_store_facts){ .records = findings.records,
                                      .bytes = file_size(folder),
                                      .damages = findings.damages };
    fill_facts(facts, &findings.state.marks);
    facts->objects = findings.keys;
    lw_free(folder);
    return st;
}

/* Locks the folder for the work that writes; there must be a store in it. */
static lw_status own(const char *data_dir, char **folder, lw_lmdb_owner *owner, lw_error *err)
{
    lw_status st = lw_server_store_folder(data_dir, folder, err);
    return st < 0 ? st : lw_lmdb_folder_own(*folder, owner, err);
}

lw_status lw_server_store_repair(const char *data_dir, const lw_server_store_report *report,
                                 lw_server_store_facts *facts, lw_error *err)
{
    lw_server_store_report told = report_or_none(report);
    lw_lmdb_owner owner = LW_LMDB_OWNER_INIT;
    lw_store_marks marks;
    char *folder = NULL;
    lw_status st = own(data_dir, &folder, &owner, err);
    if (st == LW_OK)
        st = lw_lmdb_repair(folder, tell_damage, &told, &marks, err);
    if (st == LW_OK) {
        *facts = (lw_server_store_facts){ .records = marks.keys, .bytes = file_size(folder) };
        fill_facts(facts, &marks);
    }
    lw_lmdb_folder_release(&owner);
    lw_free(folder);
    return st;
}

static void fill_backup_facts(lw_server_store_facts *facts, const lw_lmdb_backup_facts *found)
{
    *facts = (lw_server_store_facts){ .records = found->records, .bytes = found->bytes };
    fill_facts(facts, &found->marks);
}

lw_status lw_server_store_backup(const char *data_dir, int fd, const lw_server_store_report *report,
                                 lw_server_store_facts *facts, lw_error *err)
{
    lw_server_store_report told = report_or_none(report);
    const lw_lmdb_progress progress = { tell_progress, &told };
    lw_lmdb_backup_facts found;
    char *folder = NULL;
    lw_status st = lw_server_store_folder(data_dir, &folder, err);
    if (st < 0)
        return st;
    st = lw_lmdb_backup_folder(folder, fd, progress, &found, err);
    if (st == LW_OK)
        fill_backup_facts(facts, &found);
    lw_free(folder);
    return st;
}

lw_status lw_server_store_check_backup(int fd, lw_server_store_facts *facts, lw_error *err)
{
    lw_lmdb_backup_facts found;
    lw_status st = lw_lmdb_backup_check(fd, &found, err);
    if (st == LW_OK)
        fill_backup_facts(facts, &found);
    return st;
}

/* Removes the saved copies of resources: they are of another store. */
static void forget_copies(const char *data_dir)
{
    char *copies = lw_file_path(data_dir, LW_SERVER_COPIES_FOLDER);
    if (copies)
        lw_state_dir_remove(copies);
    lw_free(copies);
}

lw_status lw_server_store_restore(const char *data_dir, int fd, lw_server_store_facts *facts,
                                  lw_error *err)
{
    lw_lmdb_backup_facts found;
    lw_status st = lw_folder_make(data_dir, err);
    if (st < 0)
        return st;
    char *folder = lw_file_path(data_dir, LW_SERVER_STORE_FOLDER);
    if (!folder)
        return lw_error_nomem(err);
    st = lw_lmdb_restore(folder, fd, &found, err);
    if (st == LW_OK)
        fill_backup_facts(facts, &found);
    if (st == LW_OK)
        forget_copies(data_dir);
    lw_free(folder);
    return st;
}

/* Removes what was compacted and not yet swept, so that it is not copied. */
static lw_status sweep(const char *data_dir, lw_error *err)
{
    lw_store *store = NULL;
    char *folder = NULL;
    lw_status st = lw_server_store_folder(data_dir, &folder, err);
    const lw_lmdb_store_options options = { .folder = folder, .finishes_sweep = true };
    if (st == LW_OK)
        st = lw_lmdb_store_open(&store, &options, err);
    lw_store_free(store);
    lw_free(folder);
    return st;
}

lw_status lw_server_store_compact(const char *data_dir, lw_server_store_facts *facts, lw_error *err)
{
    lw_lmdb_owner owner = LW_LMDB_OWNER_INIT;
    lw_lmdb_findings findings = { .on_damage = NULL };
    char *folder = NULL, *file = NULL;
    lw_status st = sweep(data_dir, err);
    if (st == LW_OK)
        st = own(data_dir, &folder, &owner, err);
    if (st == LW_OK && !(file = lw_file_path(folder, "data.mdb")))
        st = lw_error_nomem(err);
    if (st == LW_OK)
        st = lw_lmdb_verify(file, 0, &findings, err);
    if (st == LW_OK)
        st = lw_lmdb_rewrite(folder, err);
    if (st == LW_OK) {
        *facts = (lw_server_store_facts){ .records = findings.records, .bytes = file_size(folder) };
        fill_facts(facts, &findings.state.marks);
        facts->objects = findings.keys;
    }
    lw_lmdb_folder_release(&owner);
    lw_free(file);
    lw_free(folder);
    return st;
}
