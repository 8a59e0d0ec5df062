internal import API
internal import Identity
internal import Postgres

extension Command {
    static let token = Command(
        name: "token", usage: "--tenant SLUG --user UUID [--ttl SECONDS]", summary: "Prints an access token for a user."
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        guard let tenant = try arguments.option("tenant") else { throw CommandError("missing --tenant", status: 64) }
        guard let user = try arguments.option("user") else { throw CommandError("missing --user", status: 64) }
        guard let seconds = Int(try arguments.option("ttl") ?? "3600"), (1...86400).contains(seconds) else {
            throw CommandError("--ttl must be from 1 to 86400 seconds", status: 64)
        }
        try arguments.finish()
        let session = try Database(configuration).home(of: tenant).session()
        do throws {
            print(
                try AccessToken.mint(
                    tenant: tenant, user: user, seconds: seconds, masterKey: configuration.loadMasterKey(),
                    session: session))
        } catch let error as PostgresError where error.sqlState == .invalidTextRepresentation {
            throw CommandError("--user must be a UUID", status: 64)
        }
    }
}
