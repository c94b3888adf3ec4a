/* SPDX-License-Identifier: Apache-2.0 */
/* scan_syntax_test.c -- what is JSON and what is not, to the byte. */
#include "support/sanitized.h"
#include "unit/json/scan_documents.h"
#include "unit/json/scanned.h"

enum {
    PADS = 70,                   /* blanks before a part: more than a block has bytes */
    STEP = IS_SANITIZED ? 7 : 1, /* of these, every so many are tried */
    TEXT_MAX = 512,
};

/* A document with |before| and |after| around it; ` is " in all three. */
typedef struct wrapped {
    char bytes[TEXT_MAX];
    size_t len;
} wrapped;

static void wrap(wrapped *w, const char *before, const scan_document *document, const char *after)
{
    w->len = strlen(before) + document->len + strlen(after);
    assert_true(w->len < TEXT_MAX);
    memcpy(w->bytes, before, strlen(before));
    memcpy(w->bytes + strlen(before), document->bytes, document->len);
    memcpy(w->bytes + strlen(before) + document->len, after, strlen(after));
    for (size_t i = 0; i < w->len; i++) {
        if (w->bytes[i] == '`')
            w->bytes[i] = '"';
    }
}

static void check_malformed(const scan_document *document, const lw_scan_options *options,
                            const char *before, const char *after)
{
    wrapped w;
    scanned r;
    wrap(&w, before, document, after);
    scan_bytes(&r, options, lw_str_make(w.bytes, w.len));
    if (strcmp(document->fault, IN_STRING) == 0 && after[0] != '\0')
        assert_int_equal(r.st, LW_ERR_SYNTAX); /* the string continues after the document */
    else
        assert_refused(&r, LW_ERR_SYNTAX, strlen(before) + document->at);
    if (after[0] == '\0' && !strstr(r.err.message, document->fault))
        fail_msg("%.*s: \"%s\" does not say \"%s\"", (int)w.len, w.bytes, r.err.message,
                 document->fault);
    scanned_done(&r);
}

static void malformed_documents_are_refused_at_the_byte(void **state)
{
    (void)state;
    const lw_scan_options options = { .shape = LW_SCAN_VALUE };
    assert_true(MALFORMED >= 80);
    for (size_t i = 0; i < MALFORMED; i++)
        check_malformed(&malformed[i], &options, "", "");
}

/* Blocks are checked whole where that can be: each fault at each place of a block. */
static void malformed_parts_are_refused_at_the_byte_wherever_they_stand(void **state)
{
    (void)state;
    const lw_scan_options options = { .shape = LW_SCAN_VALUE };
    for (size_t i = 0; i < MALFORMED; i++) {
        for (int pad = 0; malformed[i].is_local && pad < PADS; pad += STEP) {
            char before[128];
            snprintf(before, sizeof(before), "[`%0*d`,[1,", pad, 0);
            check_malformed(&malformed[i], &options, before,
                            ",`01234567890123456789012345678901234567890123456789012345678901`]]");
        }
    }
}

static void malformed_objects_of_a_list_are_refused_at_the_byte(void **state)
{
    (void)state;
    const lw_scan_options options = { .shape = LW_SCAN_LIST };
    static const char *const befores[] = {
        "{`items`:[{`metadata`:{`name`:`a`},`spec`:[",
        "{`items`:[{`metadata`:{`annotations`:[",
        "{`items`:[{`metadata`:{`managedFields`:[",
        "{`other`:[",
        "{`metadata`:{`other`:[",
    };
    for (size_t k = 0; k < sizeof(befores) / sizeof(befores[0]); k++) {
        for (size_t i = 0; i < MALFORMED; i++) {
            if (malformed[i].is_local)
                check_malformed(&malformed[i], &options, befores[k], "]}}]}");
        }
    }
}

/* Containers that paths lead through are taken token by token. */
static void malformed_tracked_containers_are_refused_at_the_byte(void **state)
{
    (void)state;
    static const char *const paths[] = { "/spec/*/*/zz", "/spec/*/*/*/zz", NULL };
    const lw_scan_options setups[] = { { .shape = LW_SCAN_LIST, .drop = paths },
                                       { .shape = LW_SCAN_LIST, .keep = paths } };
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < MALFORMED; i++) {
            if (!malformed[i].is_local)
                continue;
            check_malformed(&malformed[i], &setups[k], "{`items`:[{`spec`:", "}]}");
            check_malformed(&malformed[i], &setups[k], "{`items`:[{`spec`:{},`x`:{`y`:", "}}]}");
            if (malformed[i].bytes[0] == '{')
                check_malformed(&malformed[i], &setups[k], "{`items`:[{`metadata`:", "}]}");
        }
    }
}

