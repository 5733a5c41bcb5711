/* swarm_write.c: what a swarm says: a line for a problem, a row for an attempt, and how fitness and
 * rightness go together. Rows hold the bare problem and the answer, never what a particle was shown. */
#include "scene/defaults.h"
#include "scene/swarm_inside.h"
#include "stat/stat.h"
#include "text/number.h"
#include "json/write.h"

static void write_sample(const struct attempt *a, struct json_writer *w)
{
    json_write_object(w);
    json_write_key(w, "round");
    json_write_int(w, a->round);
    json_write_key(w, "particle");
    json_write_int(w, a->particle);
    json_write_key(w, "text");
    json_write_span(w, buf_span(&a->text));
    json_write_key(w, "grade");
    json_write_object(w);
    json_write_key(w, "fitness");
    json_write_real(w, a->fitness);
    json_write_key(w, "correct");
    json_write_bool(w, a->correct);
    json_write_key(w, "feedback");
    json_write_span(w, buf_span(&a->feedback));
    json_write_end_object(w);
    json_write_end_object(w);
}

/* Right before wrong, then the fitter; the first of equals. */
static bool better(const struct attempt *a, const struct attempt *b)
{
    if (a->correct != b->correct)
        return a->correct;
    return a->fitness > b->fitness;
}

void swarm_write_result(const struct swarm *swarm, const struct problem *p, struct buf *out)
{
    const struct swarm_setting *s = swarm->setting;
    const struct attempt *best = NULL;
    struct json_writer w;
    int64_t lost = 0, n = p->round * s->particles;
    for (int64_t i = 0; i < n; i++) {
        lost += !p->attempts[i].done;
        if (p->attempts[i].done && (!best || better(&p->attempts[i], best)))
            best = &p->attempts[i];
    }
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "wai_report");
    json_write_text(&w, "wai-simulate swarm");
    json_write_key(&w, "scenario_id");
    json_write_span(&w, p->task->scenario_id);
    json_write_key(&w, "topology");
    json_write_text(&w, swarm_topology_name(s->topology));
    json_write_key(&w, "particles");
    json_write_int(&w, s->particles);
    json_write_key(&w, "rounds");
    json_write_int(&w, s->rounds);
    json_write_key(&w, "rescued");
    json_write_bool(&w, p->first_right >= 0);
    json_write_key(&w, "round");
    if (p->first_right >= 0)
        json_write_int(&w, p->first_right);
    else
        json_write_null(&w);
    json_write_key(&w, "lost");
    json_write_int(&w, lost);
    json_write_key(&w, "best");
    if (best)
        write_sample(best, &w);
    else
        json_write_null(&w);
    json_write_key(&w, "samples");
    json_write_array(&w);
    for (int64_t i = 0; i < n; i++)
        if (p->attempts[i].done)
            write_sample(&p->attempts[i], &w);
    json_write_end_array(&w);
    json_write_end_object(&w);
}

void swarm_write_row(const struct swarm *swarm, const struct attempt *a, struct buf *out)
{
    const struct swarm_setting *s = swarm->setting;
    const struct scene_task *task = a->problem->task;
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "schema_version");
    json_write_text(&w, "1");
    json_write_key(&w, "scenario_id");
    json_write_span(&w, task->scenario_id);
    json_write_key(&w, "prompt");
    json_write_span(&w, task->prompt);
    json_write_key(&w, "steps");
    json_write_array(&w);
    json_write_end_array(&w);
    json_write_key(&w, "final_text");
    json_write_span(&w, buf_span(&a->text));
    json_write_key(&w, "rollout_index");
    json_write_int(&w, a->round * s->particles + a->particle);
    json_write_key(&w, "model_version");
    json_write_text(&w, s->version);
    json_write_key(&w, "seed");
    json_write_int(&w, s->seed);
    json_write_key(&w, "swarm");
    json_write_object(&w);
    json_write_key(&w, "topology");
    json_write_text(&w, swarm_topology_name(s->topology));
    json_write_key(&w, "round");
    json_write_int(&w, a->round);
    json_write_key(&w, "particle");
    json_write_int(&w, a->particle);
    json_write_key(&w, "fitness");
    json_write_real(&w, a->fitness);
    json_write_key(&w, "correct");
    json_write_bool(&w, a->correct);
    json_write_end_object(&w);
    json_write_key(&w, "reward");
    json_write_int(&w, a->correct);
    json_write_end_object(&w);
    if (task->members.len) { /* the problem's own: gold, level … */
        out->len--;
        buf_byte(out, ',');
        buf_span_add(out, task->members);
        buf_byte(out, '}');
    }
}

/* ---- fitness against rightness --------------------------------------------------------------- */

