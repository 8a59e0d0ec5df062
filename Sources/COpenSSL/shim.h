#ifndef KITH_COPENSSL_SHIM_H
#define KITH_COPENSSL_SHIM_H

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

// OSSL_PARAM_construct_* take macros as names and return structs, from which Swift cannot build a terminated array.
// HMAC needs only this one list.
static inline int kith_hmac_sha256_init(EVP_MAC_CTX *context, const unsigned char *key, size_t length) {
    char digest[] = "SHA256";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_init(context, key, length, parameters);
}

// EVP_CTRL_* are used through EVP_CIPHER_CTX_ctrl, whose last argument is an untyped pointer. A tag has 16 bytes.
static inline int kith_gcm_get_tag(EVP_CIPHER_CTX *context, unsigned char *tag) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, 16, tag);
}

static inline int kith_gcm_set_tag(EVP_CIPHER_CTX *context, const unsigned char *tag) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, 16, (void *)tag);
}

// Checks that the modulus and the exponent are plausible for an RSA key (RFC 8017 §3.1): both odd, and the exponent not
// 1, with which every message would be its own signature. OpenSSL returns BIGNUMs through double pointers that the
// caller must free, which C does more simply.
static inline int kith_rsa_is_plausible(const EVP_PKEY *key) {
    BIGNUM *modulus = NULL, *exponent = NULL;
    int is_plausible = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_N, &modulus) == 1
        && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1
        && BN_is_odd(modulus) && BN_is_odd(exponent) && !BN_is_one(exponent);
    BN_free(modulus);
    BN_free(exponent);
    return is_plausible;
}

// Makes a public key of the given type from the builder's parameters, whose names are macros.
static inline EVP_PKEY *kith_key_from(const char *type, OSSL_PARAM_BLD *builder) {
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    EVP_PKEY *key = NULL;
    if (parameters && context && EVP_PKEY_fromdata_init(context) == 1) {
        if (EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    return key;
}

// Makes the key of an uncompressed point (04, x, y) on P-256. Returns NULL for a point that is not on the curve.
static inline EVP_PKEY *kith_p256_key(const unsigned char point[65]) {
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY *key = NULL;
    if (builder && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0)
        && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, 65)) {
        key = kith_key_from("EC", builder);
    }
    OSSL_PARAM_BLD_free(builder);
    return key;
}

// Makes the RSA key of a modulus and an exponent, both big-endian.
static inline EVP_PKEY *kith_rsa_key(const unsigned char *n, int n_length, const unsigned char *e, int e_length) {
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    BIGNUM *modulus = BN_bin2bn(n, n_length, NULL);
    BIGNUM *exponent = BN_bin2bn(e, e_length, NULL);
    EVP_PKEY *key = NULL;
    if (builder && modulus && exponent && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent)) {
        key = kith_key_from("RSA", builder);
    }
    BN_free(modulus);
    BN_free(exponent);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

// Converts a signature of two 32-byte numbers to DER, the format that EVP verifies. Returns the length, or 0. `der`
// must have room for 72 bytes.
static inline int kith_ecdsa_der(const unsigned char raw[64], unsigned char *der) {
    ECDSA_SIG *signature = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(raw, 32, NULL);
    BIGNUM *s = BN_bin2bn(raw + 32, 32, NULL);
    if (!signature || !r || !s || ECDSA_SIG_set0(signature, r, s) != 1) {
        BN_free(r);
        BN_free(s);
        ECDSA_SIG_free(signature);
        return 0;
    }
    int length = i2d_ECDSA_SIG(signature, &der);
    ECDSA_SIG_free(signature);
    return length;
}

// Converts a DER signature, as EVP makes it, to two 32-byte numbers. Returns 1, or 0 for an invalid signature.
static inline int kith_ecdsa_raw(const unsigned char *der, long length, unsigned char raw[64]) {
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, length);
    int done = signature && BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw, 32) == 32
        && BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw + 32, 32) == 32;
    ECDSA_SIG_free(signature);
    return done;
}

// EVP_EC_gen is a macro over a variadic function.
static inline EVP_PKEY *kith_p256_generate(void) {
    return EVP_EC_gen("prime256v1");
}

// Writes the uncompressed point of a P-256 key, one coordinate at a time, because OpenSSL's encoded form follows the
// encoding in the key's file. Returns 1, or 0.
static inline int kith_p256_point(const EVP_PKEY *key, unsigned char point[65]) {
    BIGNUM *x = NULL;
    BIGNUM *y = NULL;
    int done = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_X, &x) == 1
        && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_Y, &y) == 1
        && BN_bn2binpad(x, point + 1, 32) == 32 && BN_bn2binpad(y, point + 33, 32) == 32;
    point[0] = 4;
    BN_free(x);
    BN_free(y);
    return done;
}

// HKDF's parameters are a list with macros as names, like HMAC's. Returns 1, or 0.
static inline int kith_hkdf_sha256(
    const unsigned char *salt, size_t salt_length, const unsigned char *key, size_t key_length, const unsigned char *info,
    size_t info_length, unsigned char *output, size_t length) {
    char digest[] = "SHA256";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_length),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, key_length),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_length),
        OSSL_PARAM_construct_end(),
    };
    EVP_KDF *algorithm = EVP_KDF_fetch(NULL, OSSL_KDF_NAME_HKDF, NULL);
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(algorithm);
    int done = context && EVP_KDF_derive(context, output, length, parameters) == 1;
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(algorithm);
    return done;
}

// Returns the earliest end of the certificates that a text in PEM has, in seconds since 1970; INT64_MAX if it has none.
// ASN1_TIME_to_tm fills a struct tm, which timegm reads in UTC.
static inline int64_t kith_end_of_certificates(BIO *text) {
    int64_t end = INT64_MAX;
    X509 *certificate;
    while ((certificate = PEM_read_bio_X509(text, NULL, NULL, NULL)) != NULL) {
        struct tm time;
        memset(&time, 0, sizeof time);
        if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1) {
            int64_t seconds = timegm(&time);
            if (seconds < end) end = seconds;
        }
        X509_free(certificate);
    }
    // The end of the text is an error of the last reading.
    ERR_clear_error();
    return end;
}

#endif