static void nothing_but_a_comma_or_a_bracket_follows_a_tracked_container(void **state)
{
    (void)state;
    static const scan_document documents[] = {
        ROOT("{}:", 2, TOKEN),
        ROOT("{}:1", 2, TOKEN),
        ROOT("{}:`a`,", 2, TOKEN),
        ROOT("{`metadata`:{}:1}", 14, TOKEN),
        ROOT("{`metadata`:{}:`a`,`b`:1}", 14, TOKEN),
        ROOT("{`metadata`:{}`a`:1}", 14, TOKEN),
        ROOT("{`metadata`:{`name`:`a`}:1}", 24, TOKEN),
        ROOT("{`metadata`:{`labels`:{}:{}}}", 24, TOKEN),
        ROOT("{`metadata`:{`labels`:{}}:{}}", 25, TOKEN),
        ROOT("{`metadata`:{}}}", 15, TOKEN),
        ROOT("{`metadata`:{}]", 14, TOKEN),
    };
    for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
        for (int shape = LW_SCAN_VALUE; shape <= LW_SCAN_EVENT; shape++) {
            const lw_scan_options options = { .shape = (lw_scan_shape)shape };
            check_malformed(&documents[i], &options, "", "");
        }
    }
}

static void check_valid(const scan_document *document, const char *before, const char *after)
{
    wrapped w;
    scanned r;
    wrap(&w, before, document, after);
    scan_bytes(&r, &(lw_scan_options){ .shape = LW_SCAN_VALUE }, lw_str_make(w.bytes, w.len));
    assert_scanned(&r, 0);
    scanned_done(&r);
    assert_int_equal(lw_json_validate(lw_str_make(w.bytes, w.len), 0, NULL), LW_OK);
}

static void odd_documents_are_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < ODDITIES; i++)
        check_valid(&oddities[i], "", "");
}

static void odd_parts_are_accepted_wherever_they_stand(void **state)
{
    (void)state;
    for (size_t i = 0; i < ODDITIES; i++) {
        for (int pad = 0; pad < PADS; pad += STEP) {
            char before[128];
            snprintf(before, sizeof(before), "[`%0*d`,{`a`:", pad, 0);
            check_valid(&oddities[i], before, "},``,[]]");
        }
    }
}

static void blanks_may_stand_around_every_token(void **state)
{
    (void)state;
    static const char *const tokens[] = { "{", "`a`", ":", "[",  "1", ",",      "`b`", ",", "{",
                                          "}", ",",   "[", "]",  ",", "{",      "`c`", ":", "null",
                                          "}", "]",   ",", "``", ":", "-1.5e3", "}" };
    static const char *const blanks[] = { "", " ", "\t", "\n", "\r", " \t\r\n" };
    for (size_t k = 0; k < sizeof(blanks) / sizeof(blanks[0]); k++) {
        lw_buf text;
        scanned r;
        lw_buf_init(&text, TEXT_MAX);
        lw_buf_append_text(&text, blanks[k]);
        for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
            lw_buf_append_text(&text, tokens[i]);
            lw_buf_append_text(&text, blanks[k]);
        }
        for (size_t i = 0; i < text.len; i++) {
            if (text.data[i] == '`')
                text.data[i] = '"';
        }
        scan_bytes(&r, &(lw_scan_options){ .shape = LW_SCAN_VALUE }, lw_buf_view(&text));
        assert_scanned(&r, 0);
        scanned_done(&r);
        lw_buf_done(&text);
    }
}

/* Each byte at each place of the grammar that one byte decides. */
static void every_byte_is_judged_in_every_state(void **state)
{
    (void)state;
    static const struct {
        const char *before;
        const char *after;
        const char *allowed; /* bytes that make it valid */
    } places[] = {
        { "[1", "1]", "0123456789,.eE" },
        { "[", "1]", "123456789- \t\r\n" },
        { "[1", "]", "0123456789 \t\r\n" },
        { "{`a`", "1}", ":" },
        { "{`a`:1", "}", "0123456789 \t\r\n" },
        { "[tru", "]", "e" },
        { "[`\\", "`]", "\"\\/bfnrt" },
        { "[`\\u12", "4`]", "0123456789abcdefABCDEF" },
        { "[`a`", "]", " \t\r\n" },
        { "[]", "", " \t\r\n" },
    };
    for (size_t k = 0; k < sizeof(places) / sizeof(places[0]); k++) {
        for (int byte = 0; byte < 256; byte++) {
            const char one[] = { (char)byte };
            wrapped w;
            wrap(&w, places[k].before, &(scan_document){ .bytes = one, .len = 1 }, places[k].after);
            w.bytes[strlen(places[k].before)] = (char)byte;
            bool is_allowed = byte != 0 && strchr(places[k].allowed, byte);
            lw_status st = lw_json_validate(lw_str_make(w.bytes, w.len), 0, NULL);
            if ((st == LW_OK) != is_allowed)
                fail_msg("%s<%02x>%s gives %s", places[k].before, byte, places[k].after,
                         lw_status_name(st));
        }
    }
}

