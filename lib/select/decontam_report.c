/* decontam_report.c: what decontamination found, as a report and as sentences. */
#include <math.h>
#include <stdlib.h>

#include "select/decontam_report.h"
#include "select/defaults.h"
#include "text/digest.h"

/* ---- sides and counts ------------------------------------------------------------------------------ */

void decontam_side_fields(struct decontam_side *side, const struct span *fields, size_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        buf_span_add(&side->names, fields[i]);
    side->fields = mem_zero(n + 1, sizeof *side->fields);
    side->n_fields = n;
    for (size_t i = 0; i < n; i++, at += fields[i - 1].len)
        side->fields[i] = span_slice(buf_span(&side->names), at, at + fields[i].len);
}

void decontam_side_index(struct decontam_side *side, const struct decontam_index *index)
{
    uint64_t name[2];
    decontam_index_name(index, name);
    digest_hex((const uint8_t *)name, sizeof name, side->holdout);
    side->rows = decontam_index_rows(index);
    side->with_task = decontam_index_tasks(index);
    side->texts = decontam_index_texts(index);
    side->prompts = decontam_index_prompts(index);
    side->ngram = decontam_index_ngram(index);
    side->tokens = decontam_index_tokens(index);
}

void decontam_side_free(struct decontam_side *side)
{
    free(side->fields);
    buf_free(&side->names);
    buf_free(&side->embedder);
    *side = (struct decontam_side){0};
}

void decontam_counts_free(struct decontam_counts *counts)
{
    for (size_t i = 0; i < counts->n_examples; i++)
        buf_free(&counts->examples[i].json);
    free(counts->examples);
    free(counts->fields);
    free(counts->shards);
    *counts = (struct decontam_counts){0};
}

bool decontam_count(struct decontam_counts *counts, size_t n_fields,
                    const struct decontam_finding *finding)
{
    if (!counts->fields)
        counts->fields = mem_zero(n_fields, sizeof *counts->fields);
    counts->rows++;
    counts->with_task += finding->has_task;
    counts->unreadable += finding->unreadable && finding->rule == DECONTAM_CLEAN;
    counts->rules[finding->rule]++;
    if (finding->rule > DECONTAM_SAME_TASK)
        counts->fields[finding->field]++;
    return finding->rule != DECONTAM_CLEAN && counts->n_examples < DECONTAM_EXAMPLES;
}

void decontam_example(struct decontam_counts *counts, uint64_t number,
                      const struct decontam_finding *finding, const struct decontam_index *index,
                      const struct decontam_options *options, const struct row *row,
                      struct decontam_scratch *s)
{
    struct json_writer w;
    counts->examples = mem_grow(counts->examples, &counts->cap_examples, counts->n_examples + 1,
                                sizeof *counts->examples);
    struct decontam_example *example = &counts->examples[counts->n_examples++];
    *example = (struct decontam_example){.index = number};
    json_write_start(&w, &example->json, JSON_STYLE_SPACED);
    json_write_object(&w);
    json_write_key(&w, "index");
    json_write_int(&w, (int64_t)number);
    decontam_finding_write(finding, index, options, row, s, &w);
    json_write_end_object(&w);
}

uint64_t decontam_flagged(const struct decontam_counts *counts)
{
    return counts->rows - counts->rules[DECONTAM_CLEAN];
}

double decontam_rate(const struct decontam_counts *counts)
{
    return counts->rows ? (double)decontam_flagged(counts) / (double)counts->rows : 0;
}

/* ---- notes ------------------------------------------------------------------------------------------- */

enum note {
    NOTE_NO_EVALUATION_IDS,
    NOTE_NO_TRAINING_IDS,
    NOTE_NO_PROMPTS,
    NOTE_REWORDED,
    NOTE_FELL_BACK,
    NOTE_ALIKE,
    NOTE_UNREADABLE,
    NOTE_SAME_FILE,
    NOTE_QUESTION,
    NOTE_COUNT,
};
enum { RULE_NOTES = NOTE_REWORDED }; /* the first ones name a rule that could not run */

static const struct {
    const char *code, *rule;
} NOTES[NOTE_COUNT] = {
    {"no_evaluation_ids", "same_task"},
    {"no_training_ids", "same_task"},
    {"no_evaluation_prompts", "semantic"},
    {"reworded_not_seen", NULL},
    {"semantic_embedding_unavailable", NULL},
    {"distinct_tasks_read_alike", NULL},
    {"unreadable", NULL},
    {"same_file", NULL},
    {"flagged_is_a_question", NULL},
};

