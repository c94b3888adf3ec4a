/* SPDX-License-Identifier: Apache-2.0 */
/* formats.c -- named formats of strings: format.dns1123Label().validate(text). */
#include <string.h>

#include "base/str.h"
#include "base/text/base64.h"
#include "base/text/text_format.h"
#include "cel/functions.h"
#include "object/names.h"

struct lw_cel_format {
    const char *name;   /* name in expressions */
    size_t regex_size;  /* the length of the pattern that Kubernetes counts */
    bool is_prefix;     /* a '-' at the end is allowed */
    const char *detail; /* the error message */
    bool (*is)(lw_str text);
    bool (*is_name)(lw_str text, lw_name_problems *problems);
};

/* Groups of four characters, the last one padded; at least one group. */
static bool is_base64(lw_str text)
{
    size_t bad;
    return text.len > 0 && !memchr(text.ptr, '\n', text.len) && !memchr(text.ptr, '\r', text.len) &&
           lw_base64_is_lenient(text, &bad);
}

static const lw_cel_format formats[] = {
    { "dns1123Label", 30, false, NULL, NULL, lw_name_is_dns1123_label },
    { "dns1123Subdomain", 60, false, NULL, NULL, lw_name_is_dns1123_subdomain },
    { "dns1035Label", 30, false, NULL, NULL, lw_name_is_dns1035_label },
    { "qualifiedName", 60, false, NULL, NULL, lw_name_is_qualified },
    { "dns1123LabelPrefix", 30, true, NULL, NULL, lw_name_is_dns1123_label },
    { "dns1123SubdomainPrefix", 60, true, NULL, NULL, lw_name_is_dns1123_subdomain },
    { "dns1035LabelPrefix", 30, true, NULL, NULL, lw_name_is_dns1035_label },
    { "labelValue", 40, false, NULL, NULL, lw_name_is_label_value },
    { "uri", 1103, false, "invalid URI for request", lw_cel_is_url, NULL },
    { "uuid", 70, false, "does not match the UUID format", lw_text_is_uuid, NULL },
    { "byte", 84, false, "invalid base64", is_base64, NULL },
    { "date", 71, false, "invalid date", lw_text_is_date, NULL },
    { "datetime", 71, false, "invalid datetime", lw_text_is_date_time, NULL },
};

static const lw_cel_format *find(lw_str name)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (lw_str_equal(name, lw_str_of(formats[i].name)))
            return &formats[i];
    }
    return NULL;
}

size_t lw_cel_format_regex_size(const lw_cel_format *format)
{
    return format->regex_size;
}

lw_cel_value lw_cel_fn_format_named(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    const lw_cel_format *format = find(args[0].text);
    (void)count;
    if (!format)
        return lw_cel_none();
    return lw_cel_some(run, (lw_cel_value){ .kind = LW_CEL_FORMAT, .format = format });
}

lw_cel_value lw_cel_fn_format_of(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)args, (void)count;
    const lw_cel_format *format = find(lw_str_skip(run->function, strlen("format.")));
    return (lw_cel_value){ .kind = LW_CEL_FORMAT, .format = format };
}

/* A prefix may end in '-', which is replaced for the check. */
static lw_str without_dash(lw_cel_run *run, lw_str text)
{
    if (text.len < 2 || text.ptr[text.len - 1] != '-')
        return text;
    lw_str copy = lw_arena_copy(&run->arena, lw_str_make(text.ptr, text.len - 1));
    if (copy.len > 0)
        ((char *)(uintptr_t)copy.ptr)[copy.len - 1] = 'a';
    return copy;
}

lw_cel_value lw_cel_fn_format_validate(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    const lw_cel_format *format = args[0].format;
    lw_name_problems problems = { .count = 0 };
    lw_str text = args[1].text;
    (void)count;
    if (!lw_cel_charge_work(run, text.len))
        return lw_cel_over(run);
    if (format->is_name)
        (void)format->is_name(format->is_prefix ? without_dash(run, text) : text, &problems);
    else if (!format->is(text))
        problems = (lw_name_problems){ 1, { format->detail } };
    if (lw_cel_is_over(run))
        return lw_cel_over(run);
    if (problems.count == 0)
        return lw_cel_none();
    lw_cel_value *items = lw_arena_take_zero(&run->arena, problems.count, sizeof(*items));
    if (!items)
        return lw_cel_over(run);
    for (size_t i = 0; i < problems.count; i++)
        items[i] = lw_cel_of_text(lw_str_of(problems.text[i]));
    return lw_cel_some(run, lw_cel_of_list(items, problems.count));
}
