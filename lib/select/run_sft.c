/* run_sft.c: wai-select --mode sft: what was asked, chosen and told. */
#include "select/job.h"

/* Place of a word in a list of names, '-' and '_' alike; the options table knows it is there. */
static int choice(const char *word, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        const char *a = word, *b = names[i];
        while (*a && (*a == *b || (*a == '-' && *b == '_')))
            a++, b++;
        if (!*a && !*b)
            return i;
    }
    return 0;
}

static void say(struct select_job *job, const struct sft_options *o, const struct sft_result *r)
{
    struct buf *notes = &job->out->notes;
    if (!job->facts.count) {
        buf_text(notes, "no row arrived\n");
        return;
    }
    buf_format(notes,
               "%zu of %zu rows kept, %zu of %zu behaviours; dropped: %zu not passing, %zu "
               "unjudged, %zu incomplete, %zu leaks\n",
               r->picked.count, r->n, r->behaviors_covered, r->unique_behaviors,
               r->n_not_pass - r->n_unjudged, r->n_unjudged, r->n_junk, r->n_leaks);
    struct buf lines = {0};
    select_sft_notes(o, r, &lines);
    select_say_lines(notes, buf_span(&lines));
    buf_free(&lines);
}

int select_mode_sft(struct select_job *job, struct error *error)
{
    const struct select_request *q = job->q;
    struct sft_result result = {0};
    struct sft_options options = {.rule = (enum sft_rule)choice(q->rule, SFT_RULE_NAMES, 4),
                                  .target = q->target < 1 ? 1 : (size_t)q->target,
                                  .k = (size_t)q->k,
                                  .min_reward = q->min_reward,
                                  .seed = q->seed};
    int code = job_seed_check(q->seed, error);
    if (!code)
        code = select_quota_read(q->max_per, &job->facts, &options.quota, error);
    job->facts.wants.passing_only = true;
    job->facts.wants.min_reward = options.min_reward;
    if (!code)
        code = job_read(job, true, NULL, NULL, error);
    if (code)
        return code;
    select_sft(&job->facts, &options, &result);
    code = job_write(job, &result.picked, NULL, NULL, error);
    if (!code) {
        struct json_writer w;
        json_write_start(&w, &job->out->report, JSON_STYLE_INDENTED);
        select_sft_report(&job->facts, &options, &result, &w);
        say(job, &options, &result);
        code = job_fail_under(job, result.picked.count, "rows", error);
    }
    select_picked_free(&result.picked);
    return code;
}