/* All sequences of two bytes, and of three and four at the edges, against the table of RFC 3629. */
static void utf8_is_what_the_rfc_says(void **state)
{
    (void)state;
    for (unsigned a = 0x80; a < 0x100; a++) {
        for (unsigned b = 0; b < 0x100; b++) {
            for (unsigned more = 0; more < 3; more++) {
                char text[8] = { '"', (char)a, (char)b };
                size_t len = 3;
                for (unsigned i = 0; i < more; i++)
                    text[len++] = (char)0x80;
                text[len] = '"';
                lw_str inside = lw_str_make(text + 1, len - 1);
                bool is_valid = lw_utf8_is_valid(inside) && b >= 0x20 && b != '"' && b != '\\';
                lw_status st = lw_json_validate(lw_str_make(text, len + 1), 0, NULL);
                if ((st == LW_OK) != is_valid)
                    fail_msg("%02x %02x and %u times 80: %s", a, b, more, lw_status_name(st));
            }
        }
    }
}

static void huge_numbers_are_numbers(void **state)
{
    (void)state;
    enum {
        DIGITS = 100000
    };
    char *text = malloc(DIGITS + 16);
    assert_non_null(text);
    memset(text, '9', DIGITS);
    assert_int_equal(lw_json_validate(lw_str_make(text, 401), 0, NULL), LW_OK);
    assert_int_equal(lw_json_validate(lw_str_make(text, DIGITS), 0, NULL), LW_OK);
    memcpy(text + DIGITS, ".5e-7", 5);
    assert_int_equal(lw_json_validate(lw_str_make(text, DIGITS + 5), 0, NULL), LW_OK);
    lw_error err = LW_ERROR_INIT;
    memcpy(text + DIGITS, ".5e-x", 5);
    assert_int_equal(lw_json_validate(lw_str_make(text, DIGITS + 5), 0, &err), LW_ERR_SYNTAX);
    assert_int_equal(err.offset, DIGITS + 4);
    free(text);
}

/* The scanner takes 64 bytes at a time: here a number begins with such a block and fills it, and
 * more.  What is undefined when a block has nothing but one word shows under UBSan. */
static void a_number_may_fill_a_block(void **state)
{
    (void)state;
    enum {
        BLOCK = 64,
        LONGEST = 4 * BLOCK
    };
    char text[BLOCK + LONGEST + 2];
    memset(text, 'x', BLOCK);
    memcpy(text, "[\"", 2);
    memcpy(text + BLOCK - 2, "\",", 2);
    for (size_t digits = BLOCK; digits <= LONGEST; digits++) {
        memset(text + BLOCK, '1', digits);
        text[BLOCK + digits] = ']';
        assert_int_equal(lw_json_validate(lw_str_make(text, BLOCK + digits + 1), 0, NULL), LW_OK);
        lw_error err = LW_ERROR_INIT;
        text[BLOCK + digits - 1] = '-';
        assert_int_equal(lw_json_validate(lw_str_make(text, BLOCK + digits + 1), 0, &err),
                         LW_ERR_SYNTAX);
        assert_int_equal(err.offset, BLOCK + digits - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(malformed_documents_are_refused_at_the_byte),
        TEST(malformed_parts_are_refused_at_the_byte_wherever_they_stand),
        TEST(malformed_objects_of_a_list_are_refused_at_the_byte),
        TEST(malformed_tracked_containers_are_refused_at_the_byte),
        TEST(nothing_but_a_comma_or_a_bracket_follows_a_tracked_container),
        TEST(odd_documents_are_accepted),
        TEST(odd_parts_are_accepted_wherever_they_stand),
        TEST(blanks_may_stand_around_every_token),
        TEST(every_byte_is_judged_in_every_state),
        TEST(utf8_is_what_the_rfc_says),
        TEST(huge_numbers_are_numbers),
        TEST(a_number_may_fill_a_block),
    };
    return cmocka_run_group_tests_name("scan_syntax", tests, NULL, NULL);
}