static bool applies(enum note note, const struct decontam_counts *counts,
                    const struct decontam_side *side)
{
    bool semantic = side->embedder.len > 0;
    switch (note) {
    case NOTE_NO_EVALUATION_IDS: return side->rows && !side->with_task;
    case NOTE_NO_TRAINING_IDS: return side->with_task && counts->rows && !counts->with_task;
    case NOTE_NO_PROMPTS: return semantic && side->rows && !side->prompts;
    case NOTE_REWORDED: return side->rows && !semantic;
    case NOTE_FELL_BACK: return semantic && side->fell_back;
    case NOTE_ALIKE: return semantic && !isnan(side->alike);
    case NOTE_UNREADABLE: return side->rows && counts->unreadable;
    case NOTE_SAME_FILE: return counts->same_file;
    case NOTE_QUESTION: return decontam_flagged(counts) > 0;
    default: return false;
    }
}

static void say_no_ids(const char *which, uint64_t rows, const struct decontam_side *side,
                       struct buf *out)
{
    buf_format(out,
               "0 of %llu %s: the same_task rule did not run, and its zero clears nothing; only "
               "the %s looked%s",
               (unsigned long long)rows, which,
               side->embedder.len ? "texts and their vectors were" : "text rules",
               side->embedder.len ? " at"
                                  : ", and a paraphrase passes those (--embedder shows it)");
}

static void say(enum note note, const struct decontam_counts *counts,
                const struct decontam_side *side, struct buf *out)
{
    switch (note) {
    case NOTE_NO_EVALUATION_IDS:
        say_no_ids("evaluation rows carry a scenario_id or task_id", side->rows, side, out);
        break;
    case NOTE_NO_TRAINING_IDS:
        say_no_ids("training rows carry a scenario_id or task_id, the evaluation rows do",
                   counts->rows, side, out);
        break;
    case NOTE_NO_PROMPTS:
        buf_format(out,
                   "0 of %llu evaluation rows have a prompt: the semantic rule did not run, and "
                   "its zero clears nothing",
                   (unsigned long long)side->rows);
        break;
    case NOTE_REWORDED:
        buf_text(out,
                 "the text rules find copies and light edits, not reworded questions: about 9 % "
                 "of human paraphrases in the SDK's own study, so a zero is no proof (--embedder "
                 "found about 90 % there, and half of the look-alikes that are none)");
        break;
    case NOTE_FELL_BACK:
        buf_text(out, "the embedding service did not answer: hash vectors, which see words and "
                      "not their meaning, stood in for it");
        break;
    case NOTE_ALIKE:
        buf_format(
            out,
            "distinct tasks read this alike: %.3f is the 99th percentile of similarity over "
            "evaluation prompts of different tasks%s; --similarity %g %s",
            side->alike, side->alike_sampled ? " (a sample of them)" : "", side->similarity,
            side->similarity <= side->alike
                ? "is not above it, so it flags what is of one kind, not only what is the same"
                : "is above it");
        break;
    case NOTE_UNREADABLE:
        buf_format(
            out,
            "rows with a text that has neither a letter%s nor a digit: %llu; it was compared "
            "whole, partial copies of it were not looked for%s",
            side->tokens == DECONTAM_UNICODE ? "" : " a-z", (unsigned long long)counts->unreadable,
            side->tokens == DECONTAM_UNICODE ? "" : " (--tokens unicode looks)");
        break;
    case NOTE_SAME_FILE:
        buf_text(out, "a training file is also an --against file: every row of it is its own copy; "
                      "split the file first (wai-rows split)");
        break;
    default:
        buf_text(out,
                 "a flagged row asks whether it is the same question; that it is one is for you "
                 "to say (--flagged keeps the rows, with the reason)");
    }
}

const char *decontam_skipped(const struct decontam_counts *counts, const struct decontam_side *side)
{
    for (int note = 0; note < RULE_NOTES; note++)
        if (applies((enum note)note, counts, side))
            return NOTES[note].rule;
    return NULL;
}

/* ---- the report -------------------------------------------------------------------------------------- */

static void write_number(struct json_writer *w, const char *key, uint64_t value)
{
    json_write_key(w, key);
    json_write_int(w, (int64_t)value);
}

static void write_fields(const struct decontam_counts *counts, const struct decontam_side *side,
                         struct json_writer *w)
{
    json_write_key(w, "fields");
    json_write_array(w);
    for (size_t i = 0; i < side->n_fields; i++)
        json_write_span(w, side->fields[i]);
    json_write_end_array(w);
    json_write_key(w, "by_field");
    json_write_object(w);
    uint64_t task = counts->rules[DECONTAM_SAME_TASK]; /* a field may have that name too */
    for (size_t i = 0; counts->fields && i < side->n_fields; i++)
        if (span_is(side->fields[i], "task"))
            task += counts->fields[i];
    if (task)
        write_number(w, "task", task);
    for (size_t i = 0; counts->fields && i < side->n_fields; i++) {
        if (!counts->fields[i] || span_is(side->fields[i], "task"))
            continue;
        json_write_key_span(w, side->fields[i]);
        json_write_int(w, (int64_t)counts->fields[i]);
    }
    json_write_end_object(w);
}

