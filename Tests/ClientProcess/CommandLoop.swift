import Foundation
import KithClient

/// One of several processes of an app, which a test tells what to do: it reads a command from each line of its standard
/// input, and writes what came of it.
enum CommandLoop {
    /// Runs until the input ends.
    ///
    /// - Parameters:
    ///   - server: The server's address.
    ///   - file: The storage that the processes share.
    ///   - formerly: The addresses of the server that the other processes use.
    static func run(server: URL, file: String, formerly: [URL]) async {
        let storage = KillingStorage(
            storage: .file(URL(fileURLWithPath: file)),
            killAt: ProcessInfo.processInfo.environment["KITH_TEST_KILL_AT"].flatMap { Int($0) } ?? .max)
        let kith = Kith(server: server, tenant: "acme", storage: storage, formerly: formerly)
        say("launched")
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            let argument = words.dropFirst().joined(separator: " ")
            do {
                try await act(words.first ?? "", argument, kith)
            } catch let problem as KithProblem {
                say("\(line) failed \(problem.code.rawValue)")
            } catch {
                say("\(line) failed \(error)")
            }
        }
    }

    private static func act(_ command: String, _ argument: String, _ kith: Kith) async throws {
        switch command {
        case "me": say("me \(try await kith.api.getMe().id)")
        case "session": say("session \(text(kith.session))")
        case "sign-out":
            try kith.signOut()
            say("signed out")
        case "follow":
            Task {
                for await session in kith.sessions { say("sees \(text(session))") }
            }
        case "tap":
            say("tap \(argument)")
            let checkIn = try await kith.checkIn(note: argument)
            say("kept \(argument)")
            Task {
                for await state in checkIn.states {
                    switch state {
                    case .received: say("received \(argument)")
                    case .refused(let problem): say("refused \(argument) \(problem.code.rawValue)")
                    case .kept, .delayed, .waitsForSignIn: break
                    }
                }
            }
        case "quick":
            let checkIn = try await KithExtension(kith).checkIn(within: .seconds(30))
            say("quick \(checkIn.isRefused ? "refused" : "\(checkIn.state)".prefix { $0.isLetter }.description)")
        case "widget":
            let entry = await KithExtension(kith).timeline().entries[0]
            let people = entry.people.map { "\($0.name) \($0.state.kind.rawValue)" }.joined(separator: ", ")
            let age = entry.outdatedSince == nil ? "" : " outdated"
            say("widget \(entry.day?.kind.rawValue ?? "none"); \(people);\(age) \(entry.waiting) waiting")
        case "register":
            _ = try await kith.api.registerDevice(.init(platform: .ios, token: argument))
            say("registered")
        case "empty":
            while !kith.keptCheckIns.isEmpty {
                guard kith.session != nil else { return say("empty failed: nobody is signed in") }
                kith.wake()
                try await Task.sleep(for: .milliseconds(20))
            }
            say("empty")
        default: say("unknown \(command)")
        }
    }

    private static func text(_ session: KithSession?) -> String { session?.userID.uuidString ?? "none" }

    private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
