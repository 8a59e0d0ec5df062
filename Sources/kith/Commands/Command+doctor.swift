internal import API
internal import Crypto
internal import Foundation
internal import HTTP
internal import Identity
internal import LocalPostgres
internal import Postgres
internal import Schema
internal import Texts

extension Command {
    static let doctor = Command(
        name: "doctor", usage: "",
        summary:
            """
            Checks the machine, the configuration and the database, and shows the fix for each problem (status 1 if \
            there is any).
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        try arguments.finish()
        // A check may take long, so each finding is shown at once.
        var examination = Examination { finding in
            print(finding.line)
            fflush(nil)
        }
        examination.examine(configuration)
        let wrong = examination.findings.count { $0.remedy != nil }
        guard wrong == 0 else { throw CommandError("\(wrong) of \(examination.findings.count) checks found a problem") }
    }
}

/// The findings of `kith doctor`.
struct Examination {
    /// One check: its subject, and the remedy when something is wrong.
    struct Finding {
        let what: String
        let remedy: String?

        var line: String {
            remedy.map { "WRONG  \(what)\n       fix: \($0)" } ?? "ok     \(what)"
        }
    }

    private(set) var findings: [Finding] = []
    /// What precedes each finding: the cell that is examined.
    var subject = ""
    /// The cell whose database a remedy must name; nil for the directory.
    var cell: String?
    private let show: (Finding) -> Void

    init(_ show: @escaping (Finding) -> Void) {
        self.show = show
    }

    mutating func examine(_ configuration: Configuration) {
        cell = configuration.cell
        note("configuration: every variable is valid")
        let unread = TextCatalogue.kith.languages.filter { !$0.isReadByNative }.map(\.tag)
        if !unread.isEmpty {
            note("texts: nobody who grew up with the language has read \(unread.joined(separator: ", "))")
        }
        let database: Database
        do {
            database = try Database(configuration)
        } catch let error as CommandError {
            return note(error.message, remedy: "name the database, as deploy/README.md says")
        } catch let error as LocalPostgresError {
            return note("embedded PostgreSQL: \(error)", remedy: error.remedy)
        } catch {
            return note("embedded PostgreSQL: \(error)", remedy: "make setup")
        }
        examineMasterKey(configuration)
        let where_ = database.embedded.map { "embedded in \($0.home)" } ?? "configured"
        let session: PostgresSession
        do {
            session = try Self.session(of: database)
        } catch let error as CommandError {
            return note(error.message, remedy: "set KITH_OWNER_DATABASE_URL, as deploy/README.md says")
        } catch {
            return note(
                "PostgreSQL (\(where_)) does not accept connections",
                remedy: "check KITH_OWNER_DATABASE_URL with: kith psql -c 'select 1'")
        }
        note("PostgreSQL (\(where_)) answers")
        examineServer(session)
        guard examineSchema(session) else { return }
        examineSealedKeys(session, configuration)
        examineRole("kith_api", try? database.apiURL, "KITH_DATABASE_URL")
        examineStandby(configuration)
        examineRole("kith_worker", try? database.workerURL, "KITH_WORKER_DATABASE_URL")
        examineDatabase(session, configuration)
        examineCertificates(session, configuration)
        examineCells(database, configuration)
    }

    /// Opens the session in which a database is examined. A lock that somebody has forgotten must not stop it.
    static func session(of database: Database) throws -> PostgresSession {
        let session = try database.session()
        try session.execute("set lock_timeout = '1s'")
        return session
    }

    /// Checks what happens in a database: that of the installation, or of one of its cells.
    mutating func examineDatabase(_ session: PostgresSession, _ configuration: Configuration) {
        examineRestores(session)
        examineTransactions(session)
        examineInstances(session)
        examinePaces(session)
        examineWork(session)
        examinePingsNotMade(session)
        examineUntoldAlarms(session)
        examineCanaries(session)
        examineEmergencies(session)
        examineDelivery(session, configuration)
        examineCodes(session)
        examineKeys(session)
        examineRetention(session)
    }

    private mutating func examineMasterKey(_ configuration: Configuration) {
        if case .missing = configuration.masterKey, configuration.databaseURL == nil,
            configuration.workerDatabaseURL == nil
        {
            // An operator's machine may run neither a server nor a worker, and a colleague who only reads has no key.
            return note("master key: not set here, so it cannot be tested")
        }
        do {
            _ = try configuration.loadMasterKey()
            note("master key: present and well-formed")
        } catch let error as CommandError {
            note(error.message, remedy: "set it to the installation's own key, which its servers have")
        } catch {
            note("master key: \(error)", remedy: "set KITH_MASTER_KEY")
        }
    }

    mutating func examineSealedKeys(_ session: PostgresSession, _ configuration: Configuration) {
        guard let key = try? configuration.loadMasterKey() else { return }
        do throws(PostgresError) {
            let objection = try SealedKeys.objection(to: key, session)
            note(
                objection ?? "master key: opens what is sealed in the database",
                remedy: objection == nil ? nil : "set KITH_MASTER_KEY to the key that the other servers have, or had")
            guard objection == nil, key.count > 1 else { return }
            let rotated = try session.query(
                """
                select max(at) + interval '1 day' <= now(),
                  to_char((max(at) + interval '1 day') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
                from kith.audit where tenant_id = 0 and action = 'master_key.rotate'
                """)
            guard let mayGo = rotated.bool(0, 0), let instant = rotated.string(0, 1) else {
                return note("master key: there are several; kith keys rotate reseals what the old ones sealed")
            }
            note("master key: there are several; the old ones may go \(mayGo ? "since" : "at") \(instant)")
        } catch {
            note("the sealed keys cannot be read from the database: \(error)", remedy: "kith migrate")
        }
    }

    mutating func examineServer(_ session: PostgresSession) {
        guard
            let facts = try? session.query(
                """
                select current_setting('server_version_num')::integer, current_setting('fsync') = 'on',
                  abs(extract(epoch from clock_timestamp()) * 1000000 - $1::bigint)::bigint,
                  split_part(current_setting('server_version'), ' ', 1)
                """, [.int(Int(Date().timeIntervalSince1970 * 1_000_000))])
        else { return note("PostgreSQL did not report its version", remedy: "kith psql -c 'select version()'") }
        let version = facts.int(0, 0) ?? 0
        note(
            "PostgreSQL \(facts.string(0, 3) ?? "\(version / 10000)"); Kith works with 15 to 18",
            remedy: version < 150_000
                ? "replace it with a newer one: deploy/README.md, A newer PostgreSQL"
                : version >= 190_000
                    ? "look for a newer Kith: this one was never tried with PostgreSQL \(version / 10000)" : nil)
        note(
            "fsync",
            remedy: facts.bool(0, 1) == true
                ? nil : "set fsync = on: without it a power cut loses acknowledged check-ins"
        )
        note(
            "clocks of machine and database differ by \((facts.int(0, 2) ?? 0) / 1000) ms",
            remedy: (facts.int(0, 2) ?? 0) < 2_000_000 ? nil : "synchronise both clocks (chronyd or systemd-timesyncd)")
    }

    mutating func examineSchema(_ session: PostgresSession) -> Bool {
        do throws(MigrationError) {
            let missing = try Migrator(session).check()
            note("schema", remedy: missing.isCurrent ? nil : "kith migrate")
            return missing.isCurrent
        } catch .database(let error) where error.sqlState == .insufficientPrivilege {
            note(
                "schema: this login may not read it",
                remedy: "run kith doctor with the owner's login (KITH_OWNER_DATABASE_URL)"
            )
            return false
        } catch {
            note("schema: \(error)", remedy: "kith migrate, after the above")
            return false
        }
    }

    mutating func examineRole(_ role: String, _ url: String?, _ variable: String) {
        // An operator's machine may run neither a server nor a worker.
        guard let url else { return note("\(variable) is not set here, so \(role) cannot be tested") }
        do throws(PostgresError) {
            let session = try PostgresSession(url: url, settings: Database.settings(role: role))
            let risky = try session.query(
                """
                select rolsuper or rolbypassrls from pg_catalog.pg_roles where rolname = session_user
                """
            ).bool(0, 0)
            let logs = try session.query(
                """
                select current_setting('log_error_verbosity') <> 'terse'
                  or $1 = 'kith_api' and current_setting('log_min_messages') not in ('log', 'fatal', 'panic')
                """, [.text(role)]
            ).bool(0, 0)
            if risky != true {
                note(
                    "PostgreSQL's log settings for \(role)",
                    remedy: logs == true
                        ? """
                        as a superuser: alter role \(role) set log_error_verbosity = terse; alter role kith_api \
                        set log_min_messages = log
                        """
                        : nil)
            }
            note(
                "\(variable) connects as \(role)",
                remedy: risky == true ? "let \(variable) log in as \(role), not as a superuser" : nil)
        } catch {
            note(
                "\(variable) does not connect as \(role): \(error)",
                remedy: "kith psql --role postgres -c '\\password \(role)', and put it into \(variable)")
        }
    }

    private mutating func examineStandby(_ configuration: Configuration) {
        guard let url = configuration.readDatabaseURL, let primaryURL = configuration.databaseURL else { return }
        do throws(CommandError) {
            try Database.examineStandby(at: url, of: primaryURL)
        } catch {
            return note(error.message, remedy: "let KITH_READ_DATABASE_URL name standbys of the primary, as kith_api")
        }
        do throws(PostgresError) {
            let session = try PostgresSession(url: url, settings: Database.settings(role: "kith_api"))
            let isStandby = try session.query("select pg_is_in_recovery()").bool(0, 0) == true
            note(
                "KITH_READ_DATABASE_URL connects to \(isStandby ? "a standby" : "a primary, which answers no reads by it")",
                remedy: isStandby ? nil : "name the standbys in it, with target_session_attrs=standby")
        } catch {
            note(
                "KITH_READ_DATABASE_URL does not connect, so the primary answers all reads: \(error)",
                remedy: "start the standby, or unset KITH_READ_DATABASE_URL")
        }
    }

    private mutating func examineWork(_ session: PostgresSession) {
        let json: String?
        do throws(PostgresError) {
            json = try session.query("select api.readiness(now())").string(0, 0)
        } catch {
            return note("how late the work is cannot be read: \(error)", remedy: Self.remedy(for: error))
        }
        guard let json, let ages = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any] else {
            return note("the database did not report how late its work is", remedy: "kith migrate")
        }
        func age(_ name: String) -> Int? { ages[name] as? Int }
        let beat = age("worker_beat_seconds")
        // A database without tenants has no work: an installation that is being set up, or a directory beside cells.
        let isIdle = (try? session.query("select exists (select from admin.tenants)").bool(0, 0)) == false
        note(
            "worker: last beat \(beat.map { "\($0) s ago" } ?? "never")",
            remedy: beat.map { $0 < 60 } ?? isIdle ? nil : "start one: kith worker")
        for (name, what) in [
            ("oldest_run_seconds", "generation"), ("oldest_due_seconds", "announcing due pings"),
            ("oldest_miss_seconds", "reporting missed pings"), ("oldest_break_seconds", "announcing breaks"),
            ("oldest_alarm_seconds", "telling of alarms"), ("oldest_unplanned_seconds", "planning deliveries"),
            ("oldest_delivery_seconds", "sending messages"),
        ] {
            note(
                "\(what): oldest \(age(name) ?? 0) s late",
                remedy: (age(name) ?? 0) <= 300 ? nil : "start a worker (kith worker), or look at its log")
        }
        note(
            "partitions ahead: \(age("partitions_ahead_days") ?? 0) days",
            remedy: (age("partitions_ahead_days") ?? 0) >= 7 ? nil : "start a worker: kith worker")
    }

    /// P19: beyond half of a tenant's million codes, a guess hits too often.
    private mutating func examineCodes(_ session: PostgresSession) {
        let full = rows(
            session,
            """
            select format('codes of %s: %s %% of a million are given out', tenant, percent_used),
              'delete unused accounts, or move some of the people to a tenant of their own'
            from admin.code_space where warning order by percent_used desc
            """)
        report(
            full, none: "codes: no tenant has given out more than half of its million",
            more: "tenants that have given out more than half of their codes", in: "admin.code_space")
    }

    /// How many findings of one kind are reported individually.
    private static let reported = 5

    /// Reports the first findings, which are the worst, each with its remedy. If there are more, it also reports how
    /// many there are in all.
    mutating func report(_ wrong: [(String, String)], none: String, more: String, in view: String) {
        if wrong.isEmpty { note(none) }
        for (what, remedy) in wrong.prefix(Self.reported) { note(what, remedy: remedy) }
        guard wrong.count > Self.reported else { return }
        note(
            "\(more): \(wrong.count) in all; the first \(Self.reported) are listed above",
            remedy: "kith psql -c \"select * from \(view)\"")
    }

    mutating func note(_ what: String, remedy: String? = nil) {
        let finding = Finding(what: subject + what, remedy: remedy.map(addressed))
        findings.append(finding)
        show(finding)
    }

    /// A remedy whose commands name the cell that is examined. Without it they would act on the directory.
    private func addressed(_ remedy: String) -> String {
        guard let cell else { return remedy }
        return ["kith psql", "kith session end", "kith top"].reduce(remedy) { text, command in
            text.replacing(command, with: "\(command) --cell \(cell)")
        }
    }
}
