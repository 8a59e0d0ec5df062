import Testing

@testable import Schema

@Suite struct `The plan of a migration` {
    private func effects(_ text: String) -> [String] {
        MigrationPlan.steps(of: text, in: "0099_test.sql").map { "\($0.table ?? "-"): \($0.effect)" }
    }

    @Test func `says what locks and what rewrites a table`() {
        #expect(
            effects(
                """
                -- alter table kith.users alter column a type b;
                alter table kith.pings alter column note type varchar(10);
                alter table kith.pings add column seen_at timestamptz;
                alter table only kith.users add constraint x check (true);
                alter table kith.users add constraint x check (true) not valid;
                create unique index a on kith.users (id);
                create index concurrently b on kith.pings (id);
                create table kith.news (id integer);
                comment on table kith.news is 'drop table kith.users; no';
                update kith.users set locale = 'en';
                do $$ begin drop table kith.users; end $$;
                """) == [
                    "kith.pings: rewrites it, and nobody reads or writes it meanwhile",
                    "kith.pings: takes its strongest lock for a moment",
                    "kith.users: scans it, and nobody writes it meanwhile; `not valid`, then `validate`, would not",
                    "kith.users: takes its strongest lock for a moment",
                    "kith.users: scans it, and nobody writes it meanwhile",
                    "kith.pings: scans it while others read and write",
                    "kith.news: new",
                    "kith.users: writes rows, whose writers wait meanwhile",
                    "-: a block: read it",
                ])
    }

    @Test func `finds statements, whatever their quotes hold`() {
        #expect(
            MigrationPlan.statements(of: "select ';'; select $a$ ; $b$ ; $a$; -- ; nothing\nselect \"x;y\"")
                == ["select ';'", "select $a$ ; $b$ ; $a$", "select \"x;y\""])
        #expect(MigrationPlan.statements(of: " \n -- nothing").isEmpty)
    }
}
