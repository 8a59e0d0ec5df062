import Crypto
import HTTP
import Problems
import Requests
import Testing

@testable import API

@Suite struct `The token of a thing` {
    @Test func `names its tenant, and is found by its hash`() throws {
        let text = "42-0123456789abcdef0123456789abcdef"
        let token = try #require(SignToken(text))
        #expect(token.tenantID == 42)
        #expect(token.hash == sha256(Array(text.utf8)))
    }

    @Test(arguments: [
        "", "-", "42", "42-", "-0123456789abcdef0123456789abcdef", "042-0123456789abcdef0123456789abcdef",
        "42-0123456789ABCDEF0123456789abcdef", "42-0123456789abcdef0123456789abcde",
        "+42-0123456789abcdef0123456789abcdef",
        "42-0123456789abcdef0123456789abcdef-", "2147483648-0123456789abcdef0123456789abcdef",
        "99999999999-0123456789abcdef0123456789abcdef", "4２-0123456789abcdef0123456789abcdef",
    ])
    func `is refused in any other form, before the database is asked`(text: String) {
        #expect(SignToken(text) == nil)
    }
}

@Suite struct `The things that a server knows` {
    @Test func `are few enough for its memory, and the latest ones`() {
        var things = KnownThings(most: 2)
        for thing in 1...5 { things.insert([UInt8(thing)]) }
        #expect(things.count <= 4)
        #expect(things.contains([5]) && things.contains([4]))
        #expect(!things.contains([1]))
        things.remove([5])
        #expect(!things.contains([5]))
    }
}

@Suite struct `The limits of an address` {
    private func configured() throws -> APIConfiguration {
        APIConfiguration(
            masterKey: try MasterKey(text: String(repeating: "ab", count: 32)), instance: "test", version: "0",
            publicURL: "https://kith.example")
    }

    private func isRefused(_ limits: Limits, _ name: String, thing: [UInt8]? = nil) throws -> Bool {
        let endpoint = try #require(Endpoint.served.first { $0.operationID == name })
        let request = HTTPRequest(method: .post, path: "/", remoteAddress: "192.0.2.1", id: "1", receivedAt: 0)
        do throws(Problem) {
            _ = try limits.admit(request, to: PreparedRoute(endpoint, index: 0), thing: thing)
            return false
        } catch {
            return error.code == .tooManyRequests
        }
    }

    @Test func `leave a household its check-ins, whatever else comes from there`() throws {
        var configuration = try configured()
        configuration.addressLimit = .init(rate: 1, burst: 3)
        let limits = Limits(configuration)
        for _ in 0..<3 { #expect(try !isRefused(limits, "getHome")) }
        #expect(try isRefused(limits, "getHome"))
        #expect(try !isRefused(limits, "checkIn"))
    }

    @Test(arguments: ["callForHelp", "takeAlarm", "resolveAlarm", "getCheckInPage", "submitCheckInForm"])
    func `keep no call for help out, in the app or by a link`(name: String) throws {
        var configuration = try configured()
        configuration.addressLimit = .init(rate: 1, burst: 1)
        let limits = Limits(configuration)
        #expect(try !isRefused(limits, "getHome"))
        #expect(try isRefused(limits, "getHome"))
        #expect(try !isRefused(limits, name))
    }

    @Test func `of a user and a tenant keep no call for help out`() throws {
        var configuration = try configured()
        configuration.userLimit = .init(rate: 1, burst: 2)
        configuration.tenantLimit = .init(rate: 1, burst: 2)
        let limits = Limits(configuration)
        let caller = Caller(tenantID: 1, slug: "acme", kind: .user(id: "u", session: nil))
        let request = HTTPRequest(method: .post, path: "/", remoteAddress: "192.0.2.1", id: "1", receivedAt: 0)
        func isRefused(_ name: String) throws -> Bool {
            let endpoint = try #require(Endpoint.served.first { $0.operationID == name })
            do throws(Problem) {
                try limits.admit(caller, at: request, to: endpoint)
                return false
            } catch {
                return error.code == .tooManyRequests
            }
        }
        for _ in 0..<2 { #expect(try !isRefused("getHome")) }
        #expect(try isRefused("getHome"))
        for _ in 0..<2 { #expect(try !isRefused("callForHelp")) }
        #expect(try isRefused("callForHelp"), "which have as many of their own")
    }

    @Test func `leave the first calls to an inbound address theirs`() throws {
        var configuration = try configured()
        configuration.addressLimit = .init(rate: 1, burst: 3)
        let limits = Limits(configuration)
        let request = HTTPRequest(method: .post, path: "/", remoteAddress: "192.0.2.1", id: "1", receivedAt: 0)
        for _ in 0..<3 { #expect(try !isRefused(limits, "getHome")) }
        #expect(try isRefused(limits, "getHome"))
        for _ in 0..<3 { try limits.admitLookUp(request) }
        #expect(throws: Problem.self) { try limits.admitLookUp(request) }
    }

    @Test func `do not count the reports of a thing that exists, which has a limit of its own`() throws {
        var configuration = try configured()
        configuration.addressLimit = .init(rate: 1, burst: 3)
        configuration.thingLimit = .init(rate: 1, burst: 5)
        let limits = Limits(configuration)
        limits.learn([1], exists: true)
        for _ in 0..<5 { #expect(try !isRefused(limits, "reportSign", thing: [1])) }
        #expect(try isRefused(limits, "reportSign", thing: [1]))
        // Guesses at the addresses of things count by the address.
        for _ in 0..<3 { #expect(try !isRefused(limits, "reportSign", thing: [2])) }
        #expect(try isRefused(limits, "reportSign", thing: [3]))
        limits.learn([1], exists: false)
        #expect(try isRefused(limits, "reportSign", thing: [1]))
    }
}
