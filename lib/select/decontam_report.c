/* decontam_report.c: what decontamination found, as a report and as sentences. */
#include <stdlib.h>

#include "select/decontam.h"
#include "select/defaults.h"

void decontam_counts_free(struct decontam_counts *counts)
{
    free(counts->fields);
    buf_free(&counts->examples);
    *counts = (struct decontam_counts){0};
}

bool decontam_count(struct decontam_counts *counts, const struct decontam_options *options,
                    const struct decontam_finding *finding)
{
    if (!counts->fields)
        counts->fields = mem_zero(options->n_fields, sizeof *counts->fields);
    counts->rows++;
    counts->with_task += finding->has_task;
    counts->unreadable += finding->unreadable && finding->rule == DECONTAM_CLEAN;
    counts->rules[finding->rule]++;
    if (finding->rule == DECONTAM_EXACT || finding->rule == DECONTAM_NEAR)
        counts->fields[finding->field]++;
    return finding->rule != DECONTAM_CLEAN && counts->n_examples < DECONTAM_EXAMPLES;
}

void decontam_example(struct decontam_counts *counts, const struct decontam_finding *finding,
                      const struct decontam_index *index, const struct decontam_options *options,
                      const struct row *row, struct decontam_scratch *s)
{
    struct json_writer w;
    counts->n_examples++;
    json_write_start(&w, &counts->examples, JSON_STYLE_SPACED);
    json_write_object(&w);
    json_write_key(&w, "index");
    json_write_int(&w, (int64_t)row->index);
    decontam_finding_write(finding, index, options, row, s, &w);
    json_write_end_object(&w);
    buf_byte(&counts->examples, '\n');
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
    NOTE_REWORDED,
    NOTE_UNREADABLE,
    NOTE_SAME_FILE,
    NOTE_QUESTION,
    NOTE_COUNT,
};

static const char *const NOTE_CODES[NOTE_COUNT] = {
    "no_evaluation_ids", "no_training_ids", "reworded_not_seen",
    "unreadable",        "same_file",       "flagged_is_a_question",
};

static bool applies(enum note note, const struct decontam_counts *counts,
                    const struct decontam_index *index)
{
    size_t rows = decontam_index_rows(index), tasks = decontam_index_tasks(index);
    switch (note) {
    case NOTE_NO_EVALUATION_IDS: return rows && !tasks;
    case NOTE_NO_TRAINING_IDS: return tasks && counts->rows && !counts->with_task;
    case NOTE_REWORDED: return rows > 0;
    case NOTE_UNREADABLE: return rows && counts->unreadable;
    case NOTE_SAME_FILE: return counts->same_file;
    case NOTE_QUESTION: return decontam_flagged(counts) > 0;
    default: return false;
    }
}

