#ifndef KITH_CZLIB_SHIM_H
#define KITH_CZLIB_SHIM_H

#include <zlib.h>

// deflateInit2 is a macro. 16 more window bits make the gzip format.
static inline int kith_gzip_begin(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

#endif
