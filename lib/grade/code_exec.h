/* code_exec.h: running candidate programs against tests (grade 7): code_host.c keeps one warm,
 * sandboxed interpreter per worker, code_runner.c is the Python inside, code_exec.c the verifier.
 */
#ifndef WAI_GRADE_CODE_EXEC_H
#define WAI_GRADE_CODE_EXEC_H

#include "base/buf.h"
#include "base/error.h"
#include "grade/sandbox.h"

extern const char CODE_RUNNER[];

struct code_limits {
    double timeout_s; /* wall time per run */
    double cpu_s;
    double memory_mb, file_mb; /* MiB */
    int procs, files;
    size_t out_bytes; /* kept of a run's output: the last ones */
    bool network;
};

/* What is found out about an interpreter once: where it lives and what must be seen inside. */
struct code_python {
    char *executable;
    char **folders; /* NULL-terminated */
    size_t n_folders, cap_folders;
    const char *scratch;
    bool has_ctypes;
};

/* 0, or ERROR_SYSTEM when no such interpreter runs. */
int code_python_find(struct code_python *p, const char *name, struct error *error);
void code_python_free(struct code_python *p);

struct code_host; /* one per worker; not shared between threads */

struct code_host_options {
    const struct code_python *python;
    struct code_limits limits;
    struct span setup;
    enum sandbox_wish wish;
    bool namespaces; /* the kernel gives them */
};

struct code_host *code_host_open(const struct code_host_options *options);
void code_host_close(struct code_host *h);

enum code_end {
    CODE_COMPLETED, /* the tests ran to their end, proved by the token */
    CODE_FAILED,    /* an exception, named in `exception` when the program got to say so */
    CODE_TIMED_OUT,
    CODE_CPU_OUT,
    CODE_LOST, /* the sandbox itself ended: *error says how */
};

struct code_outcome {
    enum code_end end;
    struct buf exception; /* class name, as the program says */
    struct buf output;    /* its last bytes */
    int exit_code;        /* or minus a signal */
};
void code_outcome_free(struct code_outcome *o);

/* Turns tests into two blobs: to run, and a control that must never complete. CODE_FAILED with the
 * exception when they are no Python. */
enum code_end code_host_build(struct code_host *h, struct span tests, struct buf *real,
                              struct buf *control, struct code_outcome *o, struct error *error);

/* Runs a candidate against a blob. */
void code_host_run(struct code_host *h, struct span candidate, struct span blob,
                   struct code_outcome *o, struct error *error);

#endif
