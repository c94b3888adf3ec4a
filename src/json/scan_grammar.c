/* SPDX-License-Identifier: Apache-2.0 */
/* scan_grammar.c -- the structure of JSON (RFC 8259 sections 2 to 5) as a table. */
#include "json/scan_grammar.h"

const uint8_t lw_grammar_token[256] = {
    ['"'] = LW_TOKEN_STRING,       [':'] = LW_TOKEN_COLON,      [','] = LW_TOKEN_COMMA,
    ['{'] = LW_TOKEN_OBJECT_BEGIN, ['}'] = LW_TOKEN_OBJECT_END, ['['] = LW_TOKEN_ARRAY_BEGIN,
    [']'] = LW_TOKEN_ARRAY_END,
};

/* The four tokens with which a value begins. */
#define VALUE(after)                                                                               \
    [LW_TOKEN_WORD] = LW_STEP_WORD | (after), [LW_TOKEN_STRING] = (after),                         \
    [LW_TOKEN_OBJECT_BEGIN] = LW_STEP_OPEN | LW_EXPECT_FIRST_KEY,                                  \
    [LW_TOKEN_ARRAY_BEGIN] = LW_STEP_OPEN | LW_EXPECT_FIRST_ELEMENT

const uint8_t lw_grammar_step[LW_EXPECT_COUNT][LW_TOKEN_COUNT] = {
    [LW_EXPECT_ROOT] = { VALUE(LW_EXPECT_NOTHING) },
    [LW_EXPECT_FIRST_KEY] = { [LW_TOKEN_STRING] = LW_EXPECT_COLON,
                              [LW_TOKEN_OBJECT_END] = LW_STEP_CLOSE },
    [LW_EXPECT_KEY] = { [LW_TOKEN_STRING] = LW_EXPECT_COLON },
    [LW_EXPECT_COLON] = { [LW_TOKEN_COLON] = LW_EXPECT_MEMBER },
    [LW_EXPECT_MEMBER] = { VALUE(LW_EXPECT_MEMBER_END) },
    [LW_EXPECT_MEMBER_END] = { [LW_TOKEN_COMMA] = LW_EXPECT_KEY,
                               [LW_TOKEN_OBJECT_END] = LW_STEP_CLOSE },
    [LW_EXPECT_FIRST_ELEMENT] = { VALUE(LW_EXPECT_ELEMENT_END), [LW_TOKEN_ARRAY_END] =
                                                                    LW_STEP_CLOSE },
    [LW_EXPECT_ELEMENT] = { VALUE(LW_EXPECT_ELEMENT_END) },
    [LW_EXPECT_ELEMENT_END] = { [LW_TOKEN_COMMA] = LW_EXPECT_ELEMENT,
                                [LW_TOKEN_ARRAY_END] = LW_STEP_CLOSE },
};

const char *lw_grammar_expected(lw_expect expect)
{
    static const char *const words[LW_EXPECT_COUNT] = {
        [LW_EXPECT_ROOT] = "a value",
        [LW_EXPECT_NOTHING] = "nothing more",
        [LW_EXPECT_FIRST_KEY] = "a key or '}'",
        [LW_EXPECT_KEY] = "a key",
        [LW_EXPECT_COLON] = "':'",
        [LW_EXPECT_MEMBER] = "a value",
        [LW_EXPECT_MEMBER_END] = "',' or '}'",
        [LW_EXPECT_FIRST_ELEMENT] = "a value or ']'",
        [LW_EXPECT_ELEMENT] = "a value",
        [LW_EXPECT_ELEMENT_END] = "',' or ']'",
    };
    return words[expect];
}
