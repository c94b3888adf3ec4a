/* SPDX-License-Identifier: Apache-2.0 */
/* text.c -- JSON strings: quote, unescape, compare; and UTF-8.
 *
 * Runs of plain bytes are processed at once: most strings have nothing to escape. */
#include "json/text.h"

#include <string.h>

#include "base/str.h"

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

static bool is_continuation(unsigned char c)
{
    return (c & 0xC0) == 0x80;
}

/* Returns the length of the valid UTF-8 sequence at |p|, where |left| bytes are readable; 0 if it
 * is invalid (RFC 3629 section 4). */
static size_t utf8_sequence(const unsigned char *p, size_t left)
{
    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xC2 || p[0] > 0xF4 || left < 2 || !is_continuation(p[1]))
        return 0;
    if (p[0] < 0xE0)
        return 2;
    if (left < 3 || !is_continuation(p[2]))
        return 0;
    if (p[0] < 0xF0) {
        bool is_overlong = p[0] == 0xE0 && p[1] < 0xA0;
        bool is_surrogate = p[0] == 0xED && p[1] > 0x9F;
        return is_overlong || is_surrogate ? 0 : 3;
    }
    bool is_overlong = p[0] == 0xF0 && p[1] < 0x90;
    bool is_too_large = p[0] == 0xF4 && p[1] > 0x8F;
    return left < 4 || !is_continuation(p[3]) || is_overlong || is_too_large ? 0 : 4;
}

/* Returns the number of ASCII bytes at |p|, counted in words. */
static size_t ascii_run(const unsigned char *p, size_t left)
{
    size_t run = 0;
    uint64_t word;
    while (left - run >= sizeof(word)) {
        memcpy(&word, p + run, sizeof(word));
        if (word & UINT64_C(0x8080808080808080))
            break;
        run += sizeof(word);
    }
    return run;
}

/* Returns true if all |len| bytes at |p| are ASCII, of which the first ones were counted in words.
 */
static bool is_ascii_rest(const unsigned char *p, size_t counted, size_t len)
{
    uint64_t word = 0;
    if (len >= sizeof(word)) { /* some bytes again */
        memcpy(&word, p + len - sizeof(word), sizeof(word));
        return !(word & UINT64_C(0x8080808080808080));
    }
    for (size_t i = counted; i < len; i++)
        word |= p[i];
    return word < 0x80;
}

bool lw_utf8_is_valid(lw_str s)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    size_t at = ascii_run(p, s.len);
    if (s.len - at < sizeof(uint64_t) && is_ascii_rest(p, at, s.len))
        return true;
    while (at < s.len) {
        at += ascii_run(p + at, s.len - at);
        if (at == s.len)
            break;
        size_t step = utf8_sequence(p + at, s.len - at);
        if (step == 0)
            return false;
        at += step;
    }
    return true;
}

/* Returns true for ASCII characters that are not escaped.  Like Go, escapes three that are special
 * in HTML. */
static bool is_plain(unsigned char c)
{
    static const uint64_t plain[2] = {
        UINT64_C(0xffffffff00000000) &
            ~(UINT64_C(1) << '"' | UINT64_C(1) << '&' | UINT64_C(1) << '<' | UINT64_C(1) << '>'),
        UINT64_MAX & ~(UINT64_C(1) << ('\\' - 64)),
    };
    return c < 0x80 && plain[c / 64] >> c % 64 & 1;
}

/* Sets the high bit of the bytes of |word| that are |c|, if the high bits of |word| are not set.
 * (Those of the bytes after the first match may be wrong.) */
static inline uint64_t has_byte(uint64_t word, unsigned char c)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    return (word ^ (ones * c)) - ones;
}

/* Returns true if all eight bytes of |word| are plain. */
static inline bool is_plain_word(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    /* Bytes whose high bit is set are not plain, whatever has_byte says about the others.
     * '"' and '&' differ in one bit; so do '<' and '>'. */
    uint64_t odd = word | (word - ones * 0x20) | has_byte(word & ~(ones * ('"' ^ '&')), '"') |
                   has_byte(word & ~(ones * ('<' ^ '>')), '<') | has_byte(word, '\\');
    return !(odd & ones * 0x80);
}

