/* SPDX-License-Identifier: Apache-2.0 */
/* object_gen.c -- random objects.  At large depths all optional fields are omitted. */
#include "support/object_gen.h"

#include "base/str.h"
#include "object/gvk.h"

enum {
    DEEP = 9,
    VERSION_MAX = 256,
};

static void write_value(object_gen *gen, const lw_type *type);

static uint64_t below(object_gen *gen, uint64_t bound)
{
    return lw_random_below(&gen->random, bound);
}

/* Decides whether an optional field is present. */
static bool is_there(object_gen *gen)
{
    return gen->depth < DEEP && below(gen, 3) == 0;
}

static void write_pick(object_gen *gen, const char *const *texts, size_t count)
{
    lw_json_write_string(&gen->w, lw_str_of(texts[below(gen, count)]));
}

#define PICK(gen, texts) write_pick(gen, texts, sizeof(texts) / sizeof((texts)[0]))

static void write_text(object_gen *gen, lw_type_form form)
{
    static const char *const plain[] = { "a", "two words", "<&>", "\xc3\xa9", "\"\\\n", "\x01" };
    static const char *const bytes[] = { "YQ==", "aGk=", "aGFs" };
    static const char *const quantities[] = { "100m", "1", "5Gi", "0", "1e3" };
    static const char *const times[] = { "2026-01-02T03:04:05Z", "1969-12-31T23:59:59Z" };
    static const char *const micro[] = { "2026-01-02T03:04:05.000001Z",
                                         "1900-01-01T00:00:00.999999Z" };
    switch (form) {
    case LW_TYPE_BYTES: PICK(gen, bytes); break;
    case LW_TYPE_QUANTITY: PICK(gen, quantities); break;
    case LW_TYPE_TIME: PICK(gen, times); break;
    case LW_TYPE_MICRO_TIME: PICK(gen, micro); break;
    default: PICK(gen, plain); break;
    }
}

/* Writes a number other than zero. */
static void write_number(object_gen *gen, lw_type_form form)
{
    int64_t value = (int64_t)(lw_random_next(&gen->random) >> below(gen, 64));
    if (form == LW_TYPE_INT32)
        value = (int32_t)value;
    lw_json_write_int(&gen->w, value ? value : -1);
}

static void write_any(object_gen *gen)
{
    static const char *const any[] = { "{}", "[1,\"\\u003c\"]", "\"x\"", "{\"f:a\":{\".\":{}}}" };
    lw_json_write_raw(&gen->w, lw_str_of(any[below(gen, sizeof(any) / sizeof(any[0]))]));
}

static void write_list(object_gen *gen, const lw_type *element)
{
    lw_json_write_array_begin(&gen->w);
    for (uint64_t count = 1 + below(gen, 3); count > 0; count--)
        write_value(gen, element);
    lw_json_write_array_end(&gen->w);
}

static void write_map(object_gen *gen, const lw_type *element)
{
    static const char *const keys[] = { "", "a", "a/b", "b", "\xc3\xa9" };
    lw_json_write_object_begin(&gen->w);
    bool is_empty = true;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (below(gen, 2) && (!is_empty || i + 1 < sizeof(keys) / sizeof(keys[0])))
            continue;
        lw_json_write_key(&gen->w, lw_str_of(keys[i]));
        write_value(gen, element);
        is_empty = false;
    }
    lw_json_write_object_end(&gen->w);
}

static bool is_nil_when_absent(const lw_field *field)
{
    lw_type_form form = field->type->form;
    return form == LW_TYPE_LIST || form == LW_TYPE_MAP || form == LW_TYPE_BYTES ||
           form == LW_TYPE_RAW || form == LW_TYPE_TIME || form == LW_TYPE_MICRO_TIME ||
           (field->flags & LW_FIELD_POINTER);
}

/* Times and raw values that are not pointers are null if they are zero. */
static bool is_null_when_absent(const lw_field *field)
{
    lw_type_form form = field->type->form;
    if (field->flags & LW_FIELD_ALWAYS)
        return true;
    return !(field->flags & (LW_FIELD_POINTER | LW_FIELD_OMIT_ZERO)) &&
           (form == LW_TYPE_RAW || form == LW_TYPE_TIME || form == LW_TYPE_MICRO_TIME);
}

static void write_members(object_gen *gen, const lw_type *type)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const lw_field *field = &type->fields[i];
        lw_type_form form = field->type->form;
        bool is_struct =
            form == LW_TYPE_STRUCT || form == LW_TYPE_QUANTITY || form == LW_TYPE_INT_OR_STRING;
        bool is_nil = is_nil_when_absent(field) && !is_there(gen);
        if (field->number == 0)
            continue;
        if (field->flags & LW_FIELD_INLINE) {
            write_members(gen, field->type);
        } else if (is_nil && is_null_when_absent(field)) {
            lw_json_write_key(&gen->w, field->name);
            lw_json_write_null(&gen->w);
        } else if (!is_nil && (is_struct || is_nil_when_absent(field) ||
                               (field->flags & LW_FIELD_ALWAYS) || is_there(gen))) {
            lw_json_write_key(&gen->w, field->name);
            write_value(gen, field->type);
        }
    }
}

static void write_either(object_gen *gen, const lw_type *type)
{
    const lw_field *field = &type->fields[below(gen, type->field_count)];
    if (field->type->form == LW_TYPE_STRUCT && gen->depth > DEEP)
        lw_json_write_raw(&gen->w, LW_STR("{}"));
    else
        write_value(gen, field->type);
}

static void write_value(object_gen *gen, const lw_type *type)
{
    gen->depth++;
    switch (type->form) {
    case LW_TYPE_BOOL: lw_json_write_bool(&gen->w, true); break;
    case LW_TYPE_INT32:
    case LW_TYPE_INT64: write_number(gen, type->form); break;
    case LW_TYPE_DOUBLE: lw_json_write_number(&gen->w, LW_STR("-0.125")); break;
    case LW_TYPE_INT_OR_STRING:
        if (below(gen, 2))
            write_number(gen, LW_TYPE_INT32);
        else
            write_text(gen, LW_TYPE_STRING);
        break;
    case LW_TYPE_RAW:
    case LW_TYPE_FIELDS_V1: write_any(gen); break;
    case LW_TYPE_LIST: write_list(gen, type->element); break;
    case LW_TYPE_MAP: write_map(gen, type->element); break;
    case LW_TYPE_EITHER: write_either(gen, type); break;
    case LW_TYPE_STRUCT:
        lw_json_write_object_begin(&gen->w);
        write_members(gen, type);
        lw_json_write_object_end(&gen->w);
        break;
    default: write_text(gen, type->form); break;
    }
    gen->depth--;
}

void object_gen_write(uint64_t seed, const lw_type *type, lw_gvk gvk, lw_buf *out)
{
    object_gen gen = { .depth = 0 };
    char room[VERSION_MAX];
    lw_buf api_version = { .data = room, .cap = sizeof(room), .limit = sizeof(room) };
    lw_api_version_append(&api_version, gvk.group, gvk.version);
    lw_random_init(&gen.random, seed);
    lw_json_writer_init(&gen.w, out, LW_JSON_COMPACT);
    lw_json_write_object_begin(&gen.w);
    lw_json_write_member_string(&gen.w, "kind", gvk.kind);
    lw_json_write_member_string(&gen.w, "apiVersion", lw_buf_view(&api_version));
    write_members(&gen, type);
    lw_json_write_object_end(&gen.w);
}
