/* wai-simulate: an agent, a mock world that answers its tool calls and sometimes breaks, rows out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/answer.h"
#include "agent/defaults.h"
#include "base/file.h"
#include "base/log.h"
#include "base/signals.h"
#include "cmd/wai-simulate/grading.h"
#include "measure/beside.h"
#include "model/wire_filter.h"
#include "row/reader.h"
#include "row/writer.h"
#include "scene/defaults.h"
#include "scene/inspect.h"
#include "scene/plan.h"
#include "scene/progress.h"
#include "scene/report.h"
#include "scene/setup.h"
#include "scene/simulator.h"
#include "scene/swarm_job.h"
#include "scene/talk.h"
#include "text/fold.h"
#include "text/term.h"
#include "world/serve.h"

enum { PROGRESS_SECONDS = 10 };

struct session {
    struct simulate_setup in;
    struct row_writer *writer;
    time_t last_progress;
    struct progress_file progress;
    struct buf meta;            /* the sidecar of the rows; empty: none */
    struct rates_beside *rates; /* of judged rows that get a sidecar; NULL: of none */
    struct grading grading;
    struct checkpoint *checkpoint;
    struct talk_setup talk;
    struct simulator simulator;
};

static void tell_lines(struct span lines)
{
    struct span line;
    for (size_t at = 0; text_next_line(lines, &at, &line);)
        log_note("%.*s", (int)line.len, line.ptr);
}

static void tell_notes(struct session *x)
{
    tell_lines(buf_span(&x->in.notes));
    buf_clear(&x->in.notes);
}

static int serve(struct session *x, struct error *error)
{
    struct world_setting setting = {
        &x->in.spec.tools, x->in.world,        x->in.shapes,
        x->in.plan,        x->in.s.world_seed, world_state_of(span_text(x->in.s.world_state))};
    return world_serve(&setting, &x->in.s.rows, x->writer, error);
}

static int inspect(struct session *x, struct error *error)
{
    struct inspect_wish wish = {&x->in.spec.tools, text_strip(buf_span(&x->in.spec.policy)),
                                x->in.s.agent};
    struct buf out = {0};
    int code = inspect_write(&wish, &out, error);
    if (!code)
        code = row_writer_line(x->writer, buf_span(&out), error);
    buf_free(&out);
    return code;
}

static int print_plan(struct session *x, struct error *error)
{
    struct pairs planned, covered = {0};
    const struct simulate_options *s = &x->in.s;
    plan_pairs(&x->in.grid, &planned);
    int code =
        s->against ? plan_cover(&x->in.grid, &planned, s->against, &s->rows, &covered, error) : 0;
    struct plan_view view = {
        &x->in.grid, &x->in.topology,          x->in.budget, &planned, s->against ? &covered : NULL,
        x->in.aimed, s->search.time_budget > 0};
    if (!code)
        code = plan_print(&view, s->json || s->against, x->writer, error);
    if (!code && s->against && s->require_coverage_given &&
        (double)covered.count < s->require_coverage * (double)planned.count)
        code = error_set(error, ERROR_CHECK, "the rows meet %zu of %zu pairs, less than %g of them",
                         covered.count, planned.count, s->require_coverage);
    pairs_free(&planned);
    pairs_free(&covered);
    return code;
}

