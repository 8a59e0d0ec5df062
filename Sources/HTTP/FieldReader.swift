internal import CMicroHTTPD
internal import Glibc

/// Copies the fields of a request's head out of libmicrohttpd's buffer, and sees whether they are all that stands there.
///
/// libmicrohttpd takes a line without a name for the end of the head, joins folded lines (RFC 9112, section 5.2) to the
/// *name* of their field, ends a line at a bare LF, and a name or a value at a NUL. A proxy in front reads each of these
/// otherwise, so none may pass. What libmicrohttpd hands out does not show them, but where it lies does: in a head
/// without them each name follows the value before it at a distance of exactly CR and LF.
struct FieldReader {
    private(set) var headers = HTTPHeaders()
    /// Whether nothing stands between the fields, or after them, but the ends of their lines.
    private(set) var isGapless = true
    /// Where the text before the next line end ends.
    private var end: UnsafePointer<CChar>

    /// Reads the head that begins at `method` and whose first line ends with `version`.
    init(_ connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>) {
        end = version + strlen(version)
        headers.reserve(512)
        withUnsafeMutablePointer(to: &self) { reader in
            microhttpd_each_field(
                connection,
                { reader, _, name, nameCount, value, valueCount in
                    guard let reader, let name, let value else { return .NO }
                    reader.assumingMemoryBound(to: FieldReader.self).pointee.read(name, nameCount, value, valueCount)
                    return .YES
                }, reader)
        }
        // The end of the last line, and the empty line.
        isGapless = isGapless && method + microhttpd_head_size(connection) == end + 4
    }

    private mutating func read(
        _ name: UnsafePointer<CChar>, _ nameCount: Int, _ value: UnsafePointer<CChar>, _ valueCount: Int
    ) {
        isGapless = isGapless && name == end + 2 && value > name + nameCount
        end = value + valueCount
        // Blanks after a value do not belong to it (RFC 9110, section 5.5). But libmicrohttpd reads a coding with blanks
        // as one that it does not know, and must not be contradicted.
        var count = valueCount
        while count > 0, nameCount != "Transfer-Encoding".utf8.count, isBlank(value[count - 1]) { count -= 1 }
        headers.add(name: bytes(name, nameCount), value: bytes(value, count))
    }

    private func isBlank(_ character: CChar) -> Bool {
        character == CChar(UInt8(ascii: " ")) || character == CChar(UInt8(ascii: "\t"))
    }

    private func bytes(_ start: UnsafePointer<CChar>, _ count: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: count)
    }
}
