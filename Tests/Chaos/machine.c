// Gives every process that preloads it (LD_PRELOAD) a clock that jumps and a disk that is slow, as the file CHAOS_MACHINE says: two
// 64-bit numbers, the microseconds by which the clock is ahead of the machine's, and those by which each flush to the disk is late. The
// file is mapped, so that a change counts at once. Monotonic time is unchanged, as when an administrator sets a clock.
//
// Tests/clock.c says why this is not libfaketime. That one's offset is fixed at the start.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t sound[2];
static volatile const int64_t *machine = sound;

__attribute__((constructor)) static void map_machine(void) {
    const char *path = getenv("CHAOS_MACHINE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *mapped = mmap(0, sizeof sound, PROT_READ, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) machine = mapped;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    if (syscall(SYS_clock_gettime, clock, now) != 0) return -1;
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
        int64_t time = now->tv_sec * INT64_C(1000000000) + now->tv_nsec + machine[0] * 1000;
        now->tv_sec = time / 1000000000;
        now->tv_nsec = time % 1000000000;
    }
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec time;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &time) != 0) return -1;
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *seconds) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    if (seconds) *seconds = now.tv_sec;
    return now.tv_sec;
}

static void wait_for_disk(void) {
    if (machine[1] > 0) usleep(machine[1]);
}

int fsync(int file) {
    wait_for_disk();
    return syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    wait_for_disk();
    return syscall(SYS_fdatasync, file);
}
