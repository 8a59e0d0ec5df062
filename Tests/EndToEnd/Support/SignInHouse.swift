import Foundation
import KithClient
import KithServer
import Testing

/// An installation whose worker runs beside the server and delivers into a file.
struct SignInHouse: Sendable {
    let installation: Installation
    let server: KithProcess
    let worker: KithProcess
    var client: APIClient
    let mailbox: Mailbox

    /// Starts them over `installation`, with further settings of the server.
    init(_ installation: Installation? = nil, serving settings: [String: String] = [:]) throws {
        let installation = try installation ?? Installation()
        self.installation = installation
        (server, client) = try installation.serve(settings)
        mailbox = Mailbox()
        worker = try KithProcess(
            ["worker"], environment: installation.environment.merging(mailbox.environment) { $1 })
    }

    /// A phone number that no other test uses.
    static func number() -> String {
        "+49151\(String(Int.random(in: 10_000_000...99_999_999)))"
    }

    func send(_ path: String, _ body: String, tenant: String? = "acme") async throws -> APIClient.Answer {
        try await client.send("POST", path, body, headers: tenant.map { ["X-Kith-Tenant": $0] } ?? [:])
    }

    /// Asks for a code and waits until it is delivered.
    func code(to contact: String, tenant: String = "acme") async throws -> String {
        let before = try mailbox.items(for: contact).count
        let name = contact.contains("@") ? "email" : "phone"
        let answer = try await send("/v1/auth/otp", #"{"\#(name)":"\#(contact)"}"#, tenant: tenant)
        #expect(answer.status == 202)
        #expect(answer.challenge != nil)
        return try await newCode(to: contact, after: before)
    }

    /// Waits for a message to `contact` beyond the first `count`; its code.
    func newCode(to contact: String, after count: Int) async throws -> String {
        let end = Date() + 120
        while Date() < end {
            // Something else may arrive meanwhile, such as a notice of emergency access.
            let items = try mailbox.items(for: contact).dropFirst(count)
            if let item = items.last(where: { !$0.code.isEmpty }) { return item.code }
            try await Task.sleep(for: .milliseconds(25))
        }
        throw KithProcess.Failure(description: "nothing was delivered to \(contact): \(worker.standardError)")
    }

    /// Waits for the code of a challenge.
    func lastCode(to contact: String, of challenge: String) async throws -> String {
        let end = Date() + 120
        while Date() < end {
            if let item = try mailbox.items(for: contact).last(where: { $0.id == challenge }) { return item.code }
            try await Task.sleep(for: .milliseconds(25))
        }
        throw KithProcess.Failure(description: "nothing was delivered to \(contact): \(worker.standardError)")
    }

    func verify(
        _ contact: String, _ code: String, challenge: String? = nil, tenant: String = "acme"
    ) async throws -> APIClient.Answer {
        let name = contact.contains("@") ? "email" : "phone"
        let more = challenge.map { #","challenge_id":"\#($0)""# } ?? ""
        return try await send(
            "/v1/auth/otp/verify", #"{"\#(name)":"\#(contact)","code":"\#(code)"\#(more)}"#, tenant: tenant)
    }

    /// Signs in with a new code.
    func signIn(_ contact: String, tenant: String = "acme") async throws -> Kith.SignIn {
        let answer = try await verify(contact, code(to: contact, tenant: tenant), tenant: tenant)
        guard answer.status == 200 else { throw KithProcess.Failure(description: answer.text) }
        return try answer.decode()
    }

    func refresh(_ token: String) async throws -> APIClient.Answer {
        try await send("/v1/auth/refresh", #"{"refresh_token":"\#(token)"}"#, tenant: nil)
    }

    func status(of token: String) async throws -> Int {
        try await client.send("GET", "/v1/me", as: token).status
    }
}

extension APIClient.Answer {
    /// The challenge in the answer to a request for a code.
    var challenge: String? {
        (try? decode([String: String].self))?["challenge_id"]
    }
}
