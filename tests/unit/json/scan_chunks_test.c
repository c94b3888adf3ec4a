/* SPDX-License-Identifier: Apache-2.0 */
/* scan_chunks_test.c -- the results of the scanner do not depend on the sizes of the chunks, nor on
 * the instruction set: everything it reports, including errors, is compared as a transcript. */
#include "bench/pod_gen.h"
#include "support/json_gen.h"
#include "support/sanitized.h"
#include "unit/json/scan_documents.h"
#include "unit/json/scanned.h"

enum {
    EVERY_CHUNK_UP_TO = IS_SANITIZED ? 256 : 2048, /* inputs up to this are cut at every size */
};

static const char *const drop[] = { "/metadata/managedFields", "/spec/*/name", "/status/*",
                                    "/spec/containers/*/env", NULL };
static const char *const keep[] = { "/spec/containers/*/image", "/status/*/kind", "/spec/*/*/name",
                                    "/metadata/annotations", NULL };
static const char *const nothing[] = { NULL };

/* Every shape, with plans and limits that matter to it. */
static const lw_scan_options setups[] = {
    { .shape = LW_SCAN_VALUE },
    { .shape = LW_SCAN_VALUE, .is_stream = true, .max_depth = 5 },
    { .shape = LW_SCAN_OBJECT },
    { .shape = LW_SCAN_OBJECT, .keep = keep, .is_stream = true },
    { .shape = LW_SCAN_LIST },
    { .shape = LW_SCAN_LIST, .drop = drop },
    { .shape = LW_SCAN_LIST, .keep = keep },
    { .shape = LW_SCAN_LIST, .drop = nothing, .max_item = 100 },
    { .shape = LW_SCAN_LIST, .keep = nothing, .max_depth = 6 },
    { .shape = LW_SCAN_EVENT },
    { .shape = LW_SCAN_EVENT, .drop = drop, .is_stream = true },
};
enum {
    SETUPS = sizeof(setups) / sizeof(setups[0]),
};

static void fail_with(const transcript_crew *crew, const char *what, lw_str input)
{
    print_error("%s, %s, of", what, crew->difference);
    for (size_t i = 0; i < input.len && i < 4096; i++)
        print_error(" %02x", (unsigned char)input.ptr[i]);
    fail_msg("\n%.*s\nbut whole:\n%.*s", (int)crew->text.len, crew->text.data,
             (int)crew->expected.len, crew->expected.data);
}

static void check_chunk(transcript_crew *crew, lw_str input, size_t chunk, const char *what)
{
    if (!transcript_crew_agrees(crew, input, chunk))
        fail_with(crew, what, input);
}

/* The code paths take turns: each meets each size, though not with each document. */
static void check_chunk_in_turn(transcript_crew *crew, lw_str input, size_t chunk, size_t turn,
                                const char *what)
{
    if (!transcript_crew_one_agrees(crew, input, turn % crew->count, chunk))
        fail_with(crew, what, input);
}

/* Cuts |input| at every size, or at those that are likely to hurt when it is long. */
static void check_input(transcript_crew *crew, lw_str input, size_t turn, const char *what)
{
    static const size_t some[] = { 1,  2,  3,  5,   7,   13,  31,  32,   33,   61,   62,    63, 64,
                                   65, 66, 67, 127, 128, 129, 255, 1000, 4095, 4096, 65536, 0 };
    (void)transcript_crew_begin(crew, input);
    check_chunk(crew, input, 0, what);
    if (input.len <= EVERY_CHUNK_UP_TO) {
        for (size_t chunk = 1; chunk < input.len; chunk++)
            check_chunk_in_turn(crew, input, chunk, turn + chunk, what);
        return;
    }
    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
        check_chunk_in_turn(crew, input, some[i], turn + i, what);
}

static void check_document(transcript_crew *crew, const scan_document *document, size_t turn,
                           const char *before, const char *after)
{
    lw_buf text;
    lw_buf_init(&text, 1024);
    lw_buf_append_text(&text, before);
    lw_buf_append(&text, document->bytes, document->len);
    lw_buf_append_text(&text, after);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '`')
            text.data[i] = '"';
    }
    check_input(crew, lw_buf_view(&text), turn, document->bytes);
    lw_buf_done(&text);
}

