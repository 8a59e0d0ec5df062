import Crypto
import Foundation
import Glibc
import KithClient
import KithServer
import Postgres
import Synchronization
import TestThreads
import Testing

@Suite(.mayBlock, .serialized) struct `The master key of an installation` {
    /// A file with the installation's master key, deleted when the object is released.
    private final class KeyFile {
        let path = FileManager.default.temporaryDirectory.appending(path: "kith-master-key-\(UUID().uuidString)").path

        init(_ text: String) throws {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            chmod(path, 0o640)
        }

        deinit { unlink(path) }

        var keys: [String] {
            get throws { try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init) }
        }

        /// The variables that make a process use the file.
        var variables: [String: String] { ["KITH_MASTER_KEY": "", "KITH_MASTER_KEY_FILE": path] }
    }

    /// Tells the concurrent readers and writers to stop.
    private final class End: Sendable {
        private let state = Atomic(false)

        var hasCome: Bool { state.load(ordering: .relaxed) }

        func come() { state.store(true, ordering: .relaxed) }
    }

    private static let old = String(repeating: "5a", count: 32)

    private func kith(
        _ arguments: String..., in installation: Installation, with variables: [String: String]
    ) throws -> (status: Int32, output: String, errors: String) {
        try KithProcess.run(arguments, environment: installation.environment.merging(variables) { $1 })
    }

    /// Makes a vault for a person and opens it; the path of its documents.
    private func open(_ person: Person) async throws -> String {
        let vault: Kith.Vault = try await person.get("POST", "/v1/vaults", #"{"name":"Papers"}"#, status: 201)
        let _: Kith.VaultSession = try await person.get("POST", "/v1/vaults/\(vault.id)/open", "{}", status: 201)
        return "/v1/vaults/\(vault.id)/documents"
    }

    private func add(_ content: String, to path: String, _ person: Person) async throws -> String {
        let answer = try await person.client.patiently {
            try await person.client.send(
                "POST", path + "?name=x", content: Data(content.utf8), type: "text/plain", as: person.token)
        }
        guard answer.status == 201 else { throw KithProcess.Failure(description: "\(answer.status) \(answer.text)") }
        return "\(path)/\(try answer.decode(Kith.Document.self).id)/content"
    }

    @Test func `is rotated while documents are read and written, and the old key stops working`() async throws {
        let installation = try Installation()
        let file = try KeyFile(Self.old + "\n")
        let (server, client) = try installation.serve(file.variables)
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let path = try await open(alice)
        let content = try await add("before", to: path, alice)
        func pushKey(_ subject: String) async throws -> Kith.JSON? {
            let channel: Kith.Channel = try await client.get(
                "PUT", "/v1/tenant/channels/web_push", #"{"subject":"mailto:\#(subject)@example.com"}"#,
                as: installation.acme.secretKey)
            return channel.settings["public_key"]
        }
        let pushes = try await pushKey("before")

        let end = End()
        let rotated = try await withThrowingTaskGroup(of: Void.self) { group in
            // Reading, writing into new vaults and signing tokens: every use of a key.
            group.addTask {
                while !end.hasCome {
                    let read = try await client.patiently { try await alice.send("GET", content) }
                    #expect(read.status == 200, "\(read.text)")
                    #expect(read.text == "before")
                }
            }
            group.addTask {
                var number = 0
                // Continue with the new key alone: on a busy machine the rotation may be over after the first document.
                while !end.hasCome || number < 4 {
                    let carol = try await Person.join(installation.globex, as: "Carol", client)
                    let path = try await self.add("\(number)", to: self.open(carol), carol)
                    #expect(try await carol.send("GET", path).text == "\(number)")
                    number += 1
                }
            }
            let rotated = try self.kith("keys", "rotate", in: installation, with: file.variables)
            end.come()
            try await group.waitForAll()
            return rotated
        }
        #expect(rotated.status == 0, "\(rotated.errors)")
        #expect(rotated.output.contains("made a new master key"))
        #expect(rotated.output.contains(", not before: answers kept"))
        let keys = try file.keys
        #expect(keys.count == 2)
        #expect(keys.last == Self.old)
        var facts = stat()
        #expect(stat(file.path, &facts) == 0 && facts.st_mode & 0o777 == 0o640)
        #expect(!FileManager.default.fileExists(atPath: file.path + ".new"))
        let acts = "select from kith.audit where action = 'master_key.rotate'"
        #expect(try installation.directorySession().query(acts).rowCount == 1)

        // A second rotation finds nothing to do.
        let again = try kith("keys", "rotate", in: installation, with: file.variables)
        #expect(again.output.contains("sealed 0 keys"), "\(again.output)\(again.errors)")
        #expect(try file.keys == keys)

        // The new key alone suffices, for this server and for another; the old one alone does not.
        try (keys[0] + "\n").write(toFile: file.path, atomically: true, encoding: .utf8)
        #expect(try await alice.send("GET", content).text == "before")
        // The tenant's push key pair is read again with the new key; otherwise a new pair would be made.
        #expect(try await pushKey("after") == pushes)
        let second = try installation.serve(["KITH_MASTER_KEY": keys[0]])
        defer { second.process.signal(SIGTERM) }
        #expect(try await second.client.send("GET", content, as: alice.token).text == "before")
        for command in [["serve"], ["worker"]] {
            let refusal = try installation.refusal(of: command, ["KITH_DELIVERY": "file:/dev/null"])
            #expect(refusal.contains("KITH_MASTER_KEY is not the key of this database"), "\(refusal)")
        }
        let doctor = try kith("doctor", in: installation, with: [:])
        #expect(doctor.output.contains(/WRONG  .*KITH_MASTER_KEY is not the key of this database/), "\(doctor.output)")
        #expect(try kith("keys", "rotate", in: installation, with: [:]).status == 78)
        let healthy = try kith("doctor", in: installation, with: file.variables)
        #expect(healthy.output.contains("ok     master key: opens what is sealed"), "\(healthy.output)")
    }

    @Test func `is rotated correctly by two concurrent commands`() async throws {
        let installation = try Installation()
        let file = try KeyFile(Self.old)
        let (server, client) = try installation.serve(file.variables)
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let content = try await add("x", to: open(alice), alice)
        let environment = installation.environment.merging(file.variables) { $1 }
        let commands = try (0..<2).map { _ in try KithProcess(["keys", "rotate"], environment: environment) }
        for command in commands { #expect(command.wait() == 0, "\(command.standardError)") }
        #expect(try file.keys.count == 2)
        #expect(try await alice.send("GET", content).text == "x")
    }

    @Test func `is rotated completely after the command was killed halfway`() async throws {
        let installation = try Installation()
        let file = try KeyFile(Self.old)
        let (server, client) = try installation.serve(file.variables)
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let content = try await add("x", to: open(alice), alice)
        let command = try KithProcess(
            ["keys", "rotate"], environment: installation.environment.merging(file.variables) { $1 })
        while try file.keys.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
        command.signal(SIGKILL)
        command.wait()
        #expect(try await alice.send("GET", content).text == "x")
        let end = try kith("keys", "rotate", in: installation, with: file.variables)
        #expect(end.status == 0, "\(end.errors)")
        try (try file.keys[0]).write(toFile: file.path, atomically: true, encoding: .utf8)
        #expect(try await alice.send("GET", content).text == "x")
        _ = try installation.refusal(of: ["serve"])
    }

    @Test func `in an environment variable is rotated by giving every server both keys`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let content = try await add("x", to: open(alice), alice)
        let alone = try kith("keys", "rotate", in: installation, with: [:])
        #expect(alone.status == 78)
        #expect(alone.errors.contains("\"new,old\""))
        server.signal(SIGTERM)
        server.wait()

        let new = String(repeating: "c3", count: 32)
        let both = ["KITH_MASTER_KEY": "\(new),\(Self.old)"]
        let rotated = try kith("keys", "rotate", in: installation, with: both)
        #expect(rotated.status == 0, "\(rotated.errors)")
        let second = try installation.serve(["KITH_MASTER_KEY": new])
        defer { second.process.signal(SIGTERM) }
        #expect(try await second.client.send("GET", content, as: alice.token).text == "x")
    }

    @Test func `stops the start if it is the wrong key, and changes nothing`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let content = try await add("x", to: open(alice), alice)
        let sealed = "select md5(string_agg(encode(sealed, 'hex'), '' order by id)) from internal.sealed_samples()"
        let before = try installation.session().query(sealed).string(0, 0)
        _ = try installation.refusal(of: ["serve"], ["KITH_MASTER_KEY": String(repeating: "00", count: 32)])
        for key in ["short", ""] {
            let refused = try kith("serve", in: installation, with: ["KITH_MASTER_KEY": key])
            #expect(refused.status == 78, "\(key): \(refused.errors)")
            #expect(refused.errors.split(separator: "\n").count == 1)
            #expect(refused.errors.contains("KITH_MASTER_KEY"))
        }
        #expect(try installation.session().query(sealed).string(0, 0) == before)
        #expect(try await alice.send("GET", content).text == "x")
    }
}
