/* sandbox.h: a process that sees nothing but the program it runs and an empty scratch folder:
 * namespaces of its own (user, mount, network, IPC, host name, processes), a root folder built for
 * it, read-only, no capability, and a list of system calls that are refused. Where the kernel
 * forbids namespaces, what is left: Landlock's file rules, the refused calls, and limits;
 * sandbox_lacks says so.
 *
 *   grader (threads)
 *     holder        waits, so that the program's end is noticed and the grader's end is the
 * program's program     process 1 of the namespaces: for code-exec a Python that forks once per
 * candidate
 */
#ifndef WAI_GRADE_SANDBOX_H
#define WAI_GRADE_SANDBOX_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

enum sandbox_wish {
    SANDBOX_AUTO,   /* namespaces when the kernel allows them, else the rest */
    SANDBOX_NONE,   /* nothing but a session of its own */
    SANDBOX_STRICT, /* namespaces or failure */
};

struct sandbox_spec {
    const char *const *argv;        /* NULL-terminated; argv[0] an absolute path */
    const char *const *environment; /* NULL-terminated */
    const char *const *folders;     /* absolute paths seen inside, read-only; NULL-terminated */
    const char *scratch;            /* absolute path inside; where the program may write */
    int channel;                    /* becomes descriptor 3; every other one is closed */
    bool network;
    bool namespaces;
    enum sandbox_wish wish; /* with SANDBOX_NONE nothing is taken away */
};

enum { SANDBOX_CHANNEL = 3, SANDBOX_PID_NAMESPACE = 4 }; /* descriptors inside */

struct sandbox {
    pid_t holder;  /* 0: none */
    pid_t program; /* as seen from outside */
    char
        *root; /* owned: folder outside in which the root is built, or that is the scratch itself */
};

/* Can the kernel give namespaces to this process? Tried once, in a child. */
bool sandbox_namespaces(void);

/* Starts the program. 0, or ERROR_SYSTEM. */
int sandbox_start(struct sandbox *s, const struct sandbox_spec *spec, struct error *error);

/* Ends all that runs in it and removes its folder. */
void sandbox_stop(struct sandbox *s);

/* The filter of refused system calls as struct sock_filter items, for prctl(PR_SET_SECCOMP).
 * Without namespaces it also refuses the network, and signals to the `protect`ed processes. */
void sandbox_filter(bool namespaces, bool network, const pid_t *protect, size_t n_protect,
                    struct buf *out);

#endif
