/* fate.c: see fate.h. */
#include "agent/fate.h"

bool chat_failure_is_final(enum chat_failure failure)
{
    switch (failure) {
    case CHAT_AUTH:
    case CHAT_QUOTA:
    case CHAT_DEAD_HOST:
    case CHAT_NO_BUDGET:
    case CHAT_NOT_RECORDED:
    case CHAT_INTERRUPTED: return true;
    default: return false;
    }
}

void rollout_call_failed(struct rollout *out, enum chat_failure failure, const struct error *error)
{
    out->fate = ROLLOUT_ERROR;
    out->failure = ROLLOUT_AGENT;
    buf_clear(&out->error);
    buf_text(&out->error, error->text);
    switch (failure) {
    case CHAT_AUTH: out->failure = ROLLOUT_AUTH; break;
    case CHAT_QUOTA: out->failure = ROLLOUT_QUOTA; break;
    case CHAT_DEAD_HOST: out->failure = ROLLOUT_STRIKE; break;
    case CHAT_NO_BUDGET: out->failure = ROLLOUT_COST; break;
    case CHAT_NOT_RECORDED: out->failure = ROLLOUT_REPLAY; break;
    case CHAT_TIMED_OUT: out->failure = ROLLOUT_TIMED_OUT; break;
    case CHAT_INTERRUPTED: out->fate = ROLLOUT_DROPPED; break;
    default: break;
    }
}

void rollout_count_call(struct rollout_usage *usage, const struct chat_reply *reply)
{
    usage->calls++;
    usage->retries += reply->retries;
    if (reply->failure != CHAT_OK)
        return;
    usage->without += !reply->has_usage;
    usage->input += reply->input_tokens > 0 ? reply->input_tokens : 0;
    usage->output += reply->output_tokens > 0 ? reply->output_tokens : 0;
}
