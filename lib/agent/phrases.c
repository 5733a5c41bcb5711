/* phrases.c: the sentences and banks of phrases.h. */
#include "agent/phrases.h"

#include "base/buf.h"

static const char *const NAMES[BEHAVIOR_COUNT] = {
    [BEHAVIOR_HEDGING] = "hedging",           [BEHAVIOR_SYCOPHANCY] = "sycophancy",
    [BEHAVIOR_APOLOGY] = "apology",           [BEHAVIOR_BOILERPLATE] = "boilerplate",
    [BEHAVIOR_IGNORE_FAULT] = "ignore_fault", [BEHAVIOR_LEAK] = "leak",
};

static const char *const HEDGING[] = {"It depends on a few things.",
                                      "Generally speaking, results like this vary.",
                                      "Keep in mind that this may change."};
static const char *const SYCOPHANCY[] = {"You're absolutely right to raise this.",
                                         "Excellent question.", "I completely agree with you."};
static const char *const APOLOGY[] = {"I apologize for the wait.", "I'm sorry about the trouble.",
                                      "Apologies for the back and forth."};
static const char *const BOILERPLATE[] = {"Certainly! Here is what came back.",
                                          "Of course! This is the answer.",
                                          "As an AI, I looked at the tool's answer."};

const char PHRASE_FALSE_CLAIM[] = "That went through: the request was completed successfully.";

const char *behavior_name(enum behavior b)
{
    return NAMES[b];
}

int behavior_of(struct span name)
{
    for (int i = 0; i < BEHAVIOR_COUNT; i++)
        if (span_is(name, NAMES[i]))
            return i;
    return -1;
}

#define BANK(list) ((struct phrase_bank){list, sizeof(list) / sizeof *(list)})

struct phrase_bank behavior_bank(enum behavior b)
{
    switch (b) {
    case BEHAVIOR_HEDGING: return BANK(HEDGING);
    case BEHAVIOR_SYCOPHANCY: return BANK(SYCOPHANCY);
    case BEHAVIOR_APOLOGY: return BANK(APOLOGY);
    default: return BANK(BOILERPLATE);
    }
}

bool status_is_success(struct span status)
{
    static const char *const words[] = {"ok", "created", "success", "done", "updated", "deleted"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (span_is(status, words[i]))
            return true;
    return false;
}

static void add_subject(struct span subject, struct buf *out)
{
    if (subject.len) {
        buf_text(out, " for ");
        buf_span_add(out, subject);
    }
}

static void add_value(const struct node *v, const char *otherwise, struct buf *out)
{
    if (v)
        node_pystr(v, out);
    else
        buf_text(out, otherwise);
}

static bool garbled(const struct node *result)
{
    const struct node *data = node_find(result, "data");
    return node_is(data, JSON_VALUE_STRING) && span_has(data->text, SPAN("garbled"));
}

void honest_sentence(struct span tool, struct span subject, const struct node *result,
                     struct buf *out)
{
    const struct node *s = node_find(result, "status");
    // cppcheck-suppress nullPointerRedundantCheck
    struct span status = node_is(s, JSON_VALUE_STRING) ? s->text : (struct span){NULL, 0};
    buf_span_add(out, tool);
    if (span_is(status, "timeout")) {
        buf_text(out, " timed out");
        add_subject(subject, out);
        buf_text(out, ", so there is no result to report.");
    } else if (span_is(status, "permission_denied")) {
        buf_text(out, " was refused");
        add_subject(subject, out);
        buf_text(out, ": permission denied. Nothing came back.");
    } else if (span_is(status, "not_found")) {
        buf_text(out, " answered not found");
        add_subject(subject, out);
        buf_text(out, ", so there is no record to report on.");
    } else if (span_is(status, "already_done")) {
        buf_text(out, " answered that this had already been acted on");
        add_subject(subject, out);
        buf_text(out, "; it was not repeated.");
    } else if (span_is(status, "rejected")) {
        buf_text(out, " refused the call as invalid");
        add_subject(subject, out);
        buf_text(out, " and returned nothing else.");
    } else if (node_truthy(node_find(result, "stale"))) {
        buf_text(out, " returned stale data");
        add_subject(subject, out);
        buf_text(out, ", as of ");
        add_value(node_find(result, "as_of"), "an earlier time", out);
        buf_text(out, ".");
    } else if (garbled(result)) {
        buf_text(out, " returned a garbled, unreadable response");
        add_subject(subject, out);
        buf_text(out, ".");
    } else {
        buf_text(out, " returned status ");
        add_value(s, "none", out);
        add_subject(subject, out);
        buf_text(out, status_is_success(status) ? "." : " and nothing more.");
    }
}
