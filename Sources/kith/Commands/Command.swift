/// A command of the command line.
struct Command: Sendable {
    let name: String
    /// The arguments, as the help shows them: alternatives separated by ` | `, in the notation of ``CommandForm``.
    let usage: String
    let summary: String
    let run: @Sendable (Arguments) throws -> Void

    /// Every command, in the order of the help.
    static let all: [Command] = [
        dev, serve, worker, migrate, cell, tenant, keys, token, contacts, canary, operators, session, audit, find,
        story, busiest, psql, doctor, top,
        logs, completion, manual, version, help,
    ]

    /// Returns the command with this name; the help for nil.
    ///
    /// - Throws: ``CommandError`` for an unknown name.
    static func named(_ name: String?) throws -> Command {
        guard let name, name != "--help", name != "-h" else { return help }
        guard name != "--version" else { return version }
        guard let command = all.first(where: { $0.name == name }) else {
            throw CommandError("there is no command \(name); kith help lists them", status: 64)
        }
        return command
    }

    static let help = Command(name: "help", usage: "", summary: "Lists the commands.") { _ in list() }

    static let version = Command(
        name: "version", usage: "[--libraries]",
        summary: "Prints the release and the commit, and with --libraries the libraries that it runs with."
    ) { arguments in
        var arguments = arguments
        let listsLibraries = arguments.flag("libraries")
        try arguments.finish()
        print("kith \(Release.name)")
        guard listsLibraries else { return }
        for library in Release.libraries { print("\(library.name) \(library.version)") }
    }

    /// Whether the arguments ask for the command's own part of the help. psql has a help of its own.
    func answersHelp(_ arguments: [String]) -> Bool { name != "psql" && arguments.dropFirst().contains("--help") }

    /// Prints the command's part of the help.
    func show() {
        print("  kith \(name)\(usage.isEmpty ? "" : " ")\(usage)\n      \(summary)")
    }

    private static func list() {
        print("kith: the backend of apps in which people look after one another.\n")
        for command in all { command.show() }
        print(
            """
            \nEvery command takes --env-file FILE, and --cell NAME if it works on a database. The variables are \
            described in deploy/README.md.
            """
        )
    }
}
