import Glibc

/// The parameters of one statement in libpq's layout. The memory is reused for the next statement, so that sending does
/// not allocate.
struct ParameterBuffer: ~Copyable {
    private(set) var count: Int32 = 0
    private var room: Int
    private var bytes: UnsafeMutablePointer<CChar>
    private var slots = 16
    private(set) var values: UnsafeMutablePointer<UnsafePointer<CChar>?>
    private(set) var lengths: UnsafeMutablePointer<Int32>
    private(set) var formats: UnsafeMutablePointer<Int32>

    /// A larger buffer is freed after use, so that a document's chunk does not cost its size in every connection.
    private static let keptRoom = 65536

    /// PostgreSQL's epoch, 2000-01-01 UTC, in microseconds since 1970.
    private static let epoch: Int64 = 946_684_800_000_000

    init() {
        room = 4096
        bytes = .allocate(capacity: room)
        values = .allocate(capacity: slots)
        lengths = .allocate(capacity: slots)
        formats = .allocate(capacity: slots)
    }

    deinit {
        bytes.deallocate()
        values.deallocate()
        lengths.deallocate()
        formats.deallocate()
    }

    /// Whether every text can be sent. C strings end at a NUL, so a text with one cannot.
    static func isSendable(_ parameters: [PostgresValue]) -> Bool {
        for parameter in parameters {
            switch parameter {
            case .text(var text): if text.withUTF8({ hasNUL(UnsafeRawBufferPointer($0)) }) { return false }
            case .bytes(let text): if text.withUnsafeBytes(hasNUL) { return false }
            case .null, .bytea, .int, .bool, .instant: break
            }
        }
        return true
    }

    private static func hasNUL(_ text: UnsafeRawBufferPointer) -> Bool {
        text.baseAddress.map { memchr($0, 0, text.count) != nil } ?? false
    }

    /// Lays out `parameters`. The pointers are valid until the next call.
    mutating func fill(_ parameters: [PostgresValue]) {
        reserve(bytes: Self.room(for: parameters), slots: parameters.count)
        var next = bytes
        for index in parameters.indices {
            values[index] = UnsafePointer(next)
            formats[index] = 0
            switch parameters[index] {
            case .null:
                values[index] = nil
                lengths[index] = 0
                continue
            case .text(var text):
                lengths[index] = text.withUTF8 { Self.copy(UnsafeRawBufferPointer($0), to: next) }
            case .bytes(let text):
                lengths[index] = text.withUnsafeBytes { Self.copy($0, to: next) }
            case .bytea(let content):
                formats[index] = 1
                lengths[index] = content.withUnsafeBytes { Self.copy($0, to: next) }
            case .int(let number):
                lengths[index] = Self.write(number, to: next)
            case .bool(let flag):
                next[0] = CChar(bitPattern: flag ? UInt8(ascii: "t") : UInt8(ascii: "f"))
                lengths[index] = 1
            case .instant(let microseconds):
                formats[index] = 1
                var binary = (microseconds - Self.epoch).bigEndian
                lengths[index] = withUnsafeBytes(of: &binary) { Self.copy($0, to: next) }
            }
            next[Int(lengths[index])] = 0
            next += Int(lengths[index]) + 1
        }
        count = Int32(parameters.count)
    }

    private static func room(for parameters: [PostgresValue]) -> Int {
        parameters.reduce(0) { sum, parameter in
            switch parameter {
            case .null: sum
            case .text(let text): sum + text.utf8.count + 1
            case .bytes(let content), .bytea(let content): sum + content.count + 1
            // An Int has at most 19 digits and a sign.
            case .int, .bool, .instant: sum + 21
            }
        }
    }

    private mutating func reserve(bytes needed: Int, slots neededSlots: Int) {
        if needed > room || (room > Self.keptRoom && needed <= Self.keptRoom) {
            bytes.deallocate()
            room = max(needed, 4096)
            bytes = .allocate(capacity: room)
        }
        if neededSlots > slots {
            values.deallocate()
            lengths.deallocate()
            formats.deallocate()
            slots = neededSlots
            values = .allocate(capacity: slots)
            lengths = .allocate(capacity: slots)
            formats = .allocate(capacity: slots)
        }
    }

    private static func copy(_ source: UnsafeRawBufferPointer, to target: UnsafeMutablePointer<CChar>) -> Int32 {
        if let start = source.baseAddress { memcpy(target, start, source.count) }
        return Int32(source.count)
    }

    private static func write(_ number: Int, to target: UnsafeMutablePointer<CChar>) -> Int32 {
        var rest = number.magnitude
        var length = number < 0 ? 2 : 1
        while rest >= 10 {
            rest /= 10
            length += 1
        }
        rest = number.magnitude
        var index = length
        repeat {
            index -= 1
            target[index] = CChar(truncatingIfNeeded: 48 + rest % 10)
            rest /= 10
        } while rest > 0
        if number < 0 { target[0] = CChar(bitPattern: UInt8(ascii: "-")) }
        return Int32(length)
    }
}
