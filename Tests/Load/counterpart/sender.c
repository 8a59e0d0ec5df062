// Sends text messages to a provider with nothing but libcurl: what `kith worker` could send if claiming, recording and logging cost nothing.
// `sender URL CERTIFICATES MESSAGES CONNECTIONS` ends with status 0 when the provider has accepted all of them.
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

static const char body[] = "To=%2B4915000000001&From=Kith&Body=Let%20your%20receivers%20know%20you%27re%20safe.";

static size_t ignore(char *bytes, size_t size, size_t count, void *owner) {
    (void)bytes;
    (void)owner;
    return size * count;
}

int main(int argc, char **argv) {
    if (argc != 5) return 64;
    long messages = atol(argv[3]), connections = atol(argv[4]);
    curl_global_init(CURL_GLOBAL_ALL);
    CURLM *multi = curl_multi_init();
    struct curl_slist *fields = NULL;
    // The fields that the worker sends too.
    fields = curl_slist_append(fields, "Accept: application/json");
    fields = curl_slist_append(fields, "Idempotency-Key: 019aa5c2-0000-7000-8000-000000000000");
    fields = curl_slist_append(fields, "Content-Type: application/x-www-form-urlencoded");
    fields = curl_slist_append(fields, "Expect:");
    long begun = 0, accepted = 0;
    for (; begun < connections && begun < messages; begun++) {
        CURL *handle = curl_easy_init();
        curl_easy_setopt(handle, CURLOPT_URL, argv[1]);
        curl_easy_setopt(handle, CURLOPT_CAINFO, argv[2]);
        curl_easy_setopt(handle, CURLOPT_CAPATH, NULL);
        curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
        curl_easy_setopt(handle, CURLOPT_HTTPHEADER, fields);
        curl_easy_setopt(handle, CURLOPT_POSTFIELDS, body);
        curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, ignore);
        curl_multi_add_handle(multi, handle);
    }
    while (accepted < messages) {
        int running, left;
        if (curl_multi_perform(multi, &running) != CURLM_OK) return 1;
        for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
            CURL *handle = message->easy_handle;
            long status = 0;
            curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
            if (message->data.result != CURLE_OK || status != 200) {
                fprintf(stderr, "sender: %s, status %ld\n", curl_easy_strerror(message->data.result), status);
                return 1;
            }
            accepted++;
            curl_multi_remove_handle(multi, handle);
            if (begun++ < messages) curl_multi_add_handle(multi, handle);
        }
        if (running > 0) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    return 0;
}
