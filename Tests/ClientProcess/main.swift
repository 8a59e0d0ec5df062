import Foundation
import KithClient

// An app on the library, for tests that kill it: checks in with each of the given notes, and ends when the server has
// received everything. Its output tells a test how far it came: what was `kept` must arrive, and what has a `tap` and
// nothing more may. With `serve` it does what its input says, with `measure` what a benchmark measures.
let arguments = CommandLine.arguments
if arguments.count == 6, arguments[1] == "measure", let measurement = Measurement(rawValue: arguments[2]),
    let server = URL(string: arguments[3])
{
    try await measurement.run(server: server, token: arguments[4], limit: arguments[5])
    exit(0)
}
if arguments.count > 3, arguments[1] == "serve", let server = URL(string: arguments[2]) {
    await CommandLoop.run(
        server: server, file: arguments[3], formerly: arguments.dropFirst(4).compactMap { URL(string: $0) })
    exit(0)
}
guard arguments.count > 2, let server = URL(string: arguments[1]) else {
    fatalError(
        """
        usage: ClientProcess server-url file note… | serve server-url file [former-url…] | \
        measure WHAT server-url token LIMIT
        """)
}

@Sendable func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

let kith = Kith(server: server, tenant: "acme", storage: .file(URL(fileURLWithPath: arguments[2])))
say("launched")
for note in arguments.dropFirst(3) {
    say("tap \(note)")
    _ = try await kith.checkIn(note: note)
    say("kept \(note)")
}
let end = ContinuousClock.now + .seconds(120)
while !kith.keptCheckIns.isEmpty {
    guard .now < end else {
        say("still kept: \(kith.keptCheckIns.compactMap(\.note))")
        exit(1)
    }
    try await Task.sleep(for: .milliseconds(20))
    kith.wake()
}
say("sent")
