internal import Glibc

// When a peer closes its end, write() must fail instead of ending the process.
signal(SIGPIPE, SIG_IGN)

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    try Command.named(arguments.first).run(Arguments(Array(arguments.dropFirst())))
} catch {
    let failure = error as? CommandError ?? CommandError(missingRight: error) ?? CommandError("\(error)")
    standardError("kith: \(failure.message)")
    exit(failure.status)
}