static void documents_of_the_tables_are_cut_anywhere(void **state)
{
    (void)state;
    for (size_t s = 0; s < SETUPS; s++) {
        transcript_crew crew;
        transcript_crew_init(&crew, &setups[s]);
        for (size_t i = 0; i < MALFORMED + ODDITIES; i++) {
            const scan_document *d = i < MALFORMED ? &malformed[i] : &oddities[i - MALFORMED];
            check_document(&crew, d, s + i, "", "");
            if (setups[s].shape == LW_SCAN_LIST)
                check_document(&crew, d, s + i,
                               "{`items`:[{`metadata`:{`name`:`n`,`x`:", "},`y`:{}}]}");
            if (setups[s].shape == LW_SCAN_EVENT)
                check_document(&crew, d, s + i, "{`object`:{`spec`:{`containers`:[",
                               "]}},`type`:`A`}");
        }
        transcript_crew_done(&crew);
    }
}

static bool append_pods(const char *bytes, size_t len, void *arg)
{
    lw_buf_append(arg, bytes, len);
    return true;
}

static void make_pods(lw_buf *pods, unsigned count, uint64_t seed)
{
    lw_buf_init(pods, 8 << 20);
    const pod_gen_options options = { .pods = count, .seed = seed };
    assert_true(pod_gen_list(&options, append_pods, pods, NULL));
}

static void lists_of_pods_are_cut_anywhere(void **state)
{
    (void)state;
    lw_buf pods;
    make_pods(&pods, 6, 1);
    for (size_t s = 0; s < SETUPS; s++) {
        transcript_crew crew;
        transcript_crew_init(&crew, &setups[s]);
        for (size_t turn = 0; turn < crew.count; turn++)
            check_input(&crew, lw_buf_view(&pods), turn, "pods");
        transcript_crew_done(&crew);
    }
    lw_buf_done(&pods);
}

/* Pods with a few bytes changed, removed or added, in chunks of random sizes. */
static void damaged_lists_of_pods_are_cut_anywhere(void **state)
{
    (void)state;
    enum {
        ROUNDS = IS_SANITIZED ? 400 : 2000
    };
    lw_buf pods;
    json_gen gen;
    transcript_crew crews[SETUPS];
    make_pods(&pods, 2, 2);
    json_gen_init(&gen, 7);
    for (size_t s = 0; s < SETUPS; s++)
        transcript_crew_init(&crews[s], &setups[s]);
    for (unsigned round = 0; round < ROUNDS; round++) {
        lw_buf_reset(&gen.out);
        lw_buf_append_str(&gen.out, lw_buf_view(&pods));
        json_gen_damage(&gen);
        transcript_crew *crew = &crews[round % SETUPS];
        lw_str input = lw_buf_view(&gen.out);
        (void)transcript_crew_begin(crew, input);
        check_chunk(crew, input, 0, "damaged pods");
        for (unsigned i = 0; i < 4; i++)
            check_chunk_in_turn(crew, input, 1 + json_gen_below(&gen, i < 2 ? 70 : 3000), round + i,
                                "damaged pods");
    }
    for (size_t s = 0; s < SETUPS; s++)
        transcript_crew_done(&crews[s]);
    json_gen_done(&gen);
    lw_buf_done(&pods);
}

/* A document of the shape of |options|. */
static void generate(json_gen *gen, const lw_scan_options *options)
{
    switch (options->shape) {
    case LW_SCAN_VALUE: json_gen_value(gen, 4); break;
    case LW_SCAN_OBJECT: json_gen_object(gen); break;
    case LW_SCAN_LIST: json_gen_list(gen, (unsigned)json_gen_below(gen, 4)); break;
    case LW_SCAN_EVENT: json_gen_event(gen); break;
    }
    if (options->is_stream && json_gen_below(gen, 3) > 0)
        generate(gen, options);
}

static void generated_documents_are_cut_anywhere(void **state)
{
    (void)state;
    enum {
        ROUNDS = IS_SANITIZED ? 100 : 600
    };
    static const size_t chunks[] = { 1, 2, 3, 7, 31, 63, 64, 65 };
    for (size_t s = 0; s < SETUPS; s++) {
        transcript_crew crew;
        json_gen gen;
        transcript_crew_init(&crew, &setups[s]);
        json_gen_init(&gen, s);
        gen.has_lone_surrogates = true;
        for (unsigned round = 0; round < ROUNDS; round++) {
            lw_buf_reset(&gen.out);
            gen.blanks = round % 3 == 0 ? 0 : round % 3 == 1 ? 3 : 30;
            gen.escapes = round % 5 == 0 ? 20 : 3;
            generate(&gen, &setups[s]);
            if (round & 1)
                json_gen_damage(&gen);
            lw_str input = lw_buf_view(&gen.out);
            (void)transcript_crew_begin(&crew, input);
            check_chunk(&crew, input, 0, "generated");
            for (size_t i = round % 2; i < sizeof(chunks) / sizeof(chunks[0]); i += 2)
                check_chunk_in_turn(&crew, input, chunks[i], json_gen_below(&gen, 64), "generated");
        }
        json_gen_done(&gen);
        transcript_crew_done(&crew);
    }
}

