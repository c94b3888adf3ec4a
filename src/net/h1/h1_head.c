/* SPDX-License-Identifier: Apache-2.0 */
/* h1_head.c -- parses request lines, status lines and header fields (RFC 9112, RFC 9110).
 *
 * Everything that determines where a message ends (RFC 9112, 6.3) is decided here, and refused if
 * it is ambiguous, because ambiguity enables request smuggling. */
#include "net/h1/h1_head.h"

#include <string.h>

#include "base/str.h"

static const lw_h1_verdict fine = { 0, NULL };

static lw_h1_verdict refuse(int status, const char *reason)
{
    lw_h1_verdict verdict = { status, reason };
    return verdict;
}

/* tchar (RFC 9110, 5.6.2): all visible characters but the delimiters "(),/:;<=>?@[\]{}. */
bool lw_h1_is_token_char(char c)
{
    static const uint64_t tokens[] = { UINT64_C(0x03ff6cfa00000000), UINT64_C(0x57ffffffc7fffffe) };
    unsigned char code = (unsigned char)c;
    return code < 0x80 && tokens[code / 64] >> code % 64 & 1;
}

bool lw_h1_is_token(lw_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (!lw_h1_is_token_char(s.ptr[i]))
            return false;
    }
    return s.len > 0;
}

bool lw_h1_list_has(lw_str value, lw_str token)
{
    while (value.len > 0) {
        lw_str item;
        lw_str_cut(value, ',', &item, &value);
        if (lw_http_name_is(lw_str_trim(item), token))
            return true;
    }
    return false;
}

bool lw_h1_is_visible(lw_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c <= ' ' || c >= 0x7f)
            return false;
    }
    return s.len > 0;
}

/* True if one of the bytes of |word| may be a control character; those of UTF-8 are not. */
static bool may_have_control(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t is_low = word - ones * 0x20, is_delete = (word ^ ones * 0x7f) - ones;
    return ((is_low | is_delete) & ~word & ones << 7) != 0;
}

