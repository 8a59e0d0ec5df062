import Counterparts
import Foundation
import LocalPostgres
import Postgres
import Testing

/// The providers that tenants' messages go to in a test, instead of phones and mailboxes: real servers on the loopback
/// interface, with TLS.
final class Providers: Sendable {
    let certificate: Certificate
    /// A provider of text messages, the tenants' own servers, and any other HTTP server.
    let sink: Counterpart

    init() throws {
        certificate = try Certificate()
        sink = try Counterpart("sink", ["--certificate", certificate.pathWithKey])
    }

    /// The settings that let a worker reach the providers.
    var environment: [String: String] {
        ["KITH_DELIVERY": "channels", "KITH_OUTBOUND_ALLOW": "127.0.0.0/8", "KITH_CA_FILE": certificate.path]
    }

    /// The address at which the sink behaves as `path` says.
    func url(_ path: String) -> String { "https://localhost:\(sink.port)\(path)" }

    /// The requests that came to `path`, oldest first.
    func requests(to path: String) throws -> [[String: Any]] {
        try sink.log.filter { $0["path"] as? String == path && $0["method"] as? String == "POST" }
    }

    /// Makes the address `/named/NAME` behave as `path` says from now on.
    func make(_ name: String, behaveAs path: String) throws {
        let curl = try Tool.run(
            URL(filePath: "/usr/bin/curl"),
            ["-sS", "-X", "PUT", "--cacert", certificate.path, "--data-binary", path, url("/named/\(name)")])
        #expect(curl.status == 0, "\(curl.output)")
    }
}

/// A message sent to a provider of text messages.
struct TextMessage {
    let id: String
    let to: String
    let text: String

    /// Reads a request from the sink's log.
    init?(_ request: [String: Any]) {
        guard let headers = request["headers"] as? [String: String], let id = headers["idempotency-key"],
            let body = request["body"] as? String,
            let form = URLComponents(string: "?\(body.replacing("+", with: "%20"))")?.queryItems
        else { return nil }
        func field(_ name: String) -> String? { form.first { $0.name == name }?.value }
        guard let to = field("to"), let text = field("text") else { return nil }
        self.id = id
        self.to = to
        self.text = text
    }
}

extension Installation {
    /// Sets a tenant's provider for a channel, as an operator does.
    @discardableResult
    func setChannel(_ tenant: Tenant, _ channel: String, _ settings: [String: Any]) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-channel-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try JSONSerialization.data(withJSONObject: settings).write(to: file)
        let done = try KithProcess.run(
            ["tenant", "channel", "set", tenant.slug, channel, file.path], environment: environment)
        guard done.status == 0 else { throw KithProcess.Failure(description: done.errors) }
        return done.output
    }

    /// Sends a tenant's text messages to an address of the sink.
    func sendTexts(of tenant: Tenant, to url: String) throws {
        try setChannel(tenant, "sms", ["url": url, "from": "Kith"])
    }

    /// Inserts a notification for each of `people` users of a tenant, who prefer text messages.
    func tell(
        _ tenant: Tenant, people: Int, at instant: String, numbers: String = "+4915100", in cell: PostgresSession? = nil
    ) throws {
        try (cell ?? session()).execute(
            """
            insert into kith.users (tenant_id, id, display_name, phone, phone_verified_at, tokens_valid_from, created_at, updated_at)
            select \(tenant.tenantID), md5('\(tenant.slug)' || n)::uuid, 'User ' || n, '\(numbers)' || lpad(n::text, 6, '0'), at, at, at, at
            from generate_series(1, \(people)) as n, (select timestamptz '2026-01-01') as past (at);
            insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
            select tenant_id, id, 'connection_request', '{sms}', created_at from kith.users
            where tenant_id = \(tenant.tenantID) and display_name like 'User %';
            insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
            select tenant_id, internal.uuid7('\(instant)'), id, 'connection_request', display_name || ' is told', '\(instant)'
            from kith.users where tenant_id = \(tenant.tenantID) and display_name like 'User %'
            """)
    }

    /// Runs a worker once that delivers to `providers`; its report.
    @discardableResult
    func deliver(
        to providers: Providers, at instant: String? = nil, _ more: [String: String] = [:]
    ) throws -> String {
        var arguments = ["worker", "--once"]
        if let instant { arguments += ["--now", instant] }
        let done = try KithProcess.run(
            arguments, environment: environment.merging(providers.environment) { $1 }.merging(more) { $1 })
        guard done.status == 0 else { throw KithProcess.Failure(description: done.errors) }
        return done.output
    }

    /// The number of a tenant's deliveries in each status.
    func deliveries(of tenant: Tenant) throws -> [String: Int] {
        let rows = try session().query(
            "select status, count(*) from kith.deliveries where tenant_id = $1::integer group by status",
            [.int(tenant.tenantID)])
        return (0..<rows.rowCount).reduce(into: [:]) { $0[rows.string($1, 0) ?? ""] = rows.int($1, 1) }
    }
}
