import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `kith contacts` {
    @Test func `finds numbers in an old form and accounts that share one, and says what to do`() async throws {
        let installation = try Installation()
        func kith(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
            try KithProcess.run(["contacts"] + arguments, environment: installation.environment)
        }
        let clean = try kith("check")
        #expect(clean.status == 0 && clean.output == "every phone number is in its one form\n", "\(clean)")
        #expect(try kith("fix").status == 64)
        #expect(try kith("mend").status == 64)

        // As a release stored them that took every number that looked like E.164.
        let session = try installation.session()
        let ids = (1...5).map { "0d0b1e00-0000-7000-8000-00000000000\($0)" }
        let numbers = ["+447700900123", "+4407700900123", "+4407700900124", "+999123456789", "+447700900125"]
        for (id, number) in zip(ids, numbers) {
            try session.execute(
                """
                insert into kith.users (tenant_id, id, display_name, phone, phone_verified_at, tokens_valid_from, created_at, updated_at)
                values (\(installation.acme.tenantID), '\(id)', 'Somebody', '\(number)', \(Day.sql), \(Day.sql), \(Day.sql), \(Day.sql))
                """)
        }
        try session.execute("update kith.users set pending_phone = '+4407700900126' where id = '\(ids[4])'")

        let found = try kith("check")
        #expect(found.status == 1 && found.errors.contains("4 phone numbers need care"), "\(found)")
        for part in [
            "acme: +447700900123 has 2 accounts, because it is also stored as +4407700900123", ids[0], ids[1],
            "select * from admin.delete_user('acme', 'ID', 'second account of one number')",
            "acme: +4407700900124 is +447700900124", "acme: +4407700900126 is +447700900126",
            "acme: +999123456789 is no number of any plan", ids[3],
            "fix: kith contacts fix ", " --reason REASON",
        ] {
            #expect(found.output.contains(part), "\(part) is missing in:\n\(found.output)")
        }
        #expect(!found.output.contains("+447700900125"))
        let lines = try kith("check", "--json").output.split(separator: "\n")
        #expect(lines.count == 4 && lines.count { $0.contains(#""fixable":true"#) } == 2, "\(lines)")

        let fixed = try kith("fix", "--reason", "upgrade")
        #expect(fixed.status == 1 && fixed.errors.contains("2 phone numbers need a decision"), "\(fixed)")
        let phones = try session.query(
            """
            select string_agg(concat_ws(' ', phone, pending_phone), ', ' order by id) from kith.users where id::text \
            like '0d0b1e00%'
            """
        )
        #expect(
            phones.string(0, 0)
                == "+447700900123, +4407700900123, +447700900124, +999123456789, +447700900125 +447700900126")
        #expect(
            try session.query(
                "select count(*) from kith.audit where action = 'phone.respell' and detail ->> 'reason' = 'upgrade'"
            ).int(0, 0) == 2)

        // The operator ends the second account, and removes the number that is none.
        try session.execute("select admin.delete_user('acme', '\(ids[1])', 'second account of one number')")
        try session.execute("update kith.users set phone = null, phone_verified_at = null where id = '\(ids[3])'")
        #expect(try kith("fix", "--reason", "upgrade").status == 0)
        #expect(try kith("check").status == 0)
    }
}