/* What a program of the user's says on standard error, one write for a line. */
static void hear(const void *who, int number, struct span line)
{
    struct buf text = {0};
    struct error unused;
    buf_format(&text, "%s: %s %d: ", log_program(), (const char *)who, number);
    term_add(&text, line);
    buf_byte(&text, '\n');
    file_write_all(2, "standard error", buf_span(&text), &unused);
    buf_free(&text);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static int write_row(void *data, struct span line, struct error *error)
{
    struct session *x = data;
    int code = grading_row(&x->grading, &line, error);
    if (code)
        return code;
    if (x->rates)
        rates_beside_row(x->rates, line);
    return row_writer_line(x->writer, line, error);
}

static int flush_rows(void *data, struct error *error)
{
    struct session *x = data;
    return row_writer_flush(x->writer, error);
}

/* A line for people every ten seconds, an object for programs whenever the engine says so. */
static void show_progress(void *data, const struct engine_progress *p)
{
    struct session *x = data;
    struct buf text = {0};
    time_t now = time(NULL);
    bool told = p->cap >= SCENE_PROGRESS_ROWS && now - x->last_progress >= PROGRESS_SECONDS;
    if (x->last_progress && told) {
        progress_line(p, &text);
        log_note("%s", buf_cstr(&text));
    }
    if (!x->last_progress || told)
        x->last_progress = now;
    progress_add(&x->progress, p);
    buf_free(&text);
}

static void tell_slow(void *data, struct span scenario_id, int64_t index, double seconds)
{
    (void)data;
    log_note("rollout %lld of %.*s has been in flight for %.0f s", (long long)index,
             (int)(scenario_id.len < 200 ? scenario_id.len : 200), scenario_id.ptr, seconds);
}

static bool interrupted(void)
{
    return signals_caught() != 0;
}

static int write_report(struct session *x, const struct engine_setting *setting,
                        const struct engine_report *report, struct error *error)
{
    struct buf out = {0}, rates = {0};
    report_write(setting, report, &x->in.warnings, &out);
    if (x->rates)
        rates_beside_write(x->rates, &rates);
    report_write_meta(setting, report, &x->in.warnings, buf_span(&rates), &x->meta);
    buf_free(&rates);
    buf_byte(&out, '\n');
    int code = x->in.s.json ? file_write_all(1, "standard output", buf_span(&out), error) : 0;
    if (!code && x->in.s.report)
        code = file_save(x->in.s.report, buf_span(&out), error);
    buf_free(&out);
    return code;
}

static void tell(struct session *x, const struct engine_setting *setting,
                 const struct engine_report *report)
{
    struct buf screen = {0};
    report_screen(setting, report, &screen);
    tell_lines(buf_span(&screen));
    for (size_t i = 0; i < x->in.warnings.count; i++)
        (x->in.warnings.items[i].mild ? log_note : log_warning)(
            "%.*s", (int)x->in.warnings.items[i].text.len, x->in.warnings.items[i].text.ptr);
    buf_free(&screen);
}

static int judge(struct session *x, const struct engine_report *r, struct error *error)
{
    const char *why = r->first_error ? r->first_error : r->stop_error.text;
    if (stop_at_once(r->stop))
        return error_set(error, ERROR_REMOTE, "%s: %.400s; %lld whole rows were written",
                         stop_reason_name(r->stop), r->stop_error.text, (long long)r->rows);
    if (stop_is_failure(r->stop) && r->rows == 0)
        return error_set(error, ERROR_REMOTE, "no row: %s%s%.600s", stop_reason_name(r->stop),
                         *why ? ": " : "", why);
    if (r->stop == STOP_INTERRUPTED)
        return error_set(error, ERROR_INTERRUPTED, "interrupted; %lld whole rows were written",
                         (long long)r->rows);
    if (x->in.s.max_lost_given && r->requested &&
        (double)r->lost > x->in.s.max_lost * (double)r->requested)
        return error_set(error, ERROR_CHECK,
                         "%lld of %lld rollouts were lost, more than --max-lost %g",
                         (long long)r->lost, (long long)r->requested, x->in.s.max_lost);
    if (r->grader.scored && r->grader.errors == r->grader.scored)
        return error_set(error, ERROR_REMOTE, "the grader failed on every one of %lld rows",
                         (long long)r->grader.scored);
    if (x->in.s.require_coverage_given &&
        (double)r->pairs_covered < x->in.s.require_coverage * (double)r->pairs_planned)
        return error_set(error, ERROR_CHECK,
                         "%zu of %zu pairs were met, less than --require-coverage %g",
                         r->pairs_covered, r->pairs_planned, x->in.s.require_coverage);
    return 0;
}

static int open_checkpoint(struct session *x, struct error *error)
{
    bool torn;
    if (!x->in.s.checkpoint || x->in.s.dry_run)
        return 0;
    x->checkpoint = checkpoint_open(x->in.s.checkpoint, &torn, error);
    if (!x->checkpoint)
        return error->code;
    if (torn)
        log_note("%s: the last line was cut short; it is taken off and played again",
                 x->in.s.checkpoint);
    return 0;
}

/* The policy as the agent is told it. */
static struct span told_policy(struct session *x, const struct agent *agent)
{
    struct span policy = text_strip(buf_span(&x->in.spec.policy)), scaffold = x->talk.scaffold;
    struct buf both = {0};
    if (!agent->scaffolded || !scaffold.len)
        return policy;
    buf_span_add(&both, policy);
    buf_text(&both, policy.len ? "\n\n" : "");
    buf_span_add(&both, scaffold);
    policy = arena_span(&x->in.arena, buf_span(&both));
    buf_free(&both);
    return policy;
}

static int run(struct session *x, struct error *error)
{
    const struct simulate_options *s = &x->in.s;
    struct world_tools *world_tools = world_tools_new(&x->in.spec.tools, x->in.world, x->in.shapes);
    struct answers_setting answers = {&x->in.spec.tools,
                                      s->execute,
                                      s->execute_workers,
                                      s->execute_timeout,
                                      s->execute_sessions,
                                      hear,
                                      "world"};
    struct agent_setting agent = {
        .program = {.workers = s->agent_workers,
                    .timeout_s = s->agent_timeout,
                    .format = s->run_format,
                    .heard = hear,
                    .heard_data = "agent"},
        .answers = answers_new(&answers, error),
        .tools = &x->in.spec.tools,
        .world_tools = world_tools,
        .world_options = x->in.world,
        .seeded_rate = s->seeded_rate,
        .agent_seed = s->agent_seed,
        .behaviors = s->behaviors,
        .policy = text_strip(buf_span(&x->in.spec.policy)),
        .scaffold = x->talk.scaffold,
        .talk = x->talk.talk,
        .jobs = s->rows.jobs ? s->rows.jobs : SCENE_JOBS,
    };
    struct engine_setting e = {
        .tools = &x->in.spec.tools,
        .world = x->in.world,
        .grid = &x->in.grid,
        .topology = x->in.topology,
        .sampling = span_text(s->sampling),
        .seed = s->seed,
        .world_seed = s->agent_seed,
        .world_seed_rules = s->world_seed_given,
        .budget = x->in.budget,
        .round = s->round,
        .jobs = s->rows.jobs ? s->rows.jobs : SCENE_JOBS,
        .runs = s->runs,
        .scrub = s->scrub,
        .hard_share = s->hard_share,
        .hard_share_given = s->hard_share_given,
        .situations = s->situations_given && s->situations < 1 ? 1 : s->situations,
        .rerolls = s->rerolls_given ? s->rerolls : x->in.topology.repeats,
        .tasks = s->tasks ? &x->in.tasks : NULL,
        .seeds = x->in.seeds.count ? &x->in.seeds : NULL,
        .strategy = s->strategy,
        .fault_rate_given = s->fault_rate_given || s->risk_given,
        .avg_turns_given = s->talk.avg_turns != TALK_AVG_TURNS,
        .keep_failures = s->search.keep_failures,
        .keep_graded_failures = s->keep_graded_failures,
        .knobs = &x->in.knobs,
        .arm_weights = s->search.arm_weights ? x->in.arm_weights : NULL,
        .steering = s->search.steering,
        .saturate = simulate_saturates(s),
        .time_budget = s->search.time_budget > 0 ? s->search.time_budget : 0,
        .aim = s->tasks ? NULL : x->in.aimed,
        .talk = &x->talk.talk,
        .spent = x->talk.access.budget,
        .priced = x->talk.access.priced,
        .events = {write_row, flush_rows, show_progress, interrupted, x, tell_slow},
    };
    struct engine_report report = {0};
    e.world_seed = s->world_seed_given ? s->world_seed : s->agent_seed;
    if (agent.answers)
        e.agent = agent_open(x->talk.agent, &agent, error);
    int code = e.agent
                   ? grading_open(&x->grading, &x->in, x->talk.open ? &x->talk.access : NULL, error)
                   : error->code;
    if ((x->grading.beside || x->grading.after) && s->output)
        x->rates = rates_beside_open();
    if (!code)
        code = open_checkpoint(x, error);
    if (!code)
        code = progress_open(&x->progress, s->dry_run ? NULL : s->search.progress, error);
    simulator_use(&x->simulator, &e);
    e.judge = grade_beside_judge(x->grading.beside);
    e.graded = s->grade != NULL;
    e.judged_by_model = grade_beside_model(x->grading.beside);
    e.checkpoint = x->checkpoint;
    if (!code) {
        e.policy = told_policy(x, e.agent);
        e.model_version = s->model_version ? s->model_version : e.agent->version;
        code = s->dry_run ? engine_dry_run(&e, error) : engine_run(&e, &report, error);
    }
    if (!code && !s->dry_run) {
        report_warnings(&e, &report, e.agent->kind == &AGENT_SEEDED, &x->in.warnings);
        code = row_writer_flush(x->writer, error);
        int reported = code ? code : write_report(x, &e, &report, error);
        tell(x, &e, &report);
        code = reported ? reported : judge(x, &report, error);
    }
    int closed = progress_close(&x->progress, code ? NULL : error);
    code = code ? code : closed;
    agent_close(e.agent);
    answers_free(agent.answers);
    grading_close(&x->grading);
    checkpoint_close(x->checkpoint);
    engine_report_free(&report);
    world_tools_free(world_tools);
    return code;
}

/* Opens what the agent needs, plays, and sees to it that a recording is whole. */
static int play(struct session *x, struct error *error)
{
    int code = grading_choose(&x->grading, &x->in.s, error);
    if (!code)
        code = talk_setup_open(&x->talk, &x->in.s, x->in.aimed ? &x->in.aimed->traces : NULL,
                               &x->in.notes, error);
    if (x->in.s.dry_run)
        buf_clear(&x->in.notes); /* nobody plays */
    if (!code)
        code = simulator_draft_tools(&x->in, &x->talk, error);
    if (!code)
        code = simulate_setup_situations(&x->in, error);
    tell_notes(x);
    if (!code)
        code = simulator_open(&x->simulator, &x->in, &x->talk, error);
    if (!code)
        code = run(x, error);
    simulator_close(&x->simulator);
    int closed = talk_setup_close(&x->talk, code ? NULL : error);
    return code ? code : closed;
}

static int show_wire(struct session *x, struct error *error)
{
    x->writer = row_writer_open(x->in.s.output, error);
    if (!x->writer)
        return error->code;
    int code = wire_filter(x->in.s.wire_reply, &x->in.s.rows, x->writer, error);
    if (code < 0) {
        row_writer_abandon(x->writer);
        return code;
    }
    return row_writer_close(x->writer, error);
}

static int swarm(struct session *x, struct error *error)
{
    int code = x->in.s.swarm.calibrate ? swarm_calibrate_job(&x->in.s, error)
                                       : swarm_job(&x->in.s, interrupted, &x->in.notes, error);
    tell_notes(x);
    return code;
}

static int work(struct session *x, struct error *error)
{
    if (x->in.s.swarm.topology || x->in.s.swarm.calibrate)
        return swarm(x, error);
    if (x->in.s.wire || x->in.s.wire_reply)
        return show_wire(x, error);
    int code = simulate_setup_read(&x->in, error);
    tell_notes(x);
    if (code)
        return code;
    x->writer = row_writer_open(x->in.s.plan || x->in.s.world_only ? NULL : x->in.s.output, error);
    if (!x->writer)
        return error->code;
    if (x->in.s.world_only) {
        code = serve(x, error);
    } else if (x->in.s.inspect) {
        code = inspect(x, error);
    } else if (!x->in.s.plan) {
        code = play(x, error);
    } else if (!(code = simulate_setup_situations(&x->in, error))) {
        tell_notes(x);
        code = print_plan(x, error);
    }
    if (code < 0 && code != ERROR_INTERRUPTED && code != ERROR_CHECK && code != ERROR_REMOTE) {
        row_writer_abandon(x->writer);
        return code;
    }
    int closed = row_writer_close(x->writer, code ? NULL : error);
    if (!closed)
        closed = report_save_meta(x->in.s.output, buf_span(&x->meta), code ? NULL : error);
    return code ? code : closed;
}

int main(int argc, char **argv)
{
    struct session x = {.in = {.s = SIMULATE_DEFAULTS}};
    struct operands operands = {0};
    struct error error = {0};
    signals_open();
    log_open("wai-simulate");
    int code = options_parse(&SIMULATE_COMMAND, argc, argv, &x.in.s, &operands, &error);
    if (code == OPTIONS_RUN) {
        log_quiet(x.in.s.rows.quiet);
        code = simulate_check(&x.in.s, &operands, &error);
        if (!code)
            code = work(&x, &error);
    }
    buf_free(&x.meta);
    rates_beside_close(x.rates);
    simulate_setup_free(&x.in);
    operands_free(&operands);
    return code < 0 ? log_fail(&error) : 0;
}
