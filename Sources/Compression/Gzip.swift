internal import CZlib

/// The gzip format (RFC 1952), by zlib.
public enum Gzip {
    /// More than this gives little: an answer of 45 kB becomes 3 kB in half a millisecond.
    private static let level: Int32 = 5

    /// The compressed form of `bytes`; nil if there is no memory for it. It takes about 10 µs for each KiB, and is the
    /// same for the same bytes.
    public static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        guard kith_gzip_begin(&stream, level) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        let room = Int(deflateBound(&stream, uLong(bytes.count)))
        // zlib only reads the input, though its interface does not say so.
        return bytes.withUnsafeBufferPointer { input in
            let result = [UInt8](unsafeUninitializedCapacity: room) { output, count in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = uInt(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = uInt(room)
                // deflateBound gives enough room for a single call.
                if deflate(&stream, Z_FINISH) == Z_STREAM_END { count = room - Int(stream.avail_out) }
            }
            return result.isEmpty ? nil : result
        }
    }
}
