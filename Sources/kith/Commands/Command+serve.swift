internal import EventLoop
internal import Logging
internal import Postgres
internal import Schema

extension Command {
    static let serve = Command(name: "serve", usage: "", summary: "Serves the HTTP API.") { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        try arguments.finish()
        guard configuration.cell == nil else {
            throw CommandError("kith serve serves every cell: unset KITH_CELL", status: 64)
        }
        Log.use(configuration.log)
        let database = try Database(configuration)
        let loop = try EventLoop(clock: database.clock(url: database.apiURL))
        let server = try ServerProcess(loop: loop, database: database, configuration: configuration)
        holdStopSignals()
        try server.start()
        try runUntilSignalled(loop) { await server.drain() }
    }
}
