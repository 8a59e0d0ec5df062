internal import Postgres
internal import Schema

extension Command {
    static let migrate = Command(
        name: "migrate", usage: "[--check [--plan]]",
        summary:
            """
            Brings the database to this program's schema; --check only reports whether it is (status 1 if not), \
            --plan also what the missing migrations do to which tables, and how large these are.
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        let checks = arguments.flag("check")
        let plans = arguments.flag("plan")
        try arguments.finish()
        guard checks || !plans else { throw CommandError("--plan needs --check", status: 64) }
        let database = try Database(configuration)
        try migrate(database, checks: checks, plans: plans)
        // The directory first. A cell may be a release behind meanwhile, as a server may.
        for cell in try database.everyCell().dropFirst() {
            let name = cell.cellName ?? ""
            print("cell \(name):")
            do {
                try migrate(cell, checks: checks, plans: plans)
            } catch let error as PostgresError {
                throw CommandError("the cell \(name) was not migrated, nor those after it: \(error)", status: 75)
            }
        }
    }

    private static func migrate(_ database: Database, checks: Bool, plans: Bool) throws {
        let migrator = Migrator(try database.session())
        if plans { try show(migrator.plan()) }
        let outcome = checks ? try migrator.check() : try migrator.migrate()
        for name in outcome.migrations { print(checks ? "missing \(name)" : "applied \(name)") }
        // A new database gets all of them, which is no news.
        if outcome.definitions.count > 20 {
            let files = "\(outcome.definitions.count) files of functions and policies"
            print(checks ? "\(files) differ" : "applied \(files)")
        } else {
            for path in outcome.definitions { print(checks ? "differs \(path)" : "applied \(path)") }
        }
        for path in outcome.removed { print(checks ? "surplus \(path)" : "retired \(path)") }
        if outcome.isCurrent { print("the schema is current") }
        if checks && !outcome.isCurrent { throw CommandError("the schema is not current: run kith migrate") }
    }

    private static func show(_ plan: MigrationPlan) {
        var migration = ""
        for step in plan.steps {
            if step.migration != migration { print(step.migration) }
            migration = step.migration
            let size = step.bytes.map { ", \(TopScreen.grouped($0 / 1024)) KiB" } ?? ""
            print("  \(step.statement)")
            print("    \(step.table.map { "\($0)\(size): " } ?? "")\(step.effect)")
        }
        print(
            plan.steps.isEmpty
                ? "no migration is missing; functions, views and policies lock no table for longer than 200 ms"
                : "each waits at most 200 ms for a lock, and is tried again; functions, views and policies follow")
    }
}
