internal import Glibc

// When a peer closes its end, write() must fail instead of ending the process.
signal(SIGPIPE, SIG_IGN)

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let command = try Command.named(arguments.first)
    if command.answersHelp(arguments) {
        command.show()
    } else {
        try command.run(Arguments(Array(arguments.dropFirst())))
    }
} catch {
    let failure = error as? CommandError ?? CommandError(missingRight: error) ?? CommandError("\(error)")
    standardError("kith: \(failure.message)")
    exit(failure.status)
}