static void write_notes(const struct decontam_counts *counts, const struct decontam_side *side,
                        struct json_writer *w)
{
    struct buf text = {0};
    json_write_key(w, "rules_skipped");
    json_write_object(w);
    for (int note = 0; note < RULE_NOTES; note++) {
        if (!applies((enum note)note, counts, side))
            continue;
        buf_clear(&text);
        say((enum note)note, counts, side, &text);
        json_write_key(w, NOTES[note].rule);
        json_write_span(w, buf_span(&text));
    }
    json_write_end_object(w);
    json_write_key(w, "notes");
    json_write_array(w);
    for (int note = 0; note < NOTE_COUNT; note++) {
        if (!applies((enum note)note, counts, side))
            continue;
        buf_clear(&text);
        say((enum note)note, counts, side, &text);
        json_write_span(w, buf_span(&text));
    }
    json_write_end_array(w);
    json_write_key(w, "note_codes");
    json_write_array(w);
    for (int note = 0; note < NOTE_COUNT; note++)
        if (applies((enum note)note, counts, side))
            json_write_text(w, NOTES[note].code);
    json_write_end_array(w);
    buf_free(&text);
}

static void write_embedder(const struct decontam_side *side, struct json_writer *w)
{
    bool semantic = side->embedder.len > 0;
    json_write_key(w, "similarity");
    if (semantic)
        json_write_real(w, side->similarity);
    else
        json_write_null(w);
    if (semantic) {
        json_write_key(w, "embedder");
        json_write_span(w, buf_span(&side->embedder));
    }
}

void decontam_report(const struct decontam_counts *counts, const struct decontam_side *side,
                     struct json_writer *w)
{
    json_write_object(w);
    json_write_key(w, "wai_report");
    json_write_text(w, "wai-decontam");
    write_number(w, "n", counts->rows);
    write_number(w, "n_kept", counts->rules[DECONTAM_CLEAN]);
    write_number(w, "n_contaminated", decontam_flagged(counts));
    json_write_key(w, "contamination_rate");
    json_write_real(w, decontam_rate(counts));
    write_number(w, "n_same_task", counts->rules[DECONTAM_SAME_TASK]);
    write_number(w, "n_exact", counts->rules[DECONTAM_EXACT]);
    write_number(w, "n_near", counts->rules[DECONTAM_NEAR]);
    write_number(w, "n_semantic", counts->rules[DECONTAM_SEMANTIC]);
    write_number(w, "n_unreadable", counts->unreadable);
    write_number(w, "n_eval_rows", side->rows);
    write_number(w, "n_eval_texts", side->texts);
    write_number(w, "ngram", side->ngram);
    json_write_key(w, "overlap");
    json_write_real(w, side->overlap);
    json_write_key(w, "tokens");
    json_write_text(w, DECONTAM_TOKEN_NAMES[side->tokens]);
    write_embedder(side, w);
    write_fields(counts, side, w);
    json_write_key(w, "examples");
    json_write_array(w);
    for (size_t i = 0; i < counts->n_examples; i++)
        json_write_raw(w, buf_span(&counts->examples[i].json));
    json_write_end_array(w);
    write_notes(counts, side, w);
    json_write_end_object(w);
}

void decontam_text(const struct decontam_counts *counts, const struct decontam_side *side,
                   struct buf *out)
{
    buf_format(
        out,
        "%llu of %llu rows flagged (%.1f %%), %llu kept: same task %llu, exact %llu, near %llu",
        (unsigned long long)decontam_flagged(counts), (unsigned long long)counts->rows,
        100 * decontam_rate(counts), (unsigned long long)counts->rules[DECONTAM_CLEAN],
        (unsigned long long)counts->rules[DECONTAM_SAME_TASK],
        (unsigned long long)counts->rules[DECONTAM_EXACT],
        (unsigned long long)counts->rules[DECONTAM_NEAR]);
    if (side->embedder.len)
        buf_format(out, ", semantic %llu", (unsigned long long)counts->rules[DECONTAM_SEMANTIC]);
    buf_format(out, "\nagainst %llu evaluation rows, %llu texts; %zu-grams%s, overlap %g",
               (unsigned long long)side->rows, (unsigned long long)side->texts, side->ngram,
               side->tokens == DECONTAM_UNICODE ? " of any script" : "", side->overlap);
    if (side->embedder.len)
        buf_format(out, "; similarity %g by %.*s", side->similarity, (int)side->embedder.len,
                   side->embedder.data);
    buf_byte(out, '\n');
    for (int note = 0; note < NOTE_COUNT; note++) {
        if (!applies((enum note)note, counts, side))
            continue;
        say((enum note)note, counts, side, out);
        buf_byte(out, '\n');
    }
}