static inline uint64_t word_at(const unsigned char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof(word));
    return word;
}

/* Returns a word of the 4 to 8 bytes at |p|, some of them twice. */
static inline uint64_t short_word_at(const unsigned char *p, size_t len)
{
    uint32_t first, last;
    memcpy(&first, p, sizeof(first));
    memcpy(&last, p + len - sizeof(last), sizeof(last));
    return (uint64_t)last << 32 | first;
}

/* Returns the number of plain bytes at |p|. Reads whole words; the last one may overlap the one
 * before. */
static size_t plain_run(const unsigned char *p, size_t left)
{
    size_t run = 0;
    if (left >= sizeof(uint64_t)) {
        while (run < left - sizeof(uint64_t) && is_plain_word(word_at(p + run)))
            run += sizeof(uint64_t);
        if (run >= left - sizeof(uint64_t) && is_plain_word(word_at(p + left - sizeof(uint64_t))))
            return left;
    } else if (left >= sizeof(uint32_t) && is_plain_word(short_word_at(p, left))) {
        return left;
    }
    while (run < left && is_plain(p[run]))
        run++;
    return run;
}

static void append_escaped_ascii(lw_buf *buf, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    char text[] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };
    switch (c) {
    case '"':
    case '\\': text[1] = (char)c; break;
    case '\b': text[1] = 'b'; break;
    case '\f': text[1] = 'f'; break;
    case '\n': text[1] = 'n'; break;
    case '\r': text[1] = 'r'; break;
    case '\t': text[1] = 't'; break;
    default: lw_buf_append(buf, text, sizeof(text)); return;
    }
    lw_buf_append(buf, text, 2);
}

/* Returns the escape for the non-ASCII sequence of |len| bytes at |p|; NULL if it is not escaped.
 * Go escapes the two separators because they are line terminators in JavaScript. */
static const char *escape_of_sequence(const unsigned char *p, size_t len)
{
    if (len == 0)
        return "\\ufffd";
    if (len == 3 && p[0] == 0xE2 && p[1] == 0x80 && (p[2] == 0xA8 || p[2] == 0xA9))
        return p[2] == 0xA8 ? "\\u2028" : "\\u2029";
    return NULL;
}

/* Appends the |len| bytes at |from|, and the escape of the ASCII byte after them. */
static void append_run(lw_buf *buf, const unsigned char *from, size_t len)
{
    unsigned char c = from[len];
    if (lw_buf_reserve(buf, len + 2) < 0)
        return;
    lw_json_copy_text(buf->data + buf->len, (const char *)from, len);
    buf->len += len;
    if (c != '"' && c != '\\') {
        append_escaped_ascii(buf, c);
        return;
    }
    buf->data[buf->len++] = '\\'; /* the usual ones, as in JSON within JSON */
    buf->data[buf->len++] = (char)c;
}

/* Appends |s|, of which the first |at| bytes are plain, and others are not. */
static void append_escaped(lw_buf *buf, lw_str s, size_t at)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    size_t begin = 0; /* of the run that is copied unchanged */
    lw_buf_append_char(buf, '"');
    for (; at < s.len; at += plain_run(p + at, s.len - at)) {
        if (p[at] < 0x80) {
            append_run(buf, p + begin, at - begin);
            begin = ++at;
            continue;
        }
        size_t len = utf8_sequence(p + at, s.len - at);
        const char *escape = escape_of_sequence(p + at, len);
        if (escape) {
            lw_buf_append(buf, p + begin, at - begin);
            lw_buf_append(buf, escape, 6);
            begin = at + (len ? len : 1);
        }
        at += len ? len : 1;
    }
    if (s.len > begin)
        lw_buf_append(buf, p + begin, s.len - begin);
    lw_buf_append_char(buf, '"');
}

