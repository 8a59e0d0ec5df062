import LocalPostgres
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct PostgresSessionTests {
    private func session() throws -> PostgresSession {
        try PostgresSession(url: sharedServer.get().server.url())
    }

    @Test func `values of every type make the round trip`() throws {
        let result = try session().query(
            "select $1::text, $2::bigint, $3::bigint, $4::boolean, $5::bytea, $6::jsonb, $7::text, $8::int, $9::text",
            [
                .text("Zoë 🐘"), .int(.min), .int(.max), .bool(true), .bytea([0, 255, 92]),
                .bytes(Array(#"{"a": [1]}"#.utf8)), .null, .int(-10), .text(""),
            ])
        #expect(result.rowCount == 1)
        #expect(result.columnCount == 9)
        #expect(result.string(0, 0) == "Zoë 🐘")
        #expect(result.int(0, 1) == .min)
        #expect(result.int(0, 2) == .max)
        #expect(result.bool(0, 3) == true)
        #expect(result.string(0, 4) == #"\x00ff5c"#)
        #expect(result.string(0, 5) == #"{"a": [1]}"#)
        #expect(result.isNull(0, 6))
        #expect(result.string(0, 6) == nil)
        #expect(result.int(0, 7) == -10)
        #expect(result.bytes(0, 8) == [])
        #expect(result.columnName(7) == "int4")
        #expect(result.int(0, 0) == nil)
    }

    @Test func `the elements of arrays make the round trip`() throws {
        let texts = ["", "a,b", "{}", #"a"b"#, #"a\b"#, "NULL", " a ", "e\u{301}\"\u{301}", "🐘"]
        let rows = try session().query("select unnest($1::text[])", [.array(texts)])
        #expect((0..<rows.rowCount).map { rows.string($0, 0) } == texts)
        let numbers = try session().query("select unnest($1::bigint[])", [.array([1, -2, .max])])
        #expect((0..<numbers.rowCount).map { numbers.int($0, 0) } == [1, -2, .max])
        #expect(
            try session().query(
                "select $1::text[] = '{}', $2::integer[] = '{}'",
                [
                    .array([String]()), .array([Int]()),
                ]
            ).bool(0, 0) == true)
    }

    @Test func `a NUL is refused before anything is sent`() throws {
        let session = try session()
        for value in [PostgresValue.text("a\0b"), .bytes([0x61, 0, 0x62])] {
            let error = #expect(throws: PostgresError.self) { _ = try session.query("select $1::text", [value]) }
            #expect(error?.sqlState == .characterNotInRepertoire)
        }
        #expect(throws: PostgresError.self) { try session.execute("select 1;\0 drop table x") }
        #expect(try session.query("select $1::bytea", [.bytea([0])]).string(0, 0) == #"\x00"#)
    }

    @Test func `a script runs completely or not at all`() throws {
        let session = try session()
        try session.execute("create temporary table steps (n int); insert into steps values (1), (2);")
        let error = #expect(throws: PostgresError.self) {
            try session.execute("insert into steps values (3); insert into nowhere values (1)")
        }
        #expect(error?.sqlState == .undefinedTable)
        let count = try session.query("select n from steps")
        #expect(count.rowCount == 2)
        #expect(try session.query("update steps set n = 0").affectedRows == 2)
    }

    @Test func `an error has its code, constraint and table, and its description no data`() throws {
        let session = try session()
        try session.execute(
            "create temporary table people (email text constraint people_email_is_unique unique);"
                + "insert into people values ('alice@example.org')")
        let error = #expect(throws: PostgresError.self) {
            try session.execute("insert into people values ('alice@example.org')")
        }
        guard case .server(let refusal) = error else {
            Issue.record("not a server error: \(error as Any)")
            return
        }
        #expect(refusal.sqlState == .uniqueViolation)
        #expect(refusal.sqlState.isInClass("23"))
        #expect(refusal.constraint == "people_email_is_unique")
        #expect(refusal.table == "people")
        #expect(refusal.detail?.contains("alice@example.org") == true)
        #expect("\(error!)".contains("23505"))
        #expect(!"\(error!)".contains("alice"))
        #expect("\([PostgresValue.text("alice"), .null])" == "[****, null]")
    }

    @Test func `notices reach the handler`() throws {
        let session = try session()
        var heard: [String] = []
        session.onNotice = { heard.append("\($0.severity) \($0.sqlState) \($0.message)") }
        try session.execute("do $$ begin raise notice 'hello'; raise warning 'careful'; end $$")
        #expect(heard == ["NOTICE 00000 hello", "WARNING 01000 careful"])
    }

    @Test func `settings apply from the first statement, whatever characters they contain`() throws {
        let session = try PostgresSession(
            url: sharedServer.get().server.url(), applicationName: "a test",
            settings: [("statement_timeout", "50"), ("search_path", #"a, "b \ c""#)])
        #expect(try session.query("show statement_timeout").string(0, 0) == "50ms")
        #expect(try session.query("show search_path").string(0, 0) == #"a, "b \ c""#)
        #expect(try session.query("show application_name").string(0, 0) == "a test")
        let error = #expect(throws: PostgresError.self) { try session.execute("select pg_sleep(1)") }
        #expect(error?.sqlState == .queryCancelled)
    }

    @Test(arguments: [
        "postgresql://alice:s3cr%zzt@localhost/x", "postgresql://alice:s3cr/t@localhost/x", "not a url s3cr",
        "postgresql://alice:s3@s3cr@localhost/x", "postgresql://alice:s3cr@/x?host=/nowhere",
        "postgresql://alice:s3cr@127.0.0.1:1/x",
    ])
    func `a password never appears in an error`(url: String) {
        let error = #expect(throws: PostgresError.self) { _ = try PostgresSession(url: url) }
        #expect(!"\(error!) \(String(reflecting: error!))".contains("s3"))
    }
}
