import Foundation
import KithClient

/// A terminal app for a sender or a receiver, on KithClient alone. Read it beside docs/screens.md when you begin an app
/// of your own.
@main struct KithExample {
    static let help = """
        kith-example: an app for senders and receivers in a terminal, made with KithClient.

        usage: kith-example [options] command

          sign-in PHONE|EMAIL         send a one-time code and ask for it; `kith dev` prints the code
          sign-in --token TOKEN       sign in with a token, such as Alice's that `kith dev` prints
          name NAME                   say how others see you
          become-sender HH:MM [ZONE]  be asked every day at that time whether you are safe
          become-receiver             be told when a sender does not answer
          connect CODE                connect with the person whose code this is
          check-in [NOTE]             say "I'm safe"; without a network it is kept and sent later
          show                        show your codes, your connections and today's check-ins
          watch                       show what changes, while it happens, until Ctrl-C
          sign-out                    sign out on this machine

        options

          --server URL    the server; default http://127.0.0.1:8080
          --tenant NAME   the tenant; default demo
          --session FILE  the file that keeps the sign-in, one for each person; default ~/.kith-example/session

        Try it: run `make run` in another terminal, then

          kith-example sign-in --token TOKEN-OF-ALICE
          kith-example --session /tmp/bob sign-in --token TOKEN-OF-BOB
          kith-example --session /tmp/bob watch
          kith-example check-in "Back from my walk"

        """

    /// A command line that is not understood.
    struct Misuse: Error {
        let reason: String
    }

    static func main() async {
        do {
            var words = Array(CommandLine.arguments.dropFirst())
            if words.isEmpty || words.contains("--help") || words == ["help"] { return say(help) }
            let app = try App(kith: client(&words))
            try await app.run(words)
        } catch let misuse as Misuse {
            fail("\(misuse.reason) `kith-example --help` says what there is.", status: 64)
        } catch let problem as KithProblem where problem.code.rawValue == "unauthenticated" {
            fail("You are not signed in, or your sign-in has ended: kith-example sign-in", status: 77)
        } catch let problem as KithProblem {
            let presented = ErrorPresentation(problem)
            let fields = problem.errors.map { " (\($0.field): \($0.message))" }.joined()
            fail([presented.text + fields, presented.retry].compactMap(\.self).joined(separator: " "), status: 1)
        } catch {
            fail("\(error)", status: 1)
        }
    }

    /// The client that the options ask for. The options are taken out of the words.
    private static func client(_ words: inout [String]) throws -> Kith {
        let text = try option("--server", &words) ?? "http://127.0.0.1:8080"
        guard let server = URL(string: text), ["http", "https"].contains(server.scheme), server.host() != nil else {
            throw Misuse(reason: "--server takes a URL such as http://127.0.0.1:8080, not \(text).")
        }
        let tenant = try option("--tenant", &words) ?? "demo"
        let file = try option("--session", &words).map { URL(filePath: $0) }
        let usual = FileManager.default.homeDirectoryForCurrentUser.appending(path: ".kith-example/session")
        return Kith(server: server, tenant: tenant, storage: .file(file ?? usual))
    }

    /// Takes an option and its value out of the words.
    static func option(_ name: String, _ words: inout [String]) throws -> String? {
        guard let index = words.firstIndex(of: name) else { return nil }
        guard index + 1 < words.count else { throw Misuse(reason: "\(name) needs a value.") }
        defer { words.removeSubrange(index...index + 1) }
        return words[index + 1]
    }

    /// Writes a line at once, also into a pipe.
    static func say(_ line: String, end: String = "\n") {
        FileHandle.standardOutput.write(Data((line + end).utf8))
    }

    private static func fail(_ line: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("kith-example: \(line)\n".utf8))
        exit(status)
    }
}
