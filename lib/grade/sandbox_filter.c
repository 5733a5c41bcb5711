/* sandbox_filter.c: the system calls that a sandboxed program is refused, as a BPF program for
 * seccomp (seccomp(2)). A list of what is forbidden, not of what is allowed: interpreters and their
 * libraries call nearly everything else. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "grade/sandbox.h"

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define THIS_ARCH AUDIT_ARCH_RISCV64
#else
#define THIS_ARCH 0
#endif

#define CALL(name) SYS_##name

static const int REFUSED[] = {
    CALL(ptrace),
    CALL(process_vm_readv),
    CALL(process_vm_writev),
    CALL(mount),
    CALL(umount2),
    CALL(pivot_root),
    CALL(chroot),
    CALL(unshare),
    CALL(setns),
    CALL(keyctl),
    CALL(add_key),
    CALL(request_key),
    CALL(perf_event_open),
    CALL(init_module),
    CALL(delete_module),
    CALL(kexec_load),
    CALL(swapon),
    CALL(swapoff),
    CALL(reboot),
    CALL(acct),
    CALL(quotactl),
    CALL(syslog),
    CALL(settimeofday),
    CALL(clock_settime),
    CALL(clock_adjtime),
    CALL(adjtimex),
    CALL(sethostname),
    CALL(setdomainname),
    CALL(vhangup),
    CALL(personality),
    CALL(shmget),
    CALL(shmat),
    CALL(shmctl),
    CALL(msgget),
    CALL(msgsnd),
    CALL(msgrcv),
    CALL(msgctl),
    CALL(semget),
    CALL(semop),
    CALL(semctl),
    CALL(semtimedop),
    CALL(mq_open),
    CALL(mq_unlink),
#ifdef SYS_bpf
    CALL(bpf),
#endif
#ifdef SYS_userfaultfd
    CALL(userfaultfd),
#endif
#ifdef SYS_finit_module
    CALL(finit_module),
#endif
#ifdef SYS_kexec_file_load
    CALL(kexec_file_load),
#endif
#ifdef SYS_io_uring_setup
    CALL(io_uring_setup),
    CALL(io_uring_enter),
    CALL(io_uring_register),
#endif
#ifdef SYS_open_by_handle_at
    CALL(open_by_handle_at),
    CALL(name_to_handle_at),
#endif
#ifdef SYS_fanotify_init
    CALL(fanotify_init),
#endif
#ifdef SYS_fsopen
    CALL(fsopen),
    CALL(fsconfig),
    CALL(fsmount),
    CALL(fspick),
    CALL(move_mount),
    CALL(open_tree),
#endif
#ifdef SYS_mount_setattr
    CALL(mount_setattr),
#endif
#ifdef SYS_pidfd_getfd
    CALL(pidfd_getfd),
#endif
#ifdef SYS_process_madvise
    CALL(process_madvise),
#endif
#ifdef SYS_kcmp
    CALL(kcmp),
#endif
#ifdef SYS_iopl
    CALL(iopl),
    CALL(ioperm),
#endif
#ifdef SYS_lookup_dcookie
    CALL(lookup_dcookie),
#endif
};

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif
#define NEW_NAMESPACES                                                                         \
    (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | \
     CLONE_NEWCGROUP)

static void add(struct buf *out, uint16_t code, uint8_t yes, uint8_t no, uint32_t value)
{
    struct sock_filter item = {code, yes, no, value};
    buf_add(out, &item, sizeof item);
}

static void load_call(struct buf *out)
{
    add(out, BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
}

/* The low half of an argument (all targets are little-endian). */
static void load_argument(struct buf *out, int which)
{
    add(out, BPF_LD | BPF_W | BPF_ABS, 0, 0,
        (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)which));
}

static void answer(struct buf *out, int error_number)
{
    add(out, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | (uint32_t)error_number);
}

static void refuse(struct buf *out, int call, int error_number)
{
    add(out, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (uint32_t)call);
    answer(out, error_number);
}

/* When the call is `call` and its argument equals (or, with `bits`, shares a bit with) value:
 * EPERM. The call's number is in the accumulator before and after. */
static void refuse_argument(struct buf *out, int call, int which, bool bits, uint32_t value)
{
    add(out, BPF_JMP | BPF_JEQ | BPF_K, 0, 4, (uint32_t)call);
    load_argument(out, which);
    add(out, (uint16_t)(BPF_JMP | (bits ? BPF_JSET : BPF_JEQ) | BPF_K), 0, 1, value);
    answer(out, EPERM);
    load_call(out);
}

/* socket(2) for nothing but the listed families. */
static void allow_families(struct buf *out, const uint32_t *families, uint8_t n)
{
    add(out, BPF_JMP | BPF_JEQ | BPF_K, 0, (uint8_t)(n + 3), SYS_socket);
    load_argument(out, 0);
    for (uint8_t i = 0; i < n; i++)
        add(out, BPF_JMP | BPF_JEQ | BPF_K, (uint8_t)(n - i), 0, families[i]);
    answer(out, EPERM);
    load_call(out);
}

static void protect_processes(struct buf *out, const pid_t *protect, size_t n)
{
    static const int calls[] = {SYS_kill, SYS_tkill, SYS_tgkill};
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
        for (size_t i = 0; i < n; i++) {
            refuse_argument(out, calls[c], 0, false, (uint32_t)protect[i]);
            refuse_argument(out, calls[c], 0, false, (uint32_t)-protect[i]);
        }
    refuse_argument(out, SYS_kill, 0, false, (uint32_t)-1);
    refuse(out, SYS_rt_sigqueueinfo, EPERM);
    refuse(out, SYS_rt_tgsigqueueinfo, EPERM);
#ifdef SYS_pidfd_open
    refuse(out, SYS_pidfd_open, EPERM);
#endif
}

void sandbox_filter(bool namespaces, bool network, const pid_t *protect, size_t n_protect,
                    struct buf *out)
{
    static const uint32_t inside[] = {AF_UNIX, AF_INET, AF_INET6};
    if (!THIS_ARCH)
        return;
    add(out, BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, arch));
    add(out, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, THIS_ARCH);
    add(out, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS);
    load_call(out);
#ifdef __x86_64__
    add(out, BPF_JMP | BPF_JGE | BPF_K, 0, 1, 0x40000000); /* the x32 numbers */
    answer(out, ENOSYS);
#endif
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++)
        refuse(out, REFUSED[i], EPERM);
#ifdef SYS_clone3
    refuse(out, SYS_clone3, ENOSYS); /* its flags are out of reach; libraries fall back to clone */
#endif
    refuse_argument(out, SYS_clone, 0, true, NEW_NAMESPACES);
    refuse_argument(out, SYS_ioctl, 1, false, TIOCSTI);
    if (network || namespaces)
        allow_families(out, inside, 3);
    else
        allow_families(out, inside, 0);
    if (!namespaces)
        protect_processes(out, protect, n_protect);
    add(out, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
}
