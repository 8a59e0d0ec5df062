import Foundation
import KithClient

// An app on the library, for tests that kill it: checks in with each of the given notes, and ends when the server has received everything.
// It writes a line when a check-in is kept, so a killed process tells by its output which check-ins must arrive.
let arguments = CommandLine.arguments
guard arguments.count > 2, let server = URL(string: arguments[1]) else {
    fatalError("usage: ClientProcess server-url file note…")
}
let kith = Kith(server: server, tenant: "acme", storage: .file(URL(fileURLWithPath: arguments[2])))
for note in arguments.dropFirst(3) {
    _ = try await kith.checkIn(note: note)
    FileHandle.standardOutput.write(Data("kept \(note)\n".utf8))
}
while !kith.keptCheckIns.isEmpty {
    try await Task.sleep(for: .milliseconds(20))
    kith.wake()
}
FileHandle.standardOutput.write(Data("sent\n".utf8))
