internal import Glibc

// When a peer closes its end, write() must fail instead of ending the process.
signal(SIGPIPE, SIG_IGN)

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    try Command.named(arguments.first).run(Arguments(Array(arguments.dropFirst())))
} catch let error as CommandError {
    standardError("kith: \(error.message)")
    exit(error.status)
} catch {
    standardError("kith: \(error)")
    exit(1)
}
