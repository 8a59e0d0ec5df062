#ifndef KITH_CLINUX_SHIM_H
#define KITH_CLINUX_SHIM_H

// Swift's Glibc module leaves out Linux's own <sys/epoll.h>, <sys/eventfd.h> and <sys/signalfd.h>, accept4, glibc's
// version, and what <spawn.h> has beyond POSIX.
#include <errno.h>
#include <gnu/libc-version.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// `epoll_event` is packed on x86-64, and Swift imports its union awkwardly. These two functions hide both.
static inline struct epoll_event kith_epoll_event(uint32_t events, uint64_t tag) {
    struct epoll_event event = {.events = events, .data = {.u64 = tag}};
    return event;
}

static inline uint64_t kith_epoll_tag(struct epoll_event event) {
    return event.data.u64;
}

// Accepts a socket that no child process inherits. With accept(2) and fcntl(2), a child started between the two calls
// would inherit it.
static inline int kith_accept(int listener, struct sockaddr *address, socklen_t *length) {
    return (int)syscall(SYS_accept4, listener, address, length, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

// Declared here, because the Glibc module hides them (POSIX_SPAWN_SETSID likewise).
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
static const int16_t kith_posix_spawn_setsid = 0x80;

// The constants are members of an anonymous enum with a signed base type. As plain integers they need no conversion.
static const uint32_t kith_epollin = EPOLLIN;
static const uint32_t kith_epollout = EPOLLOUT;
static const uint32_t kith_epollrdhup = EPOLLRDHUP;
static const uint32_t kith_epollerr = EPOLLERR;
static const uint32_t kith_epollhup = EPOLLHUP;
static const int kith_epoll_cloexec = EPOLL_CLOEXEC;
static const int kith_eventfd_flags = EFD_CLOEXEC | EFD_NONBLOCK;
static const int kith_signalfd_flags = SFD_CLOEXEC | SFD_NONBLOCK;

#endif
