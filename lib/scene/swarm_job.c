/* swarm_job.c: see swarm_job.h. */
#include "scene/swarm_job.h"

#include "base/file.h"
#include "scene/defaults.h"
#include "scene/spec.h"
#include "scene/swarm.h"
#include "scene/talk.h"
#include "stat/stat.h"
#include "text/fold.h"
#include "json/write.h"

struct job {
    const struct simulate_options *s;
    struct talk_setup talk;
    struct model *model;
    struct scene_spec spec; /* its policy is the instruction */
    struct task_list problems;
    struct swarm_setting setting;
    struct swarm_counts counts;
    struct row_writer *rows, *results; /* NULL: not wanted */
};

int swarm_check(const struct simulate_options *s, struct error *error)
{
    const struct swarm_options *w = &s->swarm;
    const struct {
        bool given;
        const char *name;
    } apart[] = {
        {s->tools.count > 0, "--tools"},
        {s->spec != NULL, "--spec"},
        {s->traces != NULL, "--traces"},
        {s->seeds != NULL, "--seeds"},
        {s->grader != NULL, "--grader"},
        {s->grade != NULL, "--grade"},
        {s->checkpoint != NULL, "--checkpoint"},
        {s->mode != NULL, "--mode"},
        {s->world_only, "--world-only"},
        {s->plan, "--plan"},
        {s->dry_run, "--dry-run"},
        {s->wire || s->wire_reply, "--wire"},
        {s->runs > 1, "--runs"},
        {s->repeats_given || s->repeats_alias_given, "--repeats"},
        {s->situations_given, "--situations"},
        {s->simulators.count > 0, "--simulator"},
        {w->calibrate && w->topology, "--swarm"},
    };
    if (!w->topology && !w->calibrate) {
        if (w->fitness || w->particles_given || w->rounds_given || w->fitness_seconds_given)
            return error_set(
                error, ERROR_USAGE,
                "--fitness, --fitness-timeout, --particles and --rounds are for --swarm "
                "solo|ring|star");
        return 0;
    }
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        if (apart[i].given)
            return error_set(error, ERROR_USAGE, "--swarm%s does not go with %s; leave it out",
                             w->calibrate ? "-calibrate" : "", apart[i].name);
    if (w->calibrate)
        return 0;
    enum swarm_topology topology;
    if (*w->topology && !swarm_topology_of(w->topology, &topology))
        return error_set(error, ERROR_USAGE, "--swarm %.60s: solo, ring or star", w->topology);
    if (!w->fitness || strncmp(w->fitness, "cmd:", 4) != 0 || !w->fitness[4])
        return error_set(error, ERROR_USAGE,
                         "--swarm needs --fitness cmd:COMMAND, which reads {\"id\", \"text\", "
                         "\"prompt\"} and answers a number or {\"fitness\", \"correct\", "
                         "\"feedback\"}");
    return 0;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int open_model(struct job *x, struct error *error)
{
    struct buf notes = {0};
    int code = talk_setup_open(&x->talk, x->s, NULL, &notes, error);
    buf_free(&notes);
    if (code < 0)
        return code;
    if (!model_spec_known(x->talk.agent))
        return error_set(error, ERROR_USAGE,
                         "--swarm needs --agent SPEC, a model: openai:NAME, anthropic:NAME, "
                         "vllm:NAME@URL, ollama:NAME, exec:COMMAND, replay:FILE; \"%.60s\" is none",
                         x->talk.agent);
    x->model = model_open(x->talk.agent, &x->talk.talk.access, error);
    return x->model ? 0 : error->code;
}

static int open_job(struct job *x, struct error *error)
{
    const struct simulate_options *s = x->s;
    const struct swarm_options *w = &s->swarm;
    struct spec_wish wish = {.policy = s->policy, .system_prompt = s->system_prompt};
    struct buf notes = {0};
    x->setting = (struct swarm_setting){
        .fitness = w->fitness + 4,
        .topology = SWARM_RING,
        .particles = w->particles,
        .rounds = w->rounds,
        .seed = s->seed,
        .jobs = s->rows.jobs ? s->rows.jobs : SCENE_JOBS,
        .temperature = s->talk.temperature_given ? s->talk.temperature : SWARM_TEMPERATURE,
        .reply_tokens = s->talk.reply_tokens_given ? s->talk.reply_tokens : SWARM_REPLY_TOKENS,
        .timeout_s = s->talk.timeout,
        .fitness_seconds = w->fitness_seconds,
        .stop_on_correct = w->stop_on_correct,
    };
    swarm_topology_of(w->topology, &x->setting.topology);
    int code = spec_read(&x->spec, &wish, &notes, error);
    buf_free(&notes);
    x->setting.instruction = text_strip(buf_span(&x->spec.policy));
    if (!code)
        code = tasks_read(&x->problems, s->tasks ? s->tasks : "-", &s->rows, error);
    if (!code)
        code = open_model(x, error);
    x->setting.model = x->model;
    x->setting.version = s->model_version || code ? s->model_version : model_name(x->model);
    if (!code && (!s->json || s->output) && !(x->rows = row_writer_open(s->output, error)))
        code = error->code;
    if (!code && s->json && !(x->results = row_writer_open(NULL, error)))
        code = error->code;
    return code;
}

/* ---- what comes out -------------------------------------------------------------------------- */

static int put(struct row_writer *writer, struct span line, struct error *error)
{
    int code = row_writer_line(writer, line, error);
    return code ? code : row_writer_flush(writer, error);
}

static int put_result(void *data, struct span line, struct error *error)
{
    return put(((struct job *)data)->results, line, error);
}

static int put_row(void *data, struct span line, struct error *error)
{
    return put(((struct job *)data)->rows, line, error);
}

static void write_report(const struct job *x, struct buf *out)
{
    const struct swarm_setting *s = &x->setting;
    const struct swarm_counts *c = &x->counts;
    const struct {
        const char *key;
        int64_t value;
    } numbers[] = {
        {"particles", s->particles}, {"rounds", s->rounds},
        {"seed", s->seed},           {"problems", c->problems},
        {"rescued", c->rescued},     {"attempts", c->attempts},
        {"attempts_lost", c->lost},  {"agent_max_tokens", s->reply_tokens},
    };
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "wai_report");
    json_write_text(&w, "wai-simulate swarm");
    json_write_key(&w, "topology");
    json_write_text(&w, swarm_topology_name(s->topology));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        json_write_key(&w, numbers[i].key);
        json_write_int(&w, numbers[i].value);
    }
    json_write_key(&w, "first_error");
    if (c->first_error[0])
        json_write_text(&w, c->first_error);
    else
        json_write_null(&w);
    json_write_key(&w, "temperature");
    json_write_real(&w, s->temperature);
    json_write_key(&w, "stop_on_correct");
    json_write_bool(&w, s->stop_on_correct);
    json_write_key(&w, "agent_model");
    json_write_text(&w, model_name(x->model));
    model_access_report(&x->talk.access, &w);
    json_write_end_object(&w);
    buf_byte(out, '\n');
}

