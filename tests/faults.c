/*
 * Fails, or kills the process before, the n-th system call that touches a marked path.
 *
 * Preloaded into a Python that arms it for one fork at a time: fault_arm(n, error, mark);
 * error 0 kills. fault_count() tells how many calls there were, those of its children
 * included: one that is killed takes the armed process with it. A call counts when its
 * path, or what its descriptor refers to, contains the mark.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int armed, failing, error_number, inside;
static pid_t owner;
static char marks[512];
static struct { int number; char last[256]; } *shared; /* with the children */

void fault_arm(int n, int error, const char *mark)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    armed = shared != MAP_FAILED;
    owner = getpid();
    failing = n;
    error_number = error;
    snprintf(marks, sizeof marks, "%s", mark);
}

int fault_count(void) { return shared ? shared->number : 0; }
const char *fault_last(void) { return shared ? shared->last : ""; }
void fault_disarm(void) { armed = 0; }

static int concerns(int fd, const char *path)
{
    char link[64], place[1024];
    ssize_t length;
    if (path && path[0] == '/')
        return strstr(path, marks) != NULL;
    if (path && strstr(path, marks))
        return 1;
    if (fd < 0)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, place, sizeof place - 1);
    if (length <= 0)
        return 0;
    place[length] = 0;
    return strstr(place, marks) != NULL;
}

static int strikes(const char *call, int fd, const char *path)
{
    if (!armed || inside)
        return 0;
    inside = 1;
    int hit = concerns(fd, path) && __sync_add_and_fetch(&shared->number, 1) == failing;
    inside = 0;
    if (!hit)
        return 0;
    snprintf(shared->last, sizeof shared->last, "%s %d %.200s", call, fd, path ? path : "");
    if (!error_number) {
        kill(owner, SIGKILL);
        kill(getpid(), SIGKILL);
    }
    errno = error_number;
    return 1;
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name);

#define WRAP(type, name, call, fd, path, params, ...) \
    type name params { \
        REAL(type, name, __VA_ARGS__) \
        if (strikes(#name, fd, path)) return -1; \
        return real call; \
    }

WRAP(ssize_t, read, (fd, b, n), fd, NULL, (int fd, void *b, size_t n), int, void *, size_t)
WRAP(ssize_t, write, (fd, b, n), fd, NULL, (int fd, const void *b, size_t n), int, const void *, size_t)
WRAP(ssize_t, pread64, (fd, b, n, o), fd, NULL, (int fd, void *b, size_t n, off64_t o), int, void *, size_t, off64_t)
WRAP(ssize_t, pread, (fd, b, n, o), fd, NULL, (int fd, void *b, size_t n, off_t o), int, void *, size_t, off_t)
WRAP(ssize_t, pwrite64, (fd, b, n, o), fd, NULL, (int fd, const void *b, size_t n, off64_t o), int, const void *, size_t, off64_t)
WRAP(ssize_t, pwrite, (fd, b, n, o), fd, NULL, (int fd, const void *b, size_t n, off_t o), int, const void *, size_t, off_t)
WRAP(int, fsync, (fd), fd, NULL, (int fd), int)
WRAP(int, ftruncate64, (fd, n), fd, NULL, (int fd, off64_t n), int, off64_t)
WRAP(int, ftruncate, (fd, n), fd, NULL, (int fd, off_t n), int, off_t)
WRAP(int, flock, (fd, op), fd, NULL, (int fd, int op), int, int)
WRAP(int, fchmod, (fd, m), fd, NULL, (int fd, mode_t m), int, mode_t)
WRAP(int, fchown, (fd, u, g), fd, NULL, (int fd, uid_t u, gid_t g), int, uid_t, gid_t)
WRAP(int, rename, (a, b), -1, a, (const char *a, const char *b), const char *, const char *)
WRAP(int, renameat, (f, a, g, b), f, a, (int f, const char *a, int g, const char *b), int, const char *, int, const char *)
WRAP(int, linkat, (f, a, g, b, h), f, a, (int f, const char *a, int g, const char *b, int h), int, const char *, int, const char *, int)
WRAP(int, unlink, (p), -1, p, (const char *p), const char *)
WRAP(int, unlinkat, (f, p, h), f, p, (int f, const char *p, int h), int, const char *, int)
WRAP(int, rmdir, (p), -1, p, (const char *p), const char *)
WRAP(int, mkdir, (p, m), -1, p, (const char *p, mode_t m), const char *, mode_t)
WRAP(int, mkdirat, (f, p, m), f, p, (int f, const char *p, mode_t m), int, const char *, mode_t)

static mode_t mode_of(int flags, va_list rest)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

#define WRAP_OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, name, const char *, int, ...) \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = mode_of(flags, rest); \
        va_end(rest); \
        return strikes(#name, -1, path) ? -1 : real(path, flags, mode); \
    }

#define WRAP_OPENAT(name) \
    int name(int fd, const char *path, int flags, ...) { \
        REAL(int, name, int, const char *, int, ...) \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = mode_of(flags, rest); \
        va_end(rest); \
        return strikes(#name, fd, path) ? -1 : real(fd, path, flags, mode); \
    }

WRAP_OPEN(open)
WRAP_OPEN(open64)
WRAP_OPENAT(openat)
WRAP_OPENAT(openat64)