/* Appends a string of up to 700 bytes, |percent| of which are escapes. */
static void generate_long_string(json_gen *gen, unsigned percent)
{
    static const char *const escapes[] = { "\\n", "\\\"", "\\\\", "\\t", "\\/", "\\u00e9", "\\b" };
    static const char plain[] = "abc :,{}[]0123456789/=-.";
    lw_buf_append_char(&gen->out, '"');
    for (uint64_t left = json_gen_below(gen, 700); left > 0; left--) {
        if (json_gen_below(gen, 100) < percent)
            lw_buf_append_text(&gen->out, escapes[json_gen_below(gen, 7)]);
        else if (json_gen_below(gen, 1000) == 0)
            lw_buf_append_text(&gen->out, "\xc3\xa9");
        else
            lw_buf_append_char(&gen->out, plain[json_gen_below(gen, sizeof(plain) - 1)]);
    }
    lw_buf_append_char(&gen->out, '"');
}

/* Blocks of which every byte is in one string have a path of their own. */
static void long_strings_are_cut_anywhere(void **state)
{
    (void)state;
    enum {
        ROUNDS = IS_SANITIZED ? 300 : 3000
    };
    static const lw_scan_options setup = { .shape = LW_SCAN_OBJECT };
    transcript_crew crew;
    json_gen gen;
    transcript_crew_init(&crew, &setup);
    json_gen_init(&gen, 11);
    for (unsigned round = 0; round < ROUNDS; round++) {
        lw_buf_reset(&gen.out);
        lw_buf_append_text(&gen.out, "{\"metadata\":{\"name\":\"n\"},\"data\":{");
        generate_long_string(&gen, round % 7);
        lw_buf_append_char(&gen.out, ':');
        generate_long_string(&gen, round % 11);
        lw_buf_append_text(&gen.out, ",\"b\":[1,");
        generate_long_string(&gen, 1);
        lw_buf_append_text(&gen.out, "]}}");
        if (round & 1)
            json_gen_damage(&gen);
        lw_str input = lw_buf_view(&gen.out);
        (void)transcript_crew_begin(&crew, input);
        check_chunk(&crew, input, 0, "long strings");
        check_chunk_in_turn(&crew, input, 1, round, "long strings");
        check_chunk_in_turn(&crew, input, 1 + json_gen_below(&gen, 300), round, "long strings");
    }
    json_gen_done(&gen);
    transcript_crew_done(&crew);
}

/* Of valid input, trusting it or not makes no difference. */
static void trusting_valid_input_changes_nothing(void **state)
{
    (void)state;
    enum {
        ROUNDS = IS_SANITIZED ? 80 : 400
    };
    for (size_t s = 2; s < SETUPS; s++) {
        if (setups[s].max_depth != 0)
            continue; /* depth is one of the checks */
        lw_scan_options trusting = setups[s];
        trusting.trusts_input = true;
        transcript_crew crew, trusting_crew;
        json_gen gen;
        transcript_crew_init(&crew, &setups[s]);
        transcript_crew_init(&trusting_crew, &trusting);
        json_gen_init(&gen, 100 + s);
        for (unsigned round = 0; round < ROUNDS; round++) {
            lw_buf_reset(&gen.out);
            gen.blanks = round % 2 == 0 ? 0 : 10;
            gen.escapes = 5;
            generate(&gen, &setups[s]);
            lw_str input = lw_buf_view(&gen.out);
            if (transcript_crew_begin(&crew, input) == LW_ERR_SYNTAX)
                fail_with(&crew, "valid input refused", input);
            lw_buf_reset(&trusting_crew.expected);
            lw_buf_append_str(&trusting_crew.expected, lw_buf_view(&crew.expected));
            check_chunk(&trusting_crew, input, 0, "trusted");
            check_chunk_in_turn(&trusting_crew, input, 1 + json_gen_below(&gen, 100), round,
                                "trusted");
        }
        json_gen_done(&gen);
        transcript_crew_done(&crew);
        transcript_crew_done(&trusting_crew);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(documents_of_the_tables_are_cut_anywhere),
        TEST(lists_of_pods_are_cut_anywhere),
        TEST(damaged_lists_of_pods_are_cut_anywhere),
        TEST(generated_documents_are_cut_anywhere),
        TEST(long_strings_are_cut_anywhere),
        TEST(trusting_valid_input_changes_nothing),
    };
    return cmocka_run_group_tests_name("scan_chunks", tests, NULL, NULL);
}
