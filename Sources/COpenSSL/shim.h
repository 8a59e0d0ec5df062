#ifndef KITH_COPENSSL_SHIM_H
#define KITH_COPENSSL_SHIM_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

// OSSL_PARAM_construct_* take macros for names and return structs that Swift cannot build as array literals with a
// terminator; the one list that HMAC needs is made here.
static inline int kith_hmac_sha256_init(EVP_MAC_CTX *context, const unsigned char *key, size_t length) {
    char digest[] = "SHA256";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_init(context, key, length, parameters);
}

// EVP_CTRL_* are used through EVP_CIPHER_CTX_ctrl, whose last argument is an untyped pointer.
static inline int kith_gcm_get_tag(EVP_CIPHER_CTX *context, unsigned char tag[16]) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, 16, tag);
}

static inline int kith_gcm_set_tag(EVP_CIPHER_CTX *context, const unsigned char tag[16]) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, 16, (void *)tag);
}

#endif