void lw_json_append_token(lw_buf *buf, bool has_comma, lw_str s, bool has_colon)
{
    size_t at = plain_run((const unsigned char *)s.ptr, s.len);
    size_t more = s.len + 2 + has_comma + has_colon;
    if (at == s.len) {
        if (lw_buf_reserve(buf, more) < 0)
            return;
        char *to = buf->data + buf->len;
        /* Without a branch: what does not count is written over, the last byte by a terminator. */
        *to = ',';
        to += has_comma;
        *to++ = '"';
        lw_json_copy_text(to, s.ptr, s.len);
        to += s.len;
        *to++ = '"';
        *to = ':';
        buf->len += more;
        return;
    }
    if (has_comma)
        lw_buf_append_char(buf, ',');
    append_escaped(buf, s, at);
    if (has_colon)
        lw_buf_append_char(buf, ':');
}

void lw_json_append_quoted(lw_buf *buf, lw_str s)
{
    lw_json_append_token(buf, false, s, false);
}

/* Returns the code unit of the \uXXXX at the beginning of |s|, or -1. */
static long unicode_escape(lw_str s)
{
    if (s.len < 6 || s.ptr[0] != '\\' || s.ptr[1] != 'u')
        return -1;
    long unit = 0;
    for (size_t i = 2; i < 6; i++) {
        int digit = lw_char_hex_value(s.ptr[i]);
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

static size_t utf8_encode(char out[4], uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t len = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    for (size_t i = len - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (c & 0x3F));
        c >>= 6;
    }
    out[0] = (char)(lead[len] | c);
    return len;
}

/* Decodes the \uXXXX escape at the beginning of |*rest|, with the second half of a surrogate pair,
 * and removes it. */
static size_t decode_unicode(lw_str *rest, long unit, char out[4])
{
    *rest = lw_str_make(rest->ptr + 6, rest->len - 6);
    if (unit < 0xD800 || unit > 0xDFFF)
        return utf8_encode(out, (uint32_t)unit);
    long low = unit < 0xDC00 ? unicode_escape(*rest) : -1;
    if (low < 0xDC00 || low > 0xDFFF) {
        memcpy(out, replacement, 3);
        return 3;
    }
    *rest = lw_str_make(rest->ptr + 6, rest->len - 6);
    return utf8_encode(out, (uint32_t)(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)));
}

static char decode_short(char c)
{
    switch (c) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return c;
    }
}

/* Removes the next piece from |*rest|, which is not empty: a run without backslashes, or one
 * escape, decoded into |out|.  A backslash at the end, which a valid text does not have, is
 * returned unchanged. */
static lw_str next_piece(lw_str *rest, char out[4])
{
    const char *escape = memchr(rest->ptr, '\\', rest->len);
    size_t run = escape ? (size_t)(escape - rest->ptr) : rest->len;
    if (run > 0) {
        lw_str piece = lw_str_make(rest->ptr, run);
        *rest = lw_str_make(rest->ptr + run, rest->len - run);
        return piece;
    }
    long unit = unicode_escape(*rest);
    if (unit >= 0)
        return lw_str_make(out, decode_unicode(rest, unit, out));
    size_t used = rest->len > 1 ? 2 : 1;
    out[0] = decode_short(rest->ptr[used - 1]);
    *rest = lw_str_make(rest->ptr + used, rest->len - used);
    return lw_str_make(out, 1);
}

bool lw_json_text_next(lw_str *raw, char small[4], lw_str *piece)
{
    if (raw->len == 0)
        return false;
    *piece = next_piece(raw, small);
    return true;
}

void lw_json_append_unescaped(lw_buf *buf, lw_str raw)
{
    char small[4];
    lw_str piece;
    while (lw_json_text_next(&raw, small, &piece))
        lw_buf_append_str(buf, piece);
}

size_t lw_json_unescape(char *dst, lw_str raw)
{
    char small[4];
    lw_str piece;
    size_t len = 0;
    while (lw_json_text_next(&raw, small, &piece)) {
        memcpy(dst + len, piece.ptr, piece.len);
        len += piece.len;
    }
    return len;
}

bool lw_json_text_equal(lw_str raw, lw_str plain)
{
    char small[4];
    lw_str piece;
    if (raw.len < plain.len)
        return false; /* decoding never grows */
    while (lw_json_text_next(&raw, small, &piece)) {
        if (piece.len > plain.len || memcmp(piece.ptr, plain.ptr, piece.len) != 0)
            return false;
        plain = lw_str_make(plain.ptr + piece.len, plain.len - piece.len);
    }
    return plain.len == 0;
}
