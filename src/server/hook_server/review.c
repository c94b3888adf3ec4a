/* SPDX-License-Identifier: Apache-2.0 */
/* review.c -- AdmissionReview and ConversionReview: bytes in, bytes out. */
#include "server/hook_server/review.h"

#include "base/str.h"
#include "base/text/base64.h"
#include "json/cursor.h"
#include "json/path.h"
#include "json/scan.h"
#include "json/text.h"
#include "json/writer.h"

enum {
    OK = 200,
    BAD_REQUEST = 400,
    INTERNAL = 500,
};

static int refuse(lw_buf *out, int status, const char *message)
{
    lw_buf_reset(out);
    lw_buf_append_text(out, message);
    lw_buf_append_char(out, '\n');
    return status;
}

static lw_str find(lw_str json, const char *pointer)
{
    lw_str value = LW_STR("");
    (void)lw_json_path_find(json, lw_str_of(pointer), &value);
    return value;
}

/* Decodes the string at |pointer| into |texts|, which has room for it; "" if there is none. */
static const char *text_of(lw_str json, const char *pointer, lw_buf *texts)
{
    lw_str raw = find(json, pointer);
    if (raw.len < 2 || raw.ptr[0] != '"')
        return "";
    size_t at = texts->len;
    lw_json_append_unescaped(texts, lw_str_make(raw.ptr + 1, raw.len - 2));
    lw_buf_append_char(texts, '\0');
    return texts->st < 0 ? "" : texts->data + at;
}

/* Returns the object at |pointer|; empty if there is none, or null. */
static lw_str object_of(lw_str json, const char *pointer)
{
    lw_str value = find(json, pointer);
    return value.len > 0 && value.ptr[0] == '{' ? value : LW_STR("");
}

static void write_head(lw_json_writer *w, const char *kind, const char *group_version)
{
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "apiVersion", lw_str_of(group_version));
    lw_json_write_member_string(w, "kind", lw_str_of(kind));
    lw_json_write_key(w, LW_STR("response"));
    lw_json_write_object_begin(w);
}

static void write_patch(lw_json_writer *w, lw_str patch)
{
    lw_buf text;
    lw_buf_init(&text, LW_REVIEW_ANSWER_MAX);
    lw_base64_encode(&text, patch);
    lw_json_write_member_string(w, "patchType", LW_STR("JSONPatch"));
    lw_json_write_member_string(w, "patch", lw_buf_view(&text));
    if (text.st < 0)
        w->st = text.st;
    lw_buf_done(&text);
}

static void write_admission(lw_json_writer *w, const char *uid, const lw_webhook_response *r)
{
    write_head(w, "AdmissionReview", "admission.k8s.io/v1");
    lw_json_write_member_string(w, "uid", lw_str_of(uid));
    lw_json_write_key(w, LW_STR("allowed"));
    lw_json_write_bool(w, !r->is_denied);
    if (r->is_denied) {
        lw_json_write_key(w, LW_STR("status"));
        lw_json_write_object_begin(w);
        lw_json_write_member_int(w, "code", r->status);
        lw_json_write_member_string(w, "message", lw_buf_view(&r->message));
        lw_json_write_object_end(w);
    } else if (r->patch.len > 0) {
        write_patch(w, lw_buf_view(&r->patch));
    }
    if (r->warning_count > 0) {
        lw_json_write_key(w, LW_STR("warnings"));
        lw_json_write_array_begin(w);
        lw_json_write_raw(w, lw_buf_view(&r->warnings));
        lw_json_write_array_end(w);
    }
    if (r->annotation_count > 0) {
        lw_json_write_key(w, LW_STR("auditAnnotations"));
        lw_json_write_object_begin(w);
        lw_json_write_raw_members(w, lw_buf_view(&r->annotations));
        lw_json_write_object_end(w);
    }
    lw_json_write_object_end(w);
    lw_json_write_object_end(w);
}

static bool is_failed(const lw_webhook_response *r)
{
    return r->message.st < 0 || r->patch.st < 0 || r->warnings.st < 0 || r->annotations.st < 0 ||
           r->converted.st < 0;
}