bool lw_h1_is_field_value(lw_str s)
{
    uint64_t word;
    size_t i = 0;
    for (; s.len - i >= sizeof(word); i += sizeof(word)) {
        memcpy(&word, s.ptr + i, sizeof(word));
        if (may_have_control(word))
            break;
    }
    for (; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}

/* Removes "http://host:port" from the front of |*target|. */
static bool skip_authority(lw_str *target)
{
    static const lw_str schemes[] = { LW_STR_INIT("http://"), LW_STR_INIT("https://") };
    for (size_t i = 0; i < 2; i++) {
        if (target->len <= schemes[i].len ||
            !lw_http_name_is(lw_str_make(target->ptr, schemes[i].len), schemes[i]))
            continue;
        lw_str rest = lw_str_skip(*target, schemes[i].len);
        size_t host = 0;
        while (host < rest.len && rest.ptr[host] != '/' && rest.ptr[host] != '?')
            host++;
        *target = lw_str_skip(rest, host);
        return host > 0;
    }
    return false;
}

/* origin-form, absolute-form (only the path is used), or the asterisk of OPTIONS (RFC 9112,
 * 3.2). */
static lw_h1_verdict read_target(lw_str target, lw_h1_head *head)
{
    if (!lw_h1_is_visible(target) || memchr(target.ptr, '#', target.len))
        return refuse(400, "malformed request target");
    head->query = lw_str_make(NULL, 0);
    if (lw_str_equal(target, LW_STR("*"))) {
        if (!lw_str_equal(head->method, LW_STR("OPTIONS")))
            return refuse(400, "the request target * is only allowed with OPTIONS");
        head->path = target;
        return fine;
    }
    if (target.ptr[0] != '/' && !skip_authority(&target))
        return refuse(400, "malformed request target");
    lw_str_cut(target, '?', &head->path, &head->query);
    if (lw_str_is_empty(head->path))
        head->path = LW_STR("/");
    return fine;
}

static bool is_version(lw_str text)
{
    return text.len == 8 && lw_str_starts_with(text, LW_STR("HTTP/")) &&
           lw_char_is_digit(text.ptr[5]) && text.ptr[6] == '.' && lw_char_is_digit(text.ptr[7]);
}

/* The reason phrase may be missing, as may be the space before it (RFC 9112, 4). */
lw_h1_verdict lw_h1_read_status_line(lw_str line, lw_h1_head *head)
{
    lw_str version, rest, code, reason;
    uint64_t status = 0;
    (void)lw_str_cut(line, ' ', &version, &rest);
    (void)lw_str_cut(rest, ' ', &code, &reason);
    if (!is_version(version) || code.len != 3 || !lw_str_to_uint64(code, &status) || status < 100 ||
        status > 599)
        return refuse(400, "malformed status line");
    if (version.ptr[5] != '1')
        return refuse(505, "unsupported HTTP version");
    head->version_minor = version.ptr[7] == '0' ? 0 : 1;
    head->status = (int)status;
    return fine;
}

lw_h1_verdict lw_h1_read_request_line(lw_str line, lw_h1_head *head)
{
    lw_str rest, target, version;
    head->status = 0;
    if (!lw_str_cut(line, ' ', &head->method, &rest) || !lw_h1_is_token(head->method) ||
        !lw_str_cut(rest, ' ', &target, &version) || lw_str_is_empty(target))
        return refuse(400, "malformed request line");
    if (!is_version(version))
        return refuse(400, "malformed request line");
    if (version.ptr[5] != '1')
        return refuse(505, "unsupported HTTP version: use HTTP/1.1 or HTTP/2");
    /* A higher minor version is answered as 1.1 (RFC 9110, 2.5). */
    head->version_minor = version.ptr[7] == '0' ? 0 : 1;
    return read_target(target, head);
}

static lw_h1_verdict read_field(lw_str line, lw_http_header *field)
{
    if (line.ptr[0] == ' ' || line.ptr[0] == '\t')
        return refuse(400, "folded header fields are not allowed");
    if (!lw_str_cut(line, ':', &field->name, &field->value) || !lw_h1_is_token(field->name))
        return refuse(400, "malformed header field");
    field->value = lw_str_trim(field->value);
    return fine;
}

/* The fields seen so far that matter to the connection. */
typedef struct fields_seen {
    bool has_host, has_length, has_coding, closes, keeps_alive, upgrades;
    lw_str length;
    bool is_websocket;
} fields_seen;

/* uri-host and port (RFC 3986, 3.2.2); checks only the characters. */
static bool is_host(lw_str value)
{
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        bool is_good =
            lw_h1_is_token_char(c) ? !memchr("#^`|", c, 4) : memchr("()[];:,=", c, 8) != NULL;
        if (!is_good)
            return false;
    }
    return true;
}

static lw_h1_verdict note_length(lw_str value, fields_seen *seen, lw_h1_head *head)
{
    if (seen->has_length && !lw_str_equal(value, seen->length))
        return refuse(400, "conflicting Content-Length headers");
    seen->has_length = true;
    seen->length = value;
    if (!lw_str_to_uint64(value, &head->content_length))
        return refuse(400, "malformed Content-Length");
    return fine;
}

static lw_h1_verdict note_coding(lw_str value, fields_seen *seen, lw_h1_head *head)
{
    if (seen->has_coding)
        return refuse(400, "more than one Transfer-Encoding header");
    seen->has_coding = true;
    if (head->version_minor == 0)
        return refuse(400, "Transfer-Encoding is not allowed in HTTP/1.0");
    if (!lw_http_name_is(value, LW_STR("chunked")))
        return refuse(501, "unsupported Transfer-Encoding: only chunked is supported");
    head->is_chunked = true;
    return fine;
}

