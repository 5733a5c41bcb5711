/* What judges write and what people write for them: replies, answers to criteria, rubrics, constitutions,
 * answers of a decision service; and the record made of a row. The first byte names which. */
#include <stdint.h>
#include <stdlib.h>

#include "grade/constitution.h"
#include "grade/judge_payload.h"
#include "grade/judge_reply.h"
#include "grade/rubric.h"
#include "model/decision.h"

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replies(struct span text)
{
    struct buf reason = {0}, scratch = {0};
    struct json_value value;
    double score;
    int label = judge_reply_label(text, &reason);
    REQUIRE(label >= -1 && label <= 1);
    if (judge_reply_advice(text, &score, &reason))
        REQUIRE(score >= 0 && score <= 1);
    judge_reply_winner(text, &reason);
    if (judge_reply_object(text, &scratch, &value))
        REQUIRE(value.type == JSON_VALUE_OBJECT);
    if (judge_reply_array(text, &scratch, &value))
        REQUIRE(value.type == JSON_VALUE_ARRAY);
    buf_free(&reason);
    buf_free(&scratch);
}

static void rubrics(struct json_value value)
{
    struct rubric r = {0};
    struct verdict v = {0};
    struct error error;
    struct json_value answers, json;
    struct json_fault fault;
    if (rubric_of_value(&r, value, "rubric", &error) == 0) {
        enum rubric_answer *given = mem_zero(r.count + 1, sizeof *given);
        struct buf list = {0};
        if (!json_get(value, SPAN("answers"), &answers))
            answers = value;
        rubric_answers(&r, answers, given);
        rubric_checklist(&r, given, &list);
        rubric_score(&r, given, answers, true, &v);
        REQUIRE(v.judged && v.value >= 0 && v.value <= 1);
        for (size_t i = 0; i < v.n_meta; i++)
            REQUIRE(json_scan(v.meta[i].json, &json, NULL, &fault) == 0);
        buf_free(&list);
        free(given);
    }
    verdict_free(&v);
    rubric_free(&r);
}

static void records(struct span text)
{
    struct row row;
    struct json_members members = {0};
    struct json_fault fault;
    struct json_value value;
    struct buf out = {0};
    if (row_of_text(text, &row, &members, &fault) == 0 && row.value.type == JSON_VALUE_OBJECT) {
        const struct payload_options o = {.privileged = true, .cap = 700};
        payload_write(&o, &row, &out);
        REQUIRE(json_scan(buf_span(&out), &value, NULL, &fault) == 0);
        buf_clear(&out);
        if (payload_fault_lead(&row, &out))
            REQUIRE(!memchr(out.data, '\n', out.len));
    }
    json_members_free(&members);
    buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_value value;
    struct json_fault fault;
    struct error error;
    if (size == 0)
        return 0;
    struct span text = span_make((const char *)data + 1, size - 1);
    switch (data[0] & 7) {
    case 0: replies(text); break;
    case 1:
        if (json_scan(text, &value, NULL, &fault) == 0)
            rubrics(value);
        break;
    case 2: records(text); break;
    case 3: {
        struct constitution c = {0};
        constitution_parse(&c, text, "constitution", NULL, &error);
        constitution_free(&c);
        break;
    }
    case 4: {
        struct decision_reply reply = {0};
        decision_read(text, &reply);
        for (size_t i = 0; i < reply.n_answers; i++)
            if (reply.answers[i].type == DECISION_NOUL)
                REQUIRE(reply.answers[i].probability >= 0 && reply.answers[i].probability <= 1);
        decision_reply_free(&reply);
        break;
    }
    default: break;
    }
    return 0;
}