/* In the order of the report; the last one is full fitness. */
static const struct {
    const char *name;
    double from;
} BUCKETS[SWARM_BUCKETS] = {
    {"0", 0},       {"0.00+", 0},    {"0.10+", 0.1}, {"0.25+", 0.25},
    {"0.50+", 0.5}, {"0.75+", 0.75}, {"0.90+", 0.9}, {"1.0", 1},
};

const char *swarm_bucket_name(int bucket)
{
    return BUCKETS[bucket].name;
}

static int bucket_of(double fitness)
{
    int bucket = 0;
    if (fitness == 0)
        return 0;
    for (int i = 1; i < SWARM_BUCKETS; i++)
        if (fitness >= BUCKETS[i].from)
            bucket = i;
    return bucket;
}

/* The member at top level, else under grade, else under swarm. */
static const struct json_value *member_of(const struct row *row, const char *key,
                                          struct json_value *inner)
{
    static const char *const places[] = {"grade", "swarm"};
    const struct json_value *v = row_get(row, span_text(key));
    for (size_t i = 0; !v && i < sizeof places / sizeof *places; i++) {
        const struct json_value *place = row_get(row, span_text(places[i]));
        if (place && place->type == JSON_VALUE_OBJECT && json_get(*place, span_text(key), inner))
            v = inner;
    }
    return v;
}

/* NULL, or what is wrong with the attempt. */
static const char *add_attempt(struct swarm_calibration *c, const struct row *row)
{
    struct json_value a, b;
    const struct json_value *fitness = member_of(row, "fitness", &a);
    const struct json_value *correct = member_of(row, "correct", &b);
    if (!fitness || fitness->type != JSON_VALUE_NUMBER)
        return "no number fitness, here or under grade or swarm; these are not a swarm's attempts";
    double f = number_of_json(fitness->text);
    if (f < 0)
        return "the fitness is under 0; scale it to 0 … 1";
    if (!correct || (correct->type != JSON_VALUE_TRUE && correct->type != JSON_VALUE_FALSE))
        return "correct is neither true nor false; the fitness command must say it";
    int bucket = bucket_of(f);
    c->all[bucket]++;
    c->right[bucket] += correct->type == JSON_VALUE_TRUE;
    c->n++;
    return NULL;
}

int swarm_calibrate(struct swarm_calibration *c, const struct row_options *options,
                    struct error *error)
{
    struct row_source source = {.options = *options};
    struct row_reader *reader = row_reader_open(&source, error);
    struct row row;
    int got = reader ? 0 : error->code;
    *c = (struct swarm_calibration){0};
    while (got >= 0 && (got = row_reader_next(reader, &row, error)) > 0) {
        const char *wrong = add_attempt(c, &row);
        if (wrong)
            got = row_reader_reject(reader, &row, wrong, error);
    }
    if (reader) {
        int closed = row_reader_close(reader, got < 0 ? NULL : error);
        got = got < 0 ? got : closed;
    }
    return got < 0 ? got : 0;
}

bool swarm_partial_signal(const struct swarm_calibration *c)
{
    for (int i = 0; i < SWARM_BUCKETS - 1; i++)
        if (c->right[i])
            return true;
    return false;
}

void swarm_calibration_json(const struct swarm_calibration *c, struct buf *out)
{
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "wai_report");
    json_write_text(&w, "wai-simulate swarm-calibrate");
    json_write_key(&w, "rows");
    json_write_array(&w);
    for (int i = 0; i < SWARM_BUCKETS; i++) {
        if (!c->all[i])
            continue;
        json_write_array(&w);
        json_write_text(&w, BUCKETS[i].name);
        json_write_int(&w, c->right[i]);
        json_write_int(&w, c->all[i]);
        json_write_end_array(&w);
    }
    json_write_end_array(&w);
    json_write_key(&w, "n");
    json_write_int(&w, c->n);
    json_write_key(&w, "partial_signal");
    json_write_bool(&w, swarm_partial_signal(c));
    json_write_end_object(&w);
}

void swarm_calibration_text(const struct swarm_calibration *c, struct buf *out)
{
    buf_text(out, "fitness   right     n   rate\n");
    for (int i = 0; i < SWARM_BUCKETS; i++) {
        if (!c->all[i])
            continue;
        double right = (double)c->right[i], all = (double)c->all[i];
        struct interval ci = stat_wilson(right, all, SCENE_DEAD_TOOL_Z);
        buf_format(out, "%-7s %7lld %5lld   %.3f [%.3f, %.3f]\n", BUCKETS[i].name,
                   (long long)c->right[i], (long long)c->all[i], right / all, ci.low, ci.high);
    }
    if (!c->n)
        buf_text(out, "no attempt: nothing is known of the fitness\n");
    else if (swarm_partial_signal(c))
        buf_text(out, "right answers turn up below full fitness: there is a way up to climb\n");
    else
        buf_text(out, "a cliff, not a hill: no answer below full fitness is right, so a swarm has "
                      "nothing to climb; sample plainly, or find a finer fitness\n");
}