static void tell(const struct job *x, struct buf *notes)
{
    const struct swarm_counts *c = &x->counts;
    if (c->problems) {
        struct interval ci =
            stat_wilson((double)c->rescued, (double)c->problems, SCENE_DEAD_TOOL_Z);
        buf_format(notes, "%lld of %lld problems got a right answer: %.2f [%.2f, %.2f]\n",
                   (long long)c->rescued, (long long)c->problems,
                   (double)c->rescued / (double)c->problems, ci.low, ci.high);
    }
    if (c->lost)
        buf_format(notes, "%lld of %lld attempts were lost, the first because: %s\n",
                   (long long)c->lost, (long long)(c->lost + c->attempts), c->first_error);
}

static int judge(const struct job *x, struct error *error)
{
    const struct swarm_counts *c = &x->counts;
    if (c->lost && !c->attempts)
        return error_set(error, ERROR_REMOTE, "no attempt has a text and a fitness: %s",
                         c->first_error);
    if (x->s->max_lost_given && (double)c->lost > x->s->max_lost * (double)(c->lost + c->attempts))
        return error_set(error, ERROR_CHECK,
                         "%lld of %lld attempts were lost, more than --max-lost %g",
                         (long long)c->lost, (long long)(c->lost + c->attempts), x->s->max_lost);
    return 0;
}

static int close_writer(struct row_writer *writer, int code, struct error *error)
{
    if (!writer)
        return code;
    if (code < 0 && code != ERROR_REMOTE && code != ERROR_CHECK && code != ERROR_INTERRUPTED) {
        row_writer_abandon(writer);
        return code;
    }
    int closed = row_writer_close(writer, code ? NULL : error);
    return code ? code : closed;
}

int swarm_job(const struct simulate_options *s, bool (*interrupted)(void), struct buf *notes,
              struct error *error)
{
    struct job x = {.s = s};
    struct buf report = {0};
    int code = open_job(&x, error);
    x.setting.interrupted = interrupted;
    if (!code) {
        struct swarm_events events = {x.results ? put_result : NULL, x.rows ? put_row : NULL, &x};
        code = swarm_run(&x.setting, &x.problems, &events, &x.counts, error);
        tell(&x, notes);
        if (s->report) {
            write_report(&x, &report);
            int saved = file_save(s->report, buf_span(&report), code ? NULL : error);
            code = code ? code : saved;
        }
        if (!code)
            code = judge(&x, error);
    }
    code = close_writer(x.rows, code, error);
    code = close_writer(x.results, code, error);
    if (x.model)
        model_close(x.model);
    int closed = talk_setup_close(&x.talk, code ? NULL : error);
    buf_free(&report);
    spec_free(&x.spec);
    task_list_free(&x.problems);
    return code ? code : closed;
}

int swarm_calibrate_job(const struct simulate_options *s, struct error *error)
{
    struct swarm_calibration c;
    struct buf out = {0};
    int code = swarm_calibrate(&c, &s->rows, error);
    if (!code) {
        swarm_calibration_json(&c, &out);
        buf_byte(&out, '\n');
        code = s->report ? file_save(s->report, buf_span(&out), error) : 0;
    }
    if (!code && !s->json) {
        buf_clear(&out);
        swarm_calibration_text(&c, &out);
    }
    if (!code)
        code = file_write_all(1, "standard output", buf_span(&out), error);
    buf_free(&out);
    return code;
}
