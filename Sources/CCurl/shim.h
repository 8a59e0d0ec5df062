#pragma once

#include <curl/curl.h>
#include <sys/socket.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, which Swift does not import. Each function here is such a
// call for one type of argument; what has a type of its own (a call-back) has a function of its own, so that no wrong one can be
// given.

/// CURL_GLOBAL_ALL is a sum of macros.
static inline CURLcode curl_start(void) {
    return curl_global_init(CURL_GLOBAL_ALL);
}

/// Whether libcurl was built with a file of certificate authorities, and not only with a folder of them.
static inline int curl_has_certificates_file(void) {
    return curl_version_info(CURLVERSION_NOW)->cainfo != NULL;
}

static inline CURLcode curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

/// libcurl copies the text, of every option but CURLOPT_POSTFIELDS.
static inline CURLcode curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

/// libcurl keeps the pointer.
static inline CURLcode curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

/// What is called with pieces of the answer: its fields, and its body.
static inline CURLcode curl_on_answer(
    CURL *handle, curl_write_callback header, curl_write_callback body, void *owner) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_HEADERDATA, owner);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_WRITEDATA, owner);
    return code;
}

/// What gives the mail that is to be sent, and is told of the commands that go before it.
static inline CURLcode curl_on_mail(
    CURL *handle, curl_read_callback read, curl_debug_callback debug, void *owner) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_READFUNCTION, read);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_READDATA, owner);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, debug);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_DEBUGDATA, owner);
    return code;
}

/// What makes and closes sockets. A socket outlives its transfer, so the one who closes has an owner of its own.
static inline CURLcode curl_on_socket(
    CURL *handle, curl_opensocket_callback open, void *opener, curl_closesocket_callback close, void *closer) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, opener);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, close);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, closer);
    return code;
}

static inline CURLMcode curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

/// What is told which sockets to watch and when to call again.
static inline CURLMcode curl_multi_on_events(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *owner) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, owner);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, owner);
    return code;
}

/// The status of the answer; 0 when there was none.
static inline long curl_status(CURL *handle) {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

/// The address that a socket is wanted for. The structure declares a `struct sockaddr`, and an IPv6 address reaches past its end:
/// Swift's copy of it would be cut.
static inline const struct sockaddr *curl_socket_address(const struct curl_sockaddr *wanted) {
    return &wanted->addr;
}

/// A macro of a macro.
static const curl_socket_t curl_socket_timeout = CURL_SOCKET_TIMEOUT;