static int answer_admission(const lw_review_handler *handler, lw_str request, lw_buf *out)
{
    lw_buf texts;
    lw_webhook_response response;
    lw_json_writer w;
    lw_buf_init(&texts, 2 * request.len + 64);
    /* No growth: the strings point into the buffer. */
    if (lw_buf_reserve(&texts, 2 * request.len + 64) < 0)
        return refuse(out, INTERNAL, "out of memory");
    const lw_webhook_admission admission = {
        .uid = text_of(request, "/uid", &texts),
        .operation = text_of(request, "/operation", &texts),
        .group = text_of(request, "/kind/group", &texts),
        .version = text_of(request, "/kind/version", &texts),
        .kind = text_of(request, "/kind/kind", &texts),
        .resource = text_of(request, "/resource/resource", &texts),
        .subresource = text_of(request, "/subResource", &texts),
        .ns = text_of(request, "/namespace", &texts),
        .name = text_of(request, "/name", &texts),
        .user = text_of(request, "/userInfo/username", &texts),
        .is_dry_run = lw_str_equal(find(request, "/dryRun"), LW_STR("true")),
        .object = object_of(request, "/object"),
        .old_object = object_of(request, "/oldObject"),
        .json = request,
    };
    lw_review_response_init(&response);
    handler->admit(&admission, &response, handler->arg);
    int status = OK;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    if (is_failed(&response))
        status = refuse(out, INTERNAL, "the answer of the webhook is too large");
    else if (response.patch.len > 0 &&
             (response.patch.data[0] != '[' ||
              lw_json_validate(lw_buf_view(&response.patch), LW_REVIEW_DEPTH, NULL) < 0))
        status = refuse(out, INTERNAL, "the patch of the webhook is not a JSON patch");
    else
        write_admission(&w, admission.uid, &response);
    lw_review_response_done(&response);
    lw_buf_done(&texts);
    return status == OK && lw_json_writer_status(&w) < 0 ? refuse(out, INTERNAL, "out of memory")
                                                         : status;
}

/* Converts one object; false: |r| has the reason. */
static bool convert(const lw_review_handler *handler, lw_str object, const char *api_version,
                    lw_webhook_response *r, lw_json_writer *w)
{
    lw_buf_reset(&r->converted);
    handler->convert(object, api_version, r, handler->arg);
    if (r->is_denied)
        return false;
    if (r->converted.len == 0 || r->converted.data[0] != '{' ||
        lw_json_validate(lw_buf_view(&r->converted), LW_REVIEW_DEPTH, NULL) < 0) {
        lw_webhook_deny(r, INTERNAL, "the webhook did not return an object");
        return false;
    }
    lw_json_write_raw(w, lw_buf_view(&r->converted));
    return true;
}

static void write_conversion(const lw_review_handler *handler, lw_str request, const char *uid,
                             const char *api_version, lw_webhook_response *r, lw_buf *out)
{
    lw_json_writer w;
    lw_str objects = find(request, "/objects");
    lw_json_cursor c = lw_json_cursor_on(objects);
    bool is_array = objects.len > 0 && objects.ptr[0] == '[';
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    write_head(&w, "ConversionReview", "apiextensions.k8s.io/v1");
    lw_json_write_member_string(&w, "uid", lw_str_of(uid));
    lw_json_write_key(&w, LW_STR("convertedObjects"));
    lw_json_write_array_begin(&w);
    if (is_array) {
        lw_json_cursor_enter(&c);
        while (!r->is_denied && lw_json_cursor_next_element(&c))
            (void)convert(handler, lw_json_cursor_skip(&c), api_version, r, &w);
    }
    lw_json_write_array_end(&w);
    lw_json_write_key(&w, LW_STR("result"));
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "status", r->is_denied ? LW_STR("Failure") : LW_STR("Success"));
    if (r->is_denied)
        lw_json_write_member_string(&w, "message", lw_buf_view(&r->message));
    lw_json_write_object_end(&w);
    lw_json_write_object_end(&w);
    lw_json_write_object_end(&w);
}

static int answer_conversion(const lw_review_handler *handler, lw_str request, lw_buf *out)
{
    lw_buf texts;
    lw_webhook_response response;
    lw_buf_init(&texts, 2 * request.len + 64);
    if (lw_buf_reserve(&texts, 2 * request.len + 64) < 0)
        return refuse(out, INTERNAL, "out of memory");
    const char *uid = text_of(request, "/uid", &texts);
    const char *api_version = text_of(request, "/desiredAPIVersion", &texts);
    lw_review_response_init(&response);
    write_conversion(handler, request, uid, api_version, &response, out);
    int status = is_failed(&response) || out->st < 0 ? refuse(out, INTERNAL, "out of memory") : OK;
    lw_review_response_done(&response);
    lw_buf_done(&texts);
    return status;
}

int lw_review_answer(const lw_review_handler *handler, lw_str body, lw_buf *out)
{
    const char *kind = handler->admit ? "\"AdmissionReview\"" : "\"ConversionReview\"";
    const char *version =
        handler->admit ? "\"admission.k8s.io/v1\"" : "\"apiextensions.k8s.io/v1\"";
    if (lw_json_validate(body, LW_REVIEW_DEPTH, NULL) < 0)
        return refuse(out, BAD_REQUEST, "the body is not JSON");
    lw_str request = object_of(body, "/request");
    if (!lw_str_equal(find(body, "/kind"), lw_str_of(kind)) ||
        !lw_str_equal(find(body, "/apiVersion"), lw_str_of(version)) || request.len == 0)
        return refuse(out, BAD_REQUEST,
                      handler->admit ? "the body is not an AdmissionReview of version v1"
                                     : "the body is not a ConversionReview of version v1");
    return handler->admit ? answer_admission(handler, request, out)
                          : answer_conversion(handler, request, out);
}