static lw_h1_verdict note_field(const lw_http_header *field, fields_seen *seen, lw_h1_head *head)
{
    if (lw_http_name_is(field->name, LW_STR("content-length")))
        return note_length(field->value, seen, head);
    if (lw_http_name_is(field->name, LW_STR("transfer-encoding")))
        return note_coding(field->value, seen, head);
    if (lw_http_name_is(field->name, LW_STR("host")) && head->status == 0) {
        if (seen->has_host || !is_host(field->value))
            return refuse(400, "the Host header is missing, repeated or invalid");
        seen->has_host = true;
    } else if (lw_http_name_is(field->name, LW_STR("connection"))) {
        seen->closes = seen->closes || lw_h1_list_has(field->value, LW_STR("close"));
        seen->keeps_alive = seen->keeps_alive || lw_h1_list_has(field->value, LW_STR("keep-alive"));
        seen->upgrades = seen->upgrades || lw_h1_list_has(field->value, LW_STR("upgrade"));
    } else if (lw_http_name_is(field->name, LW_STR("upgrade"))) {
        seen->is_websocket =
            seen->is_websocket || lw_h1_list_has(field->value, LW_STR("websocket"));
    } else if (lw_http_name_is(field->name, LW_STR("expect")) && head->version_minor > 0 &&
               head->status == 0) {
        /* HTTP/1.0 has no expectations: ignored there (RFC 9110, 10.1.1). */
        if (!lw_http_name_is(field->value, LW_STR("100-continue")))
            return refuse(417, "unsupported Expect header: only 100-continue is supported");
        head->expects_continue = true;
    }
    return fine;
}

/* Decides where the body of a reply ends. */
static lw_h1_verdict judge_reply(const fields_seen *seen, lw_h1_head *head)
{
    bool has_no_body = head->status < 200 || head->status == 204 || head->status == 304;
    head->runs_to_end = !has_no_body && !seen->has_length && !seen->has_coding;
    /* A body that must not be there may follow nevertheless; 304 describes one that was not
     * sent. */
    if (has_no_body && head->status != 304 && (head->is_chunked || head->content_length > 0))
        head->keeps_alive = false;
    if (has_no_body) {
        head->content_length = 0;
        head->is_chunked = false;
    }
    return fine;
}

static lw_h1_verdict judge(const fields_seen *seen, lw_h1_head *head)
{
    if (seen->has_length && seen->has_coding)
        return refuse(400, "Content-Length and Transfer-Encoding must not be used together");
    head->keeps_alive = !seen->closes && (head->version_minor > 0 || seen->keeps_alive);
    if (head->status != 0)
        return judge_reply(seen, head);
    if (!seen->has_host && head->version_minor > 0)
        return refuse(400, "the Host header is missing, repeated or invalid");
    bool has_body = head->is_chunked || head->content_length > 0;
    head->expects_continue = head->expects_continue && has_body;
    /* An upgrade without "Connection: upgrade", or in HTTP/1.0, must be ignored (RFC 9110, 7.8). */
    head->asks_for_websocket = seen->is_websocket && seen->upgrades && head->version_minor > 0;
    if (head->asks_for_websocket && has_body)
        return refuse(400, "an upgrade request must not have a body");
    return fine;
}

lw_h1_verdict lw_h1_read_fields(lw_str lines, lw_h1_head *head)
{
    fields_seen seen = { 0 };
    head->header_count = 0;
    head->content_length = 0;
    head->is_chunked = head->expects_continue = head->asks_for_websocket = false;
    head->runs_to_end = false;
    while (lines.len > 0) {
        lw_str line;
        if (head->header_count == LW_HTTP_HEADERS_MAX)
            return refuse(431, "too many header fields");
        lw_str_cut(lines, '\r', &line, &lines);
        lines = lw_str_skip(lines, 1);
        lw_http_header *field = &head->headers[head->header_count++];
        lw_h1_verdict verdict = read_field(line, field);
        if (verdict.status == 0)
            verdict = note_field(field, &seen, head);
        if (verdict.status != 0)
            return verdict;
    }
    return judge(&seen, head);
}

size_t lw_h1_write_chunk_size(char out[LW_H1_CHUNK_SIZE_MAX], size_t len)
{
    size_t digits = 1, used;
    for (size_t rest = len >> 4; rest > 0; rest >>= 4)
        digits++;
    for (used = digits; used > 0; len >>= 4)
        out[--used] = "0123456789abcdef"[len & 15];
    memcpy(out + digits, "\r\n", 2);
    return digits + 2;
}
