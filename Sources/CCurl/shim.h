#pragma once

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, and Swift does not import variadic functions.
// Each function here makes such a call for one type of argument. Options with a type of their own, such as callbacks,
// have their own function, so that no wrong type can be passed.

/// Wrapped because Swift does not import CURL_GLOBAL_ALL, a sum of macros.
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

/// Sets a text option. libcurl copies the text for every option except CURLOPT_POSTFIELDS.
static inline CURLcode curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

/// Sets a pointer option. libcurl keeps the pointer.
static inline CURLcode curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

/// Sets the callbacks for the pieces of the answer: its header fields and its body.
static inline CURLcode curl_on_answer(
    CURL *handle, curl_write_callback header, curl_write_callback body, void *owner) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_HEADERDATA, owner);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_WRITEDATA, owner);
    return code;
}

/// Sets the parts of a mail. libcurl keeps the pointer.
static inline CURLcode curl_set_mime(CURL *handle, curl_mime *parts) {
    return curl_easy_setopt(handle, CURLOPT_MIMEPOST, parts);
}

/// Sets the callback that is told of the commands that are sent.
static inline CURLcode curl_on_command(CURL *handle, curl_debug_callback debug, void *owner) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, debug);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_DEBUGDATA, owner);
    return code;
}

/// Sets the callbacks that open and close sockets. A socket outlives its transfer, so the closing callback has its own
/// owner.
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

/// Sets the callbacks that say which sockets to watch and when to call libcurl again.
static inline CURLMcode curl_multi_on_events(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *owner) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, owner);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, owner);
    return code;
}

/// Returns the status of the answer; 0 when there was none.
static inline long curl_status(CURL *handle) {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

/// Returns the delay in seconds that the answer asks for in Retry-After; 0 when it asks for none.
static inline curl_off_t curl_retry_after(CURL *handle) {
    curl_off_t delay = 0;
    curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &delay);
    return delay;
}

/// Returns the address that a socket is wanted for. The structure declares a `struct sockaddr`, but an IPv6 address
/// extends beyond its end, so Swift's copy of it would be truncated.
static inline const struct sockaddr *curl_socket_address(const struct curl_sockaddr *wanted) {
    return &wanted->addr;
}

/// Wrapped because Swift does not import CURL_SOCKET_TIMEOUT, a macro of a macro.
static const curl_socket_t curl_socket_timeout = CURL_SOCKET_TIMEOUT;

/// Returns the certificates that the server has sent, as text in PEM, which the caller frees; NULL without any. Wrapped
/// because libcurl lists the fields of each certificate as texts.
static inline char *curl_certificates(CURL *handle) {
    struct curl_certinfo *chain = NULL;
    if (curl_easy_getinfo(handle, CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == NULL) return NULL;
    char *text = NULL;
    size_t length = 0;
    for (int n = 0; n < chain->num_of_certs; n++) {
        for (struct curl_slist *field = chain->certinfo[n]; field != NULL; field = field->next) {
            if (strncmp(field->data, "Cert:", 5) != 0) continue;
            size_t more = strlen(field->data + 5);
            char *longer = (char *)realloc(text, length + more + 2);
            if (longer == NULL) break;
            text = longer;
            memcpy(text + length, field->data + 5, more);
            text[length + more] = '\n';
            text[length + more + 1] = 0;
            length += more + 1;
        }
    }
    return text;
}
