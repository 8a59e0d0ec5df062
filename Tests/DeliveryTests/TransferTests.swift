import Counterparts
import EventLoop
import Foundation
import NetworkAddresses
import Testing

@testable import Delivery

@Suite(.timeLimit(.minutes(5))) struct `A transfer` {
    @Test func `sends the request and returns the answer`() async throws {
        let mark = UUID().uuidString
        let url = try Servers.sink(#"/answer/{"mark":"\#(mark)"}"#)
        let answer = try await withTransfers { transfers in
            try await transfers.perform(
                Transfer(
                    url: url, headers: [("Content-Type", "text/plain"), ("X-Empty", "")],
                    body: Array("Hello, \(mark)".utf8)))
        }
        #expect(answer.status == 200)
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"mark":"\#(mark)"}"#)
        #expect(answer.headers["content-length"] == "\(answer.body.count)")
        let request = try #require(try Servers.sink.get().log.last { ($0["body"] as? String)?.contains(mark) == true })
        #expect(request["method"] as? String == "POST")
        let headers = try #require(request["headers"] as? [String: String])
        #expect(headers["content-type"] == "text/plain")
        #expect(headers["user-agent"] == "Kith")
        #expect(headers["x-empty"] == "")
        #expect(headers["expect"] == nil)
    }

    @Test func `uses the given method`() async throws {
        let mark = UUID().uuidString
        let url = try Servers.sink("/status/200")
        try await withTransfers { transfers in
            for method in ["GET", "PUT", "DELETE"] {
                _ = try await transfers.perform(Transfer(url: "\(url)?\(mark)", method: method))
            }
        }
        let methods = try Servers.sink.get().log.filter { ($0["path"] as? String)?.hasSuffix(mark) == true }
            .map { $0["method"] as? String }
        #expect(methods == ["GET", "PUT", "DELETE"])
    }

    @Test(arguments: [200, 204, 301, 404, 429, 500, 503]) func `returns any status as an answer`(_ status: Int)
        async throws
    {
        let url = try Servers.sink("/status/\(status)")
        let answer = try await withTransfers { try await $0.perform(Transfer(url: url)) }
        #expect(answer.status == status)
    }

    @Test(
        arguments: [
            ("7", 7), ("86401", 86400), ("99999999999999999999", nil), ("0", nil), ("-1", nil), ("soon", nil),
            ("Sun, 06 Nov 1994 08:49:37 GMT", nil), ("Wed, 06 Nov 2999 08:49:37 GMT", 86400),
        ] as [(String, Int?)])
    func `returns the delay that Retry-After asks for, at most a day`(_ text: String, _ seconds: Int?) async throws {
        let url = try Servers.sink("/retry-after/\(text)/503")
        let answer = try await withTransfers { try await $0.perform(Transfer(url: url)) }
        #expect(answer.retryAfter == seconds.map { .seconds($0) })
    }

    @Test func `follows no redirect`() async throws {
        let target = try Servers.sink("/status/200")
        let mark = UUID().uuidString
        let place = "\(target)?\(mark)".addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let url = "https://127.0.0.1:\(try Servers.sink.get().port)/redirect/\(place)"
        let answer = try await withTransfers { try await $0.perform(Transfer(url: url)) }
        #expect(answer.status == 302)
        let arrived = try Servers.sink.get().log.filter { $0["path"] as? String == "/status/200?\(mark)" }
        #expect(arrived.isEmpty)
    }

    @Test func `reads no more of an answer than it needs`() async throws {
        let url = try Servers.sink("/huge")
        let answer = try await withTransfers { try await $0.perform(Transfer(url: url, maximumAnswer: 1000)) }
        #expect(answer.status == 200)
        #expect(answer.headers["x-kind"] == "huge")
        #expect(answer.body == Array(repeating: UInt8(ascii: "x"), count: 1000))
    }

    @Test(arguments: ["/heads", "/interim"]) func `limits the size of the answer's head`(_ path: String) async throws {
        let url = try Servers.sink(path)
        await #expect(throws: TransferError("the head of the answer is too long")) {
            try await withTransfers { try await $0.perform(Transfer(url: url, timeout: .seconds(60))) }
        }
    }

    @Test(arguments: ["/never", "/slow/60"]) func `ends at its time-out`(_ path: String) async throws {
        let url = try Servers.sink(path)
        await #expect(throws: TransferError("no answer in time")) {
            try await withTransfers { try await $0.perform(Transfer(url: url, timeout: .milliseconds(300))) }
        }
    }

    @Test(arguments: ["/reset", "/half"]) func `fails temporarily if the other side disconnects`(_ path: String)
        async throws
    {
        let url = try Servers.sink(path)
        let error = await #expect(throws: TransferError.self) {
            try await withTransfers { try await $0.perform(Transfer(url: url)) }
        }
        #expect(error?.isFinal == false)
    }

    @Test func `fails temporarily if nobody listens or the name does not exist`() async throws {
        for url in ["https://127.0.0.1:1/", "https://nobody.invalid/"] {
            let error = await #expect(throws: TransferError.self) {
                try await withTransfers { try await $0.perform(Transfer(url: url)) }
            }
            #expect(error?.isFinal == false, "\(url)")
        }
    }

    @Test func `trusts only certificates from a trusted issuer`() async throws {
        let url = try Servers.sink("/status/200")
        let rules = OutboundRules(allowed: try Servers.rules.allowed)
        let error = await #expect(throws: TransferError.self) {
            try await withTransfers(rules) { try await $0.perform(Transfer(url: url)) }
        }
        #expect(error?.description.contains("certificate") == true, "\(error as Any)")
        // The same address under another name, which the certificate does not contain.
        let other = url.replacing("127.0.0.1", with: "127.0.0.2")
        await #expect(throws: TransferError.self) {
            try await withTransfers { try await $0.perform(Transfer(url: other)) }
        }
    }

    @Test(
        arguments: [
            "https://127.0.0.1:PORT/", "https://localhost:PORT/", "https://0x7f000001:PORT/",
            "https://2130706433:PORT/",
            "https://127.1:PORT/", "https://[::ffff:127.0.0.1]:PORT/", "https://[::1]:PORT/", "https://0.0.0.0:PORT/",
            "https://10.0.0.1/", "https://169.254.169.254/latest/meta-data/",
        ]) func `reaches no address that is not public, however it is written`(_ text: String) async throws
    {
        let url = text.replacing("PORT", with: "\(try Servers.sink.get().port)")
        let rules = OutboundRules(certificates: try Servers.certificate.get().path)
        let error = await #expect(throws: TransferError.self) {
            try await withTransfers(rules) { try await $0.perform(Transfer(url: url)) }
        }
        #expect(error?.description == "the host has no address that may be reached")
        #expect(error?.detail?.hasPrefix("it leads to ") == true, "\(error?.detail ?? "")")
    }

    @Test func `distinguishes an unknown name from a forbidden address for the operator only`()
        async throws
    {
        let rules = OutboundRules(certificates: try Servers.certificate.get().path)
        func error(_ url: String) async throws -> TransferError {
            try #require(
                await #expect(throws: TransferError.self) {
                    // Waits as long as a busy resolver takes.
                    try await withTransfers(rules) {
                        try await $0.perform(
                            Transfer(url: url, timeout: .seconds(120), connectTimeout: .seconds(120)))
                    }
                })
        }
        let missing = try await error("https://nobody.invalid/")
        let refused = try await error("https://localhost/")
        #expect(missing.description == refused.description)
        #expect(missing.isFinal == refused.isFinal)
        #expect(DeliveryError(missing).kind == DeliveryError(refused).kind)
        #expect(missing.detail == "it does not resolve")
        #expect(["it leads to 127.0.0.1", "it leads to ::1"].contains(refused.detail))
    }

    @Test func `reaches its own address if trusted, and does not share the connection`() async throws {
        let url = try Servers.sink("/status/200")
        let rules = OutboundRules(certificates: try Servers.certificate.get().path)
        try await withTransfers(rules) { transfers in
            let answer = try await transfers.perform(Transfer(url: url, isTrusted: true))
            #expect(answer.status == 200)
            await #expect(throws: TransferError.unreachable(because: "it leads to 127.0.0.1")) {
                try await transfers.perform(Transfer(url: url))
            }
        }
    }

    @Test func `uses plain HTTP for an allowed address only`() async throws {
        let plain = try Counterpart("sink", [])
        let url = "http://127.0.0.1:\(plain.port)/status/200"
        #expect(try await withTransfers { try await $0.perform(Transfer(url: url)) }.status == 200)
        let elsewhere = OutboundRules(allowed: [try #require(AddressBlock("127.0.0.2"))])
        await #expect(throws: TransferError.unreachable(because: "it leads to 127.0.0.1")) {
            try await withTransfers(elsewhere) { try await $0.perform(Transfer(url: url)) }
        }
        #expect(try plain.log.count == 1)
    }

    @Test func `refuses a header field that contains a line break`() async throws {
        let url = try Servers.sink("/status/200")
        for (name, value) in [("X-A", "b\r\nX-C: d"), ("X-A\r\n", "b"), ("X A", "b"), ("", "b"), ("X-A", "b\0")] {
            let error = await #expect(throws: TransferError.self) {
                try await withTransfers { try await $0.perform(Transfer(url: url, headers: [(name, value)])) }
            }
            #expect(error?.isFinal == true)
        }
    }

    @Test func `ignores proxies set in the environment`() async {
        // Runs in a process of its own: setting a variable while other threads read theirs can crash them.
        await #expect(processExitsWith: .success) {
            // First: on a fresh clone it installs what the server needs, which may take a proxy of its own.
            let url = try Servers.sink("/status/200")
            for name in ["https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"] {
                setenv(name, "http://127.0.0.1:1", 1)
            }
            let answer = try await withTransfers { try await $0.perform(Transfer(url: url)) }
            #expect(answer.status == 200)
        }
    }

    @Test func `reuses a connection, but not one of another pool`() async throws {
        let mark = UUID().uuidString
        let url = try Servers.sink("/status/200") + "?\(mark)"
        try await withTransfers { transfers in
            for pool in [nil, nil, "a", "a", "b"] { _ = try await transfers.perform(Transfer(url: url, pool: pool)) }
            #expect(transfers.poolCount == 3)
        }
        let connections = try Servers.sink.get().log.filter { ($0["path"] as? String)?.hasSuffix(mark) == true }
            .compactMap { $0["connection"] as? Int }
        #expect(connections.count == 5)
        #expect(connections[0] == connections[1] && connections[2] == connections[3])
        #expect(Set(connections).count == 3)
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A named pool` {
    @Test func `is closed when it has been idle for a while`() async throws {
        let url = try Servers.sink("/slow/0.3")
        let rules = try Servers.rules
        try await withTransfers { transfers in
            let client = Transfers(loop: transfers.loop, rules: rules, idleTimeout: .milliseconds(50))
            defer { client.close() }
            for pool in [nil, "a", "b"] { _ = try await client.perform(Transfer(url: url, pool: pool)) }
            // A pool in use stays open, however often the client checks, and so does the unnamed one.
            while client.poolCount > 1 { try await transfers.loop.sleep(for: .milliseconds(5)) }
            let answer = try await client.perform(Transfer(url: url, pool: "a"))
            #expect(answer.status == 200)
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Many transfers` {
    @Test func `end once each, whatever their outcome and whoever cancels them`() async throws {
        let paths = [
            "/status/200", "/slow/0.05", "/reset", "/half", "/huge", "/never", "/status/500", "/redirect/x",
            "/slow/0.3",
        ]
        let urls = try paths.map(Servers.sink)
        // On a machine that is in use every port may be taken; this one does not answer.
        let all = urls + ["https://127.0.0.1:1/", "https://nobody.invalid/", "https://10.0.0.1/"]
        let ended = try await withTransfers { transfers in
            let ended = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<600 {
                    group.addTask {
                        let task = Task(executorPreference: transfers.loop) {
                            let transfer = Transfer(
                                url: all[number % all.count], body: [UInt8](repeating: 7, count: number * 37 % 9000),
                                timeout: .milliseconds(200 + number % 300),
                                pool: number % 5 == 0 ? "p\(number % 3)" : nil)
                            _ = try? await transfers.perform(transfer)
                            return true
                        }
                        if number % 3 == 0 {
                            try? await transfers.loop.sleep(for: .microseconds(number * 1733 % 250_000))
                            task.cancel()
                        }
                        return await task.value
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(transfers.count == 0)
            return ended
        }
        #expect(ended == 600)
    }

    @Test func `leave no descriptor open`() async throws {
        let url = try Servers.sink("/slow/0.2")
        func sockets() throws -> Int {
            let folder = "/proc/self/fd"
            return try FileManager.default.contentsOfDirectory(atPath: folder).count {
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
                return target?.hasPrefix("socket:") == true
            }
        }
        // Other tests of this process have sockets too, so repeat until they leave the count alone.
        var left = Int.max
        for _ in 0..<20 where left > 0 {
            let before = try sockets()
            try await withTransfers { transfers in
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<100 {
                        group.addTask { _ = try? await transfers.perform(Transfer(url: url)) }
                        if number == 50 { group.cancelAll() }
                    }
                }
            }
            left = try sockets() - before
        }
        #expect(left <= 0)
    }

    @Test func `are cancelled when the client is closed`() async throws {
        let url = try Servers.sink("/never")
        let errors = try await withTransfers { transfers in
            await withTaskGroup(of: TransferError?.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        do throws(TransferError) { _ = try await transfers.perform(Transfer(url: url)) } catch {
                            return error
                        }
                        return nil
                    }
                }
                group.addTask {
                    while transfers.count < 50 { try? await transfers.loop.sleep(for: .milliseconds(1)) }
                    transfers.close()
                    return nil
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(errors.compactMap { $0 }.count == 50)
    }

    @Test func `do not begin if their task was already cancelled`() async throws {
        let mark = UUID().uuidString
        let url = try Servers.sink("/status/200") + "?\(mark)"
        try await withTransfers { transfers in
            let task = Task(executorPreference: transfers.loop) {
                while !Task.isCancelled { await Task.yield() }
                return try? await transfers.perform(Transfer(url: url)).status
            }
            task.cancel()
            #expect(await task.value == nil)
            #expect(transfers.count == 0)
        }
        let arrived = try Servers.sink.get().log.contains { ($0["path"] as? String)?.hasSuffix(mark) == true }
        #expect(!arrived)
    }
}
