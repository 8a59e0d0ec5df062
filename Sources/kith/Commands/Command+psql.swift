internal import Glibc
internal import LocalPostgres

extension Command {
    static let psql = Command(
        name: "psql", usage: "[--role ROLE] [psql's arguments]",
        summary:
            """
            Opens psql on the database, as the operator (kith_admin, or kith_reader for a login that only reads) or \
            as another role.
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        let given = try arguments.option("role")
        let database = try Database(configuration)
        let role = given ?? database.operatorRole
        guard role.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }) else {
            throw CommandError("--role \(role) is not a role name", status: 64)
        }
        let program = try database.embedded?.program("psql") ?? "psql"
        // A transaction that is left open holds up everybody's events, because readers stop at the oldest running
        // transaction.
        setenv("PGOPTIONS", "-c role=\(role) -c idle_in_transaction_session_timeout=60s", 1)
        // A refusal says what to do in its detail and hint. Where in which function it was raised does not help.
        let words =
            try [program, "-v", "SHOW_CONTEXT=never"] + arguments.remaining() + ["--dbname", database.ownerURL]
        var pointers = words.map { strdup($0) } + [nil]
        execvp(program, &pointers)
        throw CommandError(
            "psql cannot be run (\(String(cString: strerror(errno)))): apt-get install postgresql-client")
    }
}
