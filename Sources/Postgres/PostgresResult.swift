internal import CLibPQ

/// The rows that a statement returned, or the number of rows that it changed.
///
/// Rows and columns count from 0. The values stay in libpq's memory until the result is released, and reading copies
/// them.
///
/// `@unchecked Sendable`: only this object owns the `PGresult`, no function here changes it, and libpq allows reading a
/// finished result from any thread (PostgreSQL manual, "Behavior in Threaded Programs").
public final class PostgresResult: @unchecked Sendable {
    private let handle: OpaquePointer
    /// The number of rows.
    public let rowCount: Int
    /// The number of columns.
    public let columnCount: Int

    /// Takes ownership of a `PGresult`.
    init(owning handle: OpaquePointer) {
        self.handle = handle
        rowCount = Int(PQntuples(handle))
        columnCount = Int(PQnfields(handle))
    }

    deinit {
        PQclear(handle)
    }

    /// The number of rows that INSERT, UPDATE, DELETE, MERGE or SELECT affected; 0 for other commands.
    public var affectedRows: Int {
        Int(String(cString: PQcmdTuples(handle))) ?? 0
    }

    /// The name of a column.
    public func columnName(_ column: Int) -> String {
        check(0, column, rows: 1)
        return String(cString: PQfname(handle, Int32(column)))
    }

    /// Whether the value is null.
    public func isNull(_ row: Int, _ column: Int) -> Bool {
        check(row, column)
        return PQgetisnull(handle, Int32(row), Int32(column)) == 1
    }

    /// The value in its text form; nil for null.
    public func string(_ row: Int, _ column: Int) -> String? {
        withBytes(row, column) { String(decoding: $0, as: UTF8.self) }
    }

    /// The value as an integer; nil for null and for anything that is not an integer.
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

    /// The value as a boolean; nil for null.
    public func bool(_ row: Int, _ column: Int) -> Bool? {
        withBytes(row, column) { $0.first == UInt8(ascii: "t") || $0.first == 1 }
    }

    /// A copy of the value's bytes as the server sent them; nil for null. A `bytea` is binary in a statement with
    /// binary results, and hexadecimal text otherwise.
    public func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
        withBytes(row, column) { Array($0) }
    }

    /// Calls `body` with the value's bytes without copying them; returns nil for null. The pointer is valid only within
    /// `body`.
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

    /// Checks a position. libpq would answer a wrong one with a message on standard error and a null; here it is a
    /// programming error.
    private func check(_ row: Int, _ column: Int, rows: Int? = nil) {
        precondition((0..<(rows ?? rowCount)).contains(row), "row \(row) of \(rowCount)")
        precondition((0..<columnCount).contains(column), "column \(column) of \(columnCount)")
    }
}
