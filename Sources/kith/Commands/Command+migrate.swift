internal import Postgres
internal import Schema

extension Command {
    static let migrate = Command(
        name: "migrate", usage: "[--check]",
        summary: "Brings the database to this program's schema; --check only reports whether it is (status 1 if not)."
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        let checks = arguments.flag("check")
        try arguments.finish()
        let migrator = Migrator(try Database(configuration).session())
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
}
