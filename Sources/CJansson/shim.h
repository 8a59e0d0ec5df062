#ifndef KITH_CJANSSON_SHIM_H
#define KITH_CJANSSON_SHIM_H

#include <jansson.h>

// json_typeof is a macro, and json_decref is an inline function over macros. Swift can call neither.
static inline json_type kith_json_type(const json_t *value) {
    return json_typeof(value);
}

// json_error_code is an inline function with an enumeration as its result, hidden behind a conversion.
static inline enum json_error_code kith_json_error_code(const json_error_t *error) {
    return json_error_code(error);
}

static inline void kith_json_release(json_t *value) {
    json_decref(value);
}

#endif
