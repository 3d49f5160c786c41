/* Loaded before the C library: answers for the calls that a client makes for a statement, and reads the processor's clock
 * before and after each. What passes from one call to the next on the same thread is the client's own time, in user mode. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef __x86_64__
#error "the processor's clock is read as x86-64 has it"
#endif

#define THREADS 256

/* On cache lines of its own: threads that share one would wait for each other. */
static struct thread {
    uint64_t left, ticks, intervals, long_intervals;
} __attribute__((aligned(128))) threads[THREADS];
static int taken;
static __thread struct thread *mine __attribute__((tls_model("initial-exec")));
static uint64_t limit, first_ticks, first_ns;

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* An interval of over 10 us is not the client's work: another thread ran, or a call that is not counted here. */
__attribute__((constructor)) static void begin(void) {
    first_ns = now_ns();
    first_ticks = __builtin_ia32_rdtsc();
    while (now_ns() - first_ns < 10000000) {}
    limit = (__builtin_ia32_rdtsc() - first_ticks) / 1000;
}

static inline void enter(void) {
    uint64_t now = __builtin_ia32_rdtsc();
    if (!mine) mine = &threads[__sync_fetch_and_add(&taken, 1) % THREADS];
    if (!mine->left) return;
    uint64_t passed = now - mine->left;
    if (passed > limit) {
        mine->long_intervals++;
        return;
    }
    mine->ticks += passed;
    mine->intervals++;
}

static inline long leave(long result) {
    mine->left = __builtin_ia32_rdtsc();
    return result;
}

#define COUNTED(call) (enter(), leave(call))

ssize_t send(int file, const void *bytes, size_t size, int flags) {
    return COUNTED(syscall(SYS_sendto, file, bytes, size, flags, 0, 0));
}

ssize_t sendmsg(int file, const struct msghdr *message, int flags) {
    return COUNTED(syscall(SYS_sendmsg, file, message, flags));
}

ssize_t recv(int file, void *bytes, size_t size, int flags) {
    return COUNTED(syscall(SYS_recvfrom, file, bytes, size, flags, 0, 0));
}

int poll(struct pollfd *files, nfds_t count, int timeout) {
    return COUNTED(syscall(SYS_poll, files, count, timeout));
}

int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *signals) {
    struct timespec left = timeout ? *timeout : (struct timespec){0};
    return COUNTED(syscall(SYS_ppoll, files, count, timeout ? &left : 0, signals, 8));
}

/* What programs call that are built with checks of buffers' sizes. */
ssize_t __recv_chk(int file, void *bytes, size_t size, size_t room, int flags) { return recv(file, bytes, size, flags); }

int __poll_chk(struct pollfd *files, nfds_t count, int timeout, size_t room) { return poll(files, count, timeout); }

int __ppoll_chk(
    struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *signals, size_t room) {
    return ppoll(files, count, timeout, signals);
}

/* Nanoseconds, intervals, and those that were too long. */
__attribute__((destructor)) static void end(void) {
    const char *path = getenv("HUMDRUM_BETWEEN_CALLS");
    FILE *file = path ? fopen(path, "w") : 0;
    if (!file) return;
    double ns = (double)(now_ns() - first_ns) / (double)(__builtin_ia32_rdtsc() - first_ticks);
    uint64_t ticks = 0, intervals = 0, long_intervals = 0;
    for (int index = 0; index < THREADS; index++) {
        ticks += threads[index].ticks;
        intervals += threads[index].intervals;
        long_intervals += threads[index].long_intervals;
    }
    fprintf(file, "%.0f %lu %lu\n", ticks * ns, intervals, long_intervals);
    fclose(file);
}
