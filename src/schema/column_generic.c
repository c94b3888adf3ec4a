/* SPDX-License-Identifier: Apache-2.0 */
/* column_generic.c -- cells that need to know no more than where their value is. */
#include "base/str.h"
#include "object/object.h"
#include "schema/cell.h"
#include "schema/columns.h"
#include "schema/value.h"

static const char created_at[] = "/metadata/creationTimestamp";

void lw_cell_name(const lw_column *column, const lw_object *obj, int64_t now_ns, lw_json_writer *w)
{
    (void)column;
    (void)now_ns;
    lw_json_write_string(w, lw_object__field(obj, LW_OBJECT_NAME));
}

void lw_cell_age(const lw_column *column, const lw_object *obj, int64_t now_ns, lw_json_writer *w)
{
    lw_buf text;
    lw_cell_begin(&text);
    lw_cell_append_since(&text, lw_object_json(obj), column->pointer ? column->pointer : created_at,
                         now_ns);
    lw_cell_end(&text, "", w);
}

void lw_cell_created(const lw_column *column, const lw_object *obj, int64_t now_ns,
                     lw_json_writer *w)
{
    char text[LW_TIME_TEXT_SIZE];
    lw_time time;
    (void)column;
    (void)now_ns;
    /* Without a moment Go prints its zero time. */
    if (!lw_value_time(lw_object_json(obj), created_at, &time) || lw_time_format(text, time) < 0)
        lw_cell_write(w, "0001-01-01T00:00:00Z");
    else
        lw_cell_write(w, text);
}

static void write_string(const lw_column *column, const lw_object *obj, const char *fallback,
                         lw_json_writer *w)
{
    lw_buf text;
    lw_cell_begin(&text);
    (void)lw_value_append(lw_object_json(obj), column->pointer, &text);
    lw_cell_end(&text, fallback, w);
}

void lw_cell_string(const lw_column *column, const lw_object *obj, int64_t now_ns,
                    lw_json_writer *w)
{
    (void)now_ns;
    write_string(column, obj, "", w);
}

void lw_cell_string_or_none(const lw_column *column, const lw_object *obj, int64_t now_ns,
                            lw_json_writer *w)
{
    (void)now_ns;
    write_string(column, obj, "<none>", w);
}

void lw_cell_string_or_unset(const lw_column *column, const lw_object *obj, int64_t now_ns,
                             lw_json_writer *w)
{
    (void)now_ns;
    write_string(column, obj, "<unset>", w);
}

void lw_cell_string_or_unknown(const lw_column *column, const lw_object *obj, int64_t now_ns,
                               lw_json_writer *w)
{
    (void)now_ns;
    write_string(column, obj, "<unknown>", w);
}

void lw_cell_int(const lw_column *column, const lw_object *obj, int64_t now_ns, lw_json_writer *w)
{
    (void)now_ns;
    lw_json_write_int(w, lw_value_int(lw_object_json(obj), column->pointer, 0));
}

void lw_cell_bool(const lw_column *column, const lw_object *obj, int64_t now_ns, lw_json_writer *w)
{
    (void)now_ns;
    lw_json_write_bool(w, lw_value_bool(lw_object_json(obj), column->pointer, false));
}

void lw_cell_count(const lw_column *column, const lw_object *obj, int64_t now_ns, lw_json_writer *w)
{
    (void)now_ns;
    lw_json_write_int(w, (int64_t)lw_value_count(lw_object_json(obj), column->pointer));
}

void lw_cell_selector(const lw_column *column, const lw_object *obj, int64_t now_ns,
                      lw_json_writer *w)
{
    lw_buf text;
    (void)now_ns;
    lw_cell_begin(&text);
    lw_cell_append_selector(&text, lw_object_json(obj), column->pointer);
    lw_cell_end(&text, "<none>", w);
}

void lw_cell_labels(const lw_column *column, const lw_object *obj, int64_t now_ns,
                    lw_json_writer *w)
{
    lw_buf text;
    (void)now_ns;
    lw_cell_begin(&text);
    lw_cell_append_labels(&text, lw_object_json(obj), column->pointer);
    lw_cell_end(&text, "<none>", w);
}

static void write_containers(const lw_column *column, const lw_object *obj, const char *member,
                             lw_json_writer *w)
{
    lw_buf text;
    lw_cell_begin(&text);
    lw_cell_append_each(&text, lw_value_at(lw_object_json(obj), column->pointer), member, ",");
    lw_cell_end(&text, "", w);
}

void lw_cell_container_names(const lw_column *column, const lw_object *obj, int64_t now_ns,
                             lw_json_writer *w)
{
    (void)now_ns;
    write_containers(column, obj, "/name", w);
}

void lw_cell_container_images(const lw_column *column, const lw_object *obj, int64_t now_ns,
                              lw_json_writer *w)
{
    (void)now_ns;
    write_containers(column, obj, "/image", w);
}

const lw_column lw_columns_default[] = {
    LW_COLUMN_NAME,
    LW_COLUMN_CREATED,
    LW_COLUMN_END,
};
