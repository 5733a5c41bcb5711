/* model.c: wai-unit's functions of the room model. */
#include "unit.h"

#include "model/chat.h"
#include "model/sigv4.h"
#include "model/spec.h"

/* {spec}: {url, model} or {error: true}, and front_door_accepts. */
static int parse_spec(struct json_value in, struct json_writer *out, struct error *error)
{
    struct buf text = {0};
    struct model_spec spec = {0};
    int code = unit_text(in, "spec", &text, error);
    if (code < 0)
        return code;
    code = model_spec_parse(buf_cstr(&text), &spec, NULL);
    json_write_object(out);
    if (code < 0 || !spec.model.len) { /* a bare URL names no model */
        json_write_key(out, "error");
        json_write_bool(out, true);
    } else {
        json_write_key(out, "url");
        json_write_span(out, buf_span(&spec.url));
        json_write_key(out, "model");
        json_write_span(out, buf_span(&spec.model));
    }
    json_write_key(out, "front_door_accepts");
    json_write_bool(out, model_spec_known(buf_cstr(&text)));
    json_write_end_object(out);
    model_spec_free(&spec);
    buf_free(&text);
    return 0;
}

static int sigv4_of(struct json_value in, struct buf texts[8], struct error *error)
{
    static const char *const KEYS[] = {"access_key", "secret_key", "region", "service",
                                       "amz_date",   "url",        "body"};
    struct json_value token;
    for (int i = 0; i < 7; i++)
        if (unit_text(in, KEYS[i], &texts[i], error) < 0)
            return ERROR_INPUT;
    if (json_get(in, SPAN("session_token"), &token) && token.type == JSON_VALUE_STRING)
        json_text_add(token, &texts[7]);
    return texts[4].len == 16 ? 0 : error_set(error, ERROR_INPUT, "amz_date is no time");
}

static int sigv4(struct json_value in, struct json_writer *out, struct error *error)
{
    enum { ACCESS, SECRET, REGION, SERVICE, DATE, URL, BODY, TOKEN, N };
    struct buf texts[N] = {{0}}, authorization = {0}, canonical = {0};
    struct sigv4_request r = {.method = "POST", .type = SPAN("application/json")};
    int code = sigv4_of(in, texts, error);
    if (code == 0)
        code = url_parse(buf_span(&texts[URL]), &r.url, error);
    if (code == 0) {
        r.access_key = buf_span(&texts[ACCESS]);
        r.secret_key = buf_span(&texts[SECRET]);
        r.region = buf_span(&texts[REGION]);
        r.service = buf_span(&texts[SERVICE]);
        r.body = buf_span(&texts[BODY]);
        r.session_token = buf_span(&texts[TOKEN]);
        memcpy(r.time, buf_cstr(&texts[DATE]), sizeof r.time);
        sigv4_sign(&r, &authorization, &canonical);
        json_write_object(out);
        json_write_key(out, "authorization");
        json_write_span(out, buf_span(&authorization));
        json_write_key(out, "x-amz-date");
        json_write_text(out, r.time);
        json_write_key(out, "x-amz-security-token");
        if (texts[TOKEN].len)
            json_write_span(out, buf_span(&texts[TOKEN]));
        else
            json_write_null(out);
        json_write_key(out, "canonical_uri");
        json_write_span(out, buf_span(&canonical));
        json_write_end_object(out);
    }
    for (int i = 0; i < N; i++)
        buf_free(&texts[i]);
    buf_free(&authorization);
    buf_free(&canonical);
    return code;
}

const struct unit_function UNIT_MODEL[] = {
    {"parse_spec", parse_spec},
    {"sigv4", sigv4},
    {"wire", chat_wire},
    {"wire_reply", chat_wire_reply},
    {0},
};