static void say(enum note note, const struct decontam_counts *counts,
                const struct decontam_index *index, struct buf *out)
{
    unsigned long long rows = counts->rows, tests = decontam_index_rows(index);
    switch (note) {
    case NOTE_NO_EVALUATION_IDS:
        buf_format(
            out,
            "0 of %llu evaluation rows carry a scenario_id or task_id: the same_task rule did "
            "not run, and its zero clears nothing; only the text rules looked, and a "
            "paraphrase passes those (comparing embeddings would show it)",
            tests);
        break;
    case NOTE_NO_TRAINING_IDS:
        buf_format(
            out,
            "0 of %llu training rows carry a scenario_id or task_id, the evaluation rows do: "
            "the same_task rule did not run, and its zero clears nothing; only the text rules "
            "looked, and a paraphrase passes those (comparing embeddings would show it)",
            rows);
        break;
    case NOTE_REWORDED:
        buf_text(out,
                 "the text rules find copies and light edits, not reworded questions: about 9 % "
                 "of human paraphrases in the SDK's own study, so a zero is no proof");
        break;
    case NOTE_UNREADABLE:
        buf_format(
            out,
            "rows with a text that has neither a letter a-z nor a digit: %llu; it was compared "
            "whole, partial copies of it were not looked for",
            (unsigned long long)counts->unreadable);
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

bool decontam_skipped(const struct decontam_counts *counts, const struct decontam_index *index)
{
    return applies(NOTE_NO_EVALUATION_IDS, counts, index) ||
           applies(NOTE_NO_TRAINING_IDS, counts, index);
}

/* ---- the report -------------------------------------------------------------------------------------- */

static void write_number(struct json_writer *w, const char *key, uint64_t value)
{
    json_write_key(w, key);
    json_write_int(w, (int64_t)value);
}

static void write_fields(const struct decontam_counts *counts,
                         const struct decontam_options *options, struct json_writer *w)
{
    json_write_key(w, "fields");
    json_write_array(w);
    for (size_t i = 0; i < options->n_fields; i++)
        json_write_span(w, options->fields[i]);
    json_write_end_array(w);
    json_write_key(w, "by_field");
    json_write_object(w);
    uint64_t task = counts->rules[DECONTAM_SAME_TASK]; /* a field may have that name too */
    for (size_t i = 0; counts->fields && i < options->n_fields; i++)
        if (span_is(options->fields[i], "task"))
            task += counts->fields[i];
    if (task)
        write_number(w, "task", task);
    for (size_t i = 0; counts->fields && i < options->n_fields; i++) {
        if (!counts->fields[i] || span_is(options->fields[i], "task"))
            continue;
        json_write_key_span(w, options->fields[i]);
        json_write_int(w, (int64_t)counts->fields[i]);
    }
    json_write_end_object(w);
}

static void write_notes(const struct decontam_counts *counts, const struct decontam_index *index,
                        struct json_writer *w)
{
    struct buf text = {0};
    json_write_key(w, "rules_skipped");
    json_write_object(w);
    for (int note = 0; note <= NOTE_NO_TRAINING_IDS; note++) {
        if (!applies((enum note)note, counts, index))
            continue;
        say((enum note)note, counts, index, &text);
        json_write_key(w, "same_task");
        json_write_span(w, buf_span(&text));
    }
    json_write_end_object(w);
    json_write_key(w, "notes");
    json_write_array(w);
    for (int note = 0; note < NOTE_COUNT; note++) {
        if (!applies((enum note)note, counts, index))
            continue;
        buf_clear(&text);
        say((enum note)note, counts, index, &text);
        json_write_span(w, buf_span(&text));
    }
    json_write_end_array(w);
    json_write_key(w, "note_codes");
    json_write_array(w);
    for (int note = 0; note < NOTE_COUNT; note++)
        if (applies((enum note)note, counts, index))
            json_write_text(w, NOTE_CODES[note]);
    json_write_end_array(w);
    buf_free(&text);
}

static void write_examples(const struct decontam_counts *counts, struct json_writer *w)
{
    const char *at = counts->examples.data, *end;
    json_write_key(w, "examples");
    json_write_array(w);
    for (size_t i = 0; i < counts->n_examples; i++, at = end + 1) {
        end = strchr(at, '\n');
        json_write_raw(w, span_make(at, (size_t)(end - at)));
    }
    json_write_end_array(w);
}

void decontam_report(const struct decontam_counts *counts, const struct decontam_index *index,
                     const struct decontam_options *options, struct json_writer *w)
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
    write_number(w, "n_semantic", 0); /* no embedder, no semantic rule */
    write_number(w, "n_unreadable", counts->unreadable);
    write_number(w, "n_eval_rows", decontam_index_rows(index));
    write_number(w, "n_eval_texts", decontam_index_texts(index));
    write_number(w, "ngram", options->ngram);
    json_write_key(w, "overlap");
    json_write_real(w, options->overlap);
    json_write_key(w, "similarity");
    json_write_null(w);
    write_fields(counts, options, w);
    write_examples(counts, w);
    write_notes(counts, index, w);
    json_write_end_object(w);
}

void decontam_text(const struct decontam_counts *counts, const struct decontam_index *index,
                   const struct decontam_options *options, struct buf *out)
{
    buf_format(
        out,
        "%llu of %llu rows flagged (%.1f %%), %llu kept: same task %llu, exact %llu, near %llu\n",
        (unsigned long long)decontam_flagged(counts), (unsigned long long)counts->rows,
        100 * decontam_rate(counts), (unsigned long long)counts->rules[DECONTAM_CLEAN],
        (unsigned long long)counts->rules[DECONTAM_SAME_TASK],
        (unsigned long long)counts->rules[DECONTAM_EXACT],
        (unsigned long long)counts->rules[DECONTAM_NEAR]);
    buf_format(out, "against %zu evaluation rows, %zu texts; %zu-grams, overlap %g\n",
               decontam_index_rows(index), decontam_index_texts(index), options->ngram,
               options->overlap);
    for (int note = 0; note < NOTE_COUNT; note++) {
        if (!applies((enum note)note, counts, index))
            continue;
        say((enum note)note, counts, index, out);
        buf_byte(out, '\n');
    }
}
