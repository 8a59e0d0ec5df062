internal import CLibPQ

/// The rows that a statement gave, or the number it changed.
///
/// Rows and columns count from 0. The values lie in libpq's memory until the result is released; reading copies.
///
/// `@unchecked Sendable`: the `PGresult` is owned by this object alone, no function here changes it, and libpq lets a
/// finished result be read from any thread (PostgreSQL manual, "Behavior in Threaded Programs").
public final class PostgresResult: @unchecked Sendable {
    private let handle: OpaquePointer
    /// How many rows came back.
    public let rowCount: Int
    /// How many columns each has.
    public let columnCount: Int

    /// Takes over a `PGresult`.
    init(owning handle: OpaquePointer) {
        self.handle = handle
        rowCount = Int(PQntuples(handle))
        columnCount = Int(PQnfields(handle))
    }

    deinit {
        PQclear(handle)
    }

    /// How many rows INSERT, UPDATE, DELETE, MERGE or SELECT touched; 0 for other commands.
    public var affectedRows: Int {
        Int(String(cString: PQcmdTuples(handle))) ?? 0
    }

    /// A column's name.
    public func columnName(_ column: Int) -> String {
        check(0, column, rows: 1)
        return String(cString: PQfname(handle, Int32(column)))
    }

    /// Whether the value is SQL's null.
    public func isNull(_ row: Int, _ column: Int) -> Bool {
        check(row, column)
        return PQgetisnull(handle, Int32(row), Int32(column)) == 1
    }

    /// The value in its text form; nil for null.
    public func string(_ row: Int, _ column: Int) -> String? {
        withBytes(row, column) { String(decoding: $0, as: UTF8.self) }
    }

    /// The value as a number; nil for null and for what is not an integer.
    public func int(_ row: Int, _ column: Int) -> Int? {
        withBytes(row, column) { bytes -> Int? in
            guard PQfformat(handle, Int32(column)) == 1 else { return Int(String(decoding: bytes, as: UTF8.self)) }
            switch bytes.count {
            case 2: return Int(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
            case 4: return Int(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
            case 8: return Int(Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
            default: return nil
            }
        } ?? nil
    }

    /// The value as a truth; nil for null.
    public func bool(_ row: Int, _ column: Int) -> Bool? {
        withBytes(row, column) { $0.first == UInt8(ascii: "t") || $0.first == 1 }
    }

    /// A copy of the value's bytes as the server sent them; nil for null. A `bytea` comes as it is from a statement
    /// with binary results, and as hexadecimal text otherwise.
    public func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
        withBytes(row, column) { Array($0) }
    }

    /// Calls `body` with the value's bytes where they lie, without copying; nil for null. The pointer is good within
    /// `body` only.
    public func withBytes<Value, Failure: Error>(
        _ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        guard !isNull(row, column) else { return nil }
        let start = PQgetvalue(handle, Int32(row), Int32(column))
        let count = Int(PQgetlength(handle, Int32(row), Int32(column)))
        return try withExtendedLifetime(self) { () throws(Failure) -> Value in
            try body(UnsafeRawBufferPointer(start: start, count: count))
        }
    }

    /// libpq answers a wrong position with a message on standard error and a null; here it is the programmer's error.
    private func check(_ row: Int, _ column: Int, rows: Int? = nil) {
        precondition((0..<(rows ?? rowCount)).contains(row), "row \(row) of \(rowCount)")
        precondition((0..<columnCount).contains(column), "column \(column) of \(columnCount)")
    }
}
