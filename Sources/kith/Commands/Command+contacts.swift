internal import Contacts
internal import JSON
internal import Postgres

extension Command {
    static let contacts = Command(
        name: "contacts", usage: "check [--json] | fix --reason REASON",
        summary:
            """
            Finds stored phone numbers that would be read differently now, and accounts that share one number \
            (status 1 if there are any), in all cells; fix rewrites those that are unambiguous.
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        let verb = try arguments.positional("the subcommand: contacts check or fix")
        let json = arguments.flag("json")
        let reason = try arguments.option("reason")
        try arguments.finish()
        let database = try Database(configuration)
        // While a cell is away, nothing is changed in any.
        let databases = try database.sessionsInEveryCell().map(\.cell)
        switch verb {
        case "check":
            let findings = try databases.flatMap { try PhoneCheck($0).findings() }
            for finding in findings { print(json ? finding.json : finding.text) }
            guard findings.isEmpty else {
                throw CommandError(
                    "\(findings.count) phone \(findings.count == 1 ? "number needs" : "numbers need") care")
            }
            if !json { print("every phone number is in its one form") }
        case "fix":
            guard let reason else { throw CommandError("missing --reason", status: 64) }
            for database in databases { try PhoneCheck(database).fix(reason) }
        default: throw CommandError("contacts takes check or fix", status: 64)
        }
    }
}

/// Compares the stored phone numbers with what the program reads them as. SQL cannot: it does not know the numbering
/// plans.
struct PhoneCheck {
    /// How many numbers are read at a time.
    private static let batch = 5000

    private let database: Database

    init(_ database: Database) {
        self.database = database
    }

    /// A number that is stored in other forms than its own, or that is none.
    struct Finding {
        let tenant: String
        /// The arguments that name the tenant's cell; empty with one database.
        let cell: String
        /// The forms in which it is stored, without its own.
        let stored: [String]
        /// The normal form of the number; nil if no numbering plan has it.
        let phone: String?
        /// The ids of the accounts that have it in any form, the oldest first, each with what tells it from the others.
        let accounts: [(id: String, summary: String)]

        /// Whether `kith contacts fix` can write the number in its normal form.
        var isClear: Bool { phone != nil && accounts.count < 2 }

        /// The problem and its remedy, for a person.
        var text: String {
            let forms = stored.joined(separator: ", ")
            guard let phone else {
                return """
                    WRONG  \(tenant): \(forms) is no number of any plan; nobody can sign in with it
                    \(lines)       fix: have the tenant's server correct it (PATCH /v1/users/ID {"phone":…}), or remove it with null
                    """
            }
            guard !isClear else {
                return "WRONG  \(tenant): \(forms) is \(phone)\n       fix: kith contacts fix\(cell) --reason REASON"
            }
            return """
                WRONG  \(tenant): \(phone) has \(accounts.count) accounts, because it is also stored as \(forms)
                \(lines)       fix: ask whose they are; end the one that nobody needs, then run kith contacts fix:
                            kith psql\(cell) -c "select * from admin.delete_user('\(tenant)', 'ID', 'second account of one number')"
                """
        }

        private var lines: String {
            accounts.map { "         \($0.id)  \($0.summary)\n" }.joined()
        }

        /// The finding as one line of JSON.
        var json: String {
            var json = JSONWriter()
            json.object { json in
                json.field("tenant", tenant)
                json.array("stored", stored) { $0.string($1) }
                if let phone { json.field("phone", phone) }
                json.array("accounts", accounts) { $0.string($1.id) }
                json.field("fixable", isClear)
            }
            return String(decoding: json.bytes, as: UTF8.self)
        }
    }

    /// All numbers that need care, by tenant and number.
    func findings() throws -> [Finding] {
        let session = try database.session(role: "kith_admin")
        return try Database.reporting {
            var forms: [Place: [String]] = [:]
            // A cursor, so that a million numbers are neither sorted again for each batch nor held in memory at once.
            try session.execute("begin read only")
            try session.execute(
                "declare numbers no scroll cursor for select distinct tenant, phone from admin.phone_numbers")
            while true {
                let rows = try session.query("fetch \(Self.batch) from numbers")
                for row in 0..<rows.rowCount {
                    let (tenant, stored) = (rows.string(row, 0) ?? "", rows.string(row, 1) ?? "")
                    let phone = (try? PhoneNumber(stored))?.e164
                    if phone != stored {
                        forms[Place(tenant: tenant, phone: phone ?? "", none: phone == nil ? stored : ""), default: []]
                            .append(stored)
                    }
                }
                if rows.rowCount < Self.batch { break }
            }
            try session.execute("commit")
            return try forms.sorted { $0.key < $1.key }.map { place, stored in
                let phone = place.phone.isEmpty ? nil : place.phone
                return Finding(
                    tenant: place.tenant, cell: database.cell.map { " --cell \($0.name)" } ?? "",
                    stored: stored.sorted(), phone: phone,
                    accounts: try accounts(of: stored + [phone].compactMap(\.self), place.tenant, session))
            }
        }
    }

    /// Rewrites in normal form every number that at most one account has, and reports the others.
    func fix(_ reason: String) throws {
        var left = 0
        for finding in try findings() {
            guard finding.isClear, let phone = finding.phone else {
                left += 1
                print(finding.text)
                continue
            }
            for stored in finding.stored {
                do {
                    let rows = try database.operate(
                        "select admin.respell_phone($1, $2, $3, $4)",
                        [.text(finding.tenant), .text(stored), .text(phone), .text(reason)])
                    print("\(finding.tenant): \(stored) is \(phone) now, in \(rows.int(0, 0) ?? 0) rows")
                } catch let refusal as CommandError where refusal.status == 65 {
                    // More than a prefix is different, so the database cannot tell that it is the same number.
                    left += 1
                    print("WRONG  \(finding.tenant): \(stored) would be \(phone): \(refusal.message)")
                }
            }
        }
        guard left == 0 else {
            throw CommandError("\(left) phone \(left == 1 ? "number needs" : "numbers need") a decision")
        }
        print("every phone number is in its one form")
    }

    /// A number of a tenant, or a text that is none.
    private struct Place: Hashable, Comparable {
        let tenant: String
        let phone: String
        let none: String

        static func < (one: Self, other: Self) -> Bool {
            (one.tenant, one.phone, one.none) < (other.tenant, other.phone, other.none)
        }
    }

    private func accounts(
        of forms: [String], _ tenant: String, _ session: PostgresSession
    ) throws -> [(id: String, summary: String)] {
        let rows = try session.query(
            """
            select user_id, format('%s, %s, since %s', phone, case when is_verified then 'verified' else 'not verified' end, created_at::date)
            from admin.phone_numbers
            where tenant = $1 and kind = 'user' and phone = any (string_to_array($2, ','))
            order by created_at, user_id
            """, [.text(tenant), .text(forms.joined(separator: ","))])
        return (0..<rows.rowCount).map { (rows.string($0, 0) ?? "", rows.string($0, 1) ?? "") }
    }
}
