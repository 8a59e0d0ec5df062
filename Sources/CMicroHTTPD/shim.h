#pragma once

#include <microhttpd.h>
#include <string.h>

// libmicrohttpd takes options and hands out information through variadic functions, which Swift does not import. Each
// function here is one such call with its arguments fixed.

/// The unescape callback that changes nothing. Without it libmicrohttpd decodes `%2F` in place, and a path can no longer
/// be split into segments safely.
static inline size_t microhttpd_keep_escapes(void *owner, struct MHD_Connection *connection, char *text) {
    (void)owner;
    (void)connection;
    return strlen(text);
}

/// Starts a daemon without threads on a socket that listens already; the caller waits on `microhttpd_epoll` itself.
///
/// No time-out is given to the library: it has none for suspended connections and none for a whole request, so the server
/// keeps all of them itself.
static inline struct MHD_Daemon *microhttpd_start(
    int listener, size_t memory, unsigned int connections, unsigned int connections_per_address, void *owner,
    MHD_AccessHandlerCallback handle,
    void *(*begin)(void *owner, const char *target, struct MHD_Connection *connection),
    MHD_RequestCompletedCallback complete, MHD_NotifyConnectionCallback notify) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, owner,
        MHD_OPTION_LISTEN_SOCKET, listener,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, connections_per_address,
        MHD_OPTION_UNESCAPE_CALLBACK, &microhttpd_keep_escapes, NULL,
        MHD_OPTION_URI_LOG_CALLBACK, begin, owner,
        MHD_OPTION_NOTIFY_COMPLETED, complete, owner,
        MHD_OPTION_NOTIFY_CONNECTION, notify, owner,
        MHD_OPTION_END);
}

/// The descriptor that becomes readable when the library has something to do.
static inline int microhttpd_epoll(struct MHD_Daemon *daemon) {
    return MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

/// The client's socket.
static inline int microhttpd_descriptor(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/// The client's address.
static inline const struct sockaddr *microhttpd_client_address(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
}

/// What the notify callback kept for the connection when it was accepted.
static inline void *microhttpd_context(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/// The bytes of the request's head: its first line, its fields and the line ends.
static inline size_t microhttpd_head_size(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)->header_size;
}

// The members of the library's closed enumerations come to Swift under names that depend on the compiler's guess of their
// common prefix. What is needed of them is said here.

/// An answer with a copy of `body`.
static inline struct MHD_Response *microhttpd_response(const void *body, size_t size) {
    return MHD_create_response_from_buffer(size, (void *)body, MHD_RESPMEM_MUST_COPY);
}

/// An answer whose body `read` gives piece by piece; a negative size is one that nobody knows yet. `release` is called when the
/// answer is no longer needed.
///
/// The block is libmicrohttpd's own buffer for a body of known size; one in chunks goes through the connection's memory.
static inline struct MHD_Response *microhttpd_streamed_response(
    int64_t size, void *context, MHD_ContentReaderCallback read, MHD_ContentReaderFreeCallback release) {
    return MHD_create_response_from_callback(
        size < 0 ? MHD_SIZE_UNKNOWN : (uint64_t)size, 16 << 10, read, context, release);
}

/// Makes an answer end with its connection instead of going out in chunks.
static inline void microhttpd_end_with_connection(struct MHD_Response *response) {
    MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

/// What a reader returns after the last piece.
static const ssize_t microhttpd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;

/// What a reader returns to break the connection off.
static const ssize_t microhttpd_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;

/// Calls `each` with every field of the request's head.
static inline void microhttpd_each_field(
    struct MHD_Connection *connection, MHD_KeyValueIteratorN each, void *owner) {
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, each, owner);
}

/// Whether a notification is about a connection that was accepted, and not about one that was closed.
static inline int microhttpd_is_accepted(enum MHD_ConnectionNotificationCode code) {
    return code == MHD_CONNECTION_NOTIFY_STARTED;
}

/// How long the library can wait for events in milliseconds; -1 for as long as it takes.
static inline long long microhttpd_patience(struct MHD_Daemon *daemon) {
    MHD_UNSIGNED_LONG_LONG milliseconds = 0;
    return MHD_get_timeout(daemon, &milliseconds) == MHD_YES ? (long long)milliseconds : -1;
}
