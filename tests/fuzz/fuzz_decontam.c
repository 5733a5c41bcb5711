/* fuzz_decontam.c: what decontamination reads from files that others wrote. An input that begins with the
 * index's mark is an index: its digest is made to fit, and when it is taken, rows are held against it and it
 * is joined to a new one. Anything else is lines of partial summaries: what merges gives a report that is
 * JSON, and a summary that merges to the same report. */
#include <math.h>
#include <stdlib.h>

#include "select/decontam_index.h"
#include "select/decontam_report.h"

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

enum { LINES_MAX = 50, GRAM_MAX = 1000 };

static void use_index(const struct decontam_index *index)
{
    static const char *const ROWS[] = {
        "{\"task_id\":\"h2\",\"prompt\":\"x\"}",
        "{\"prompt\":\"Why did only two of the four blue mugs arrive?\"}",
        "{\"prompt\":\"two of the four blue mugs arrive and more\"}",
        "{\"prompt\":\"\xe4\xbd\xa0\xe5\xa5\xbd\"}",
    };
    static const struct span FIELD = {"prompt", 6};
    struct decontam_options o = {decontam_index_ngram(index), 0.1, &FIELD, 1};
    struct decontam_scratch *s = decontam_scratch_new(index);
    struct json_members members = {0};
    struct row row;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        REQUIRE(row_of_text(span_text(ROWS[i]), &row, &members, NULL) == 0);
        enum decontam_rule quick = decontam_check(index, &o, &row, false, s).rule;
        struct decontam_finding finding = decontam_check(index, &o, &row, true, s);
        REQUIRE(finding.rule == quick);
        if (finding.rule == DECONTAM_NEAR)
            REQUIRE(finding.covered >= 1 && finding.covered <= finding.words);
    }
    json_members_free(&members);
    decontam_scratch_free(s);
}

static void try_index(const uint8_t *data, size_t size)
{
    char *bytes = mem_copy(data, size + !size);
    struct error error;
    if (size >= sizeof(struct decontam_header)) {
        uint8_t digest[32];
        decontam_image_digest(bytes, size, digest);
        memcpy(bytes + offsetof(struct decontam_header, digest), digest, sizeof digest);
    }
    struct decontam_index *index = decontam_index_read(span_make(bytes, size), "it", &error);
    free(bytes);
    if (!index)
        return;
    if (decontam_index_ngram(index) <= GRAM_MAX)
        use_index(index);
    struct decontam_index *joined = decontam_index_new(3, decontam_index_tokens(index));
    REQUIRE(decontam_index_join(joined, index, &error) == 0);
    decontam_index_seal(joined);
    struct decontam_index *again =
        decontam_index_read(span_make(joined->image, joined->size), "it", &error);
    REQUIRE(again);
    use_index(again);
    decontam_index_free(again);
    decontam_index_free(joined);
    decontam_index_free(index);
}

static struct buf report_of(const struct decontam_counts *counts, const struct decontam_side *side)
{
    struct buf out = {0}, text = {0};
    struct json_writer w;
    struct json_value value;
    struct json_fault fault;
    json_write_start(&w, &out, JSON_STYLE_COMPACT);
    decontam_report(counts, side, &w);
    REQUIRE(json_scan(buf_span(&out), &value, NULL, &fault) == 0);
    decontam_text(counts, side, &text);
    buf_free(&text);
    return out;
}

static void check_merged(const struct decontam_counts *counts, const struct decontam_side *side)
{
    struct buf report = report_of(counts, side), partial = {0};
    struct decontam_counts again = {0};
    struct decontam_side other = {.alike = NAN};
    struct json_writer w;
    struct json_value value;
    struct json_fault fault;
    struct error error;
    double rate = decontam_rate(counts);
    REQUIRE(rate >= 0 && rate <= 1);
    json_write_start(&w, &partial, JSON_STYLE_COMPACT);
    decontam_partial_write(counts, side, &w);
    REQUIRE(json_scan(buf_span(&partial), &value, NULL, &fault) == 0);
    REQUIRE(decontam_partial_merge(value, &again, &other, &error) == 0);
    struct buf same = report_of(&again, &other);
    REQUIRE(span_equal(buf_span(&report), buf_span(&same)));
    decontam_counts_free(&again);
    decontam_side_free(&other);
    buf_free(&report);
    buf_free(&partial);
    buf_free(&same);
}

static void try_summaries(struct span input)
{
    struct decontam_counts counts = {0};
    struct decontam_side side = {.alike = NAN};
    struct json_value value;
    struct json_fault fault;
    struct error error;
    size_t lines = 0;
    bool whole = true;
    for (size_t at = 0; at < input.len && whole && lines < LINES_MAX; lines++) {
        size_t end = span_find(input, SPAN("\n"), at);
        end = end == (size_t)-1 ? input.len : end;
        if (json_scan(span_slice(input, at, end), &value, NULL, &fault) == 0 &&
            value.type == JSON_VALUE_OBJECT) {
            error.code = 0;
            whole = decontam_partial_merge(value, &counts, &side, &error) == 0;
            REQUIRE(whole || error.code == ERROR_INPUT);
        }
        at = end + 1;
    }
    if (whole && side.fields)
        check_merged(&counts, &side);
    decontam_counts_free(&counts);
    decontam_side_free(&side);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span input = span_make((const char *)data, size);
    if (span_starts(input, SPAN("waidec")))
        try_index(data, size);
    else
        try_summaries(input);
    return 0;
}
