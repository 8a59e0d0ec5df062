import ChildProcesses
import Foundation
import Glibc
import KithClient
import TestThreads
import Testing

/// A server that trusts the proxies in front of it, and limits tries to sign in by address.
private let behind = Result { () throws -> (house: SignInHouse, server: KithProcess, client: APIClient) in
    let house = try SignInHouse()
    let (server, client) = try house.installation.serve([
        "KITH_TRUSTED_PROXIES": "127.0.0.1/32", "KITH_SIGN_IN_LIMIT": "1/5",
    ])
    return (house, server, client)
}

@Suite(.mayBlock) struct `Behind a reverse proxy` {
    @Test(arguments: ReverseProxy.Kind.allCases)
    func `people sign in, connect, check in, and see it happen`(_ kind: ReverseProxy.Kind) async throws {
        let (house, _, client) = try behind.get()
        let proxy = try ReverseProxy(kind, before: client)
        let version = try proxy.send(
            "GET", "/livez", options: ["--output", "/dev/null", "--write-out", "%{http_version}\n%{http_code}"])
        #expect(version.text == "2")

        let phone = SignInHouse.number()
        let tenant = ["X-Kith-Tenant": "acme"]
        #expect(try proxy.send("POST", "/v1/auth/otp", #"{"phone":"\#(phone)"}"#, headers: tenant).status == 202)
        let code = try await house.newCode(to: phone, after: 0)
        let signedIn = try proxy.send(
            "POST", "/v1/auth/otp/verify", #"{"phone":"\#(phone)","code":"\#(code)"}"#, headers: tenant)
        let bob = try #require(try JSON(signedIn.body)["access_token"]?.string, "\(signedIn.text)")
        let alice = try await Person.join(house.installation.acme, as: "Alice", client)
        try await alice.becomeSender()
        let profile: Kith.ReceiverProfile = try proxy.send("PUT", "/v1/me/receiver-profile", "{}", as: bob).decode()
        let connected = try proxy.send("POST", "/v1/connections", #"{"code":"\#(profile.code)"}"#, as: alice.token)
        #expect(connected.status == 201, "\(connected.text)")

        let stream = try EventFile(proxy, as: bob)
        try await stream.waits(for: "\n\n")
        #expect(try proxy.send("POST", "/v1/pings/check-in", "{}", as: alice.token).status == 200)
        // A proxy that buffers would hold the event back until the stream ends, in an hour.
        try await stream.waits(for: "ping_completed")
    }

    @Test(arguments: ReverseProxy.Kind.allCases)
    func `documents of 25 MiB pass, and larger ones are refused`(_ kind: ReverseProxy.Kind) async throws {
        let (house, _, client) = try behind.get()
        let proxy = try ReverseProxy(kind, before: client)
        let archive = try await Archive(house.installation, client)
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-documents-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, back) = (folder.appending(path: "content"), folder.appending(path: "back"))
        func upload(_ content: Data, _ more: String...) throws -> APIClient.Answer {
            try content.write(to: file)
            let arguments =
                proxy.curl(archive.path + "?name=x", as: archive.alice.token) + [
                    "--header", "Content-Type: application/pdf", "--data-binary", "@\(file.path)", "--write-out",
                    "\n%{http_code}",
                ] + more
            let lines = try Tool.run(URL(filePath: "/usr/bin/env"), arguments).output.split(separator: "\n")
            return APIClient.Answer(
                status: Int(lines.last ?? "") ?? 0, headers: [:],
                body: Data(lines.dropLast().joined(separator: "\n").utf8))
        }

        let content = bytes(25 << 20)
        let made = try upload(content)
        #expect(made.status == 201, "\(made.text)")
        let document: Kith.Document = try made.decode()
        let path = archive.path(document) + "/content"
        #expect(try proxy.send("GET", path, as: archive.alice.token, options: ["--output", back.path]).status == 200)
        let isSame = try Data(contentsOf: back) == content
        #expect(isSame)

        let refused = try upload(content + Data([0]))
        #expect(refused.status == 413)
        // The answer comes while curl is still sending. Caddy then resets the stream, and curl may lose the answer's
        // body or its end.
        #expect(["payload_too_large", ""].contains(refused.code), "\(refused.text)")
        // A refused upload must not make the proxy believe that the server is down.
        let slow = try upload(bytes(100_000), "--limit-rate", "100k")
        #expect(slow.status == 201, "\(slow.text)")
    }

    @Test(arguments: ReverseProxy.Kind.allCases)
    func `forms of several files reach the server, which is the one to refuse them`(
        _ kind: ReverseProxy.Kind
    ) async throws {
        let (_, _, client) = try behind.get()
        let proxy = try ReverseProxy(kind, before: client)
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-form-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        // Nobody is signed in, so the server leads to the sign-in, whatever it has read. A proxy that refuses answers
        // 413.
        try bytes(30 << 20).write(to: file)
        let answer = try proxy.send(
            "POST", "/vaults/\(UUID().uuidString)/upload?t=acme",
            options: ["--header", "Content-Type: multipart/form-data; boundary=b", "--data-binary", "@\(file.path)"])
        #expect(answer.status != 413)
        let other = try proxy.send(
            "POST", "/today",
            options: ["--header", "Content-Type: multipart/form-data; boundary=b", "--data-binary", "@\(file.path)"])
        #expect(other.status == 413)
    }

    @Test(arguments: ReverseProxy.Kind.allCases)
    func `a client cannot choose its address`(_ kind: ReverseProxy.Kind) async throws {
        let (_, _, client) = try behind.get()
        let proxy = try ReverseProxy(kind, before: client)
        func status(_ number: Int, from network: String) throws -> Int {
            let headers = ["X-Kith-Tenant": "acme", "X-Forwarded-For": "203.0.113.\(number)"]
            let body = #"{"phone":"\#(SignInHouse.number())"}"#
            // Of two such options, curl uses the last.
            let options = ["--interface", "\(network).\(proxy.number)"]
            return try proxy.send("POST", "/v1/auth/otp", body, headers: headers, options: options).status
        }
        // The limit is one a second and five at once, so it refuses unless the machine needs a second for each request.
        var statuses: Set<Int> = []
        for number in 0..<100 where !statuses.contains(429) { statuses.insert(try status(number, from: "127.0.81")) }
        #expect(statuses == [202, 429])
        // The limit is the client's, not the proxy's.
        #expect(try status(0, from: "127.0.82") == 202)
    }
}

/// An event stream through a proxy, which curl writes to a file.
private final class EventFile {
    private let process: ChildProcess
    private let file = FileManager.default.temporaryDirectory.appending(path: "kith-events-\(UUID().uuidString)")

    init(_ proxy: ReverseProxy, as token: String) throws {
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        process = try ChildProcess(proxy.curl("/v1/events", as: token) + ["--no-buffer"], output: .file(file.path))
    }

    deinit {
        process.kill()
        try? FileManager.default.removeItem(at: file)
    }

    /// Waits until `text` has arrived.
    func waits(for text: String) async throws {
        let end = Date() + 240
        while try !String(contentsOf: file, encoding: .utf8).contains(text) {
            guard process.isRunning, Date() < end else {
                throw KithProcess.Failure(description: try String(contentsOf: file, encoding: .utf8))
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
