import Foundation
import KithClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a benchmark measures: work done by the library, and the same by what is there without it.
enum Measurement: String {
    case checkIn = "check-in"
    case bareCheckIn = "bare-check-in"
    case events
    case bareEvents = "bare-events"
    case extendedCheckIn = "extended-check-in"
    case download
    case bareDownload = "bare-download"

    /// Does it, and prints how often in how many seconds, and the memory at the beginning and at its peak.
    ///
    /// - Parameters:
    ///   - server: The server's address.
    ///   - token: An access token.
    ///   - limit: The seconds of check-ins, the number of events, or the file of a download.
    /// - Throws: What ended the work.
    func run(server: URL, token: String, limit: String) async throws {
        let work = try await prepare(server, token, limit)
        let (before, start) = (Self.kibibytes("VmRSS"), ContinuousClock.now)
        let count = try await work()
        let seconds = start.duration(to: .now) / .seconds(1)
        let peak = Self.kibibytes("VmHWM")
        print(#"{"count":\#(count),"seconds":\#(seconds),"before_kib":\#(before),"peak_kib":\#(peak)}"#)
    }

    /// Signs in and makes a first call, which are not measured. The result does the work, and returns how often.
    private func prepare(_ server: URL, _ token: String, _ limit: String) async throws -> () async throws -> Int {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-measure-\(UUID().uuidString)")
        let kith = Kith(server: server, tenant: "acme", storage: .file(folder.appending(path: "session")))
        switch self {
        case .checkIn:
            try await kith.signIn(token: token)
            let seconds = Double(limit) ?? 1
            return {
                try await Self.count(for: seconds) {
                    let checkIn = try await kith.checkIn()
                    for await state in checkIn.states {
                        if case .received = state { return }
                    }
                    throw URLError(.cannotParseResponse)
                }
            }
        case .bareCheckIn:
            var request = Self.request(server, "/v1/pings/check-in", token)
            request.httpMethod = "POST"
            request.httpBody = Data("{}".utf8)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            let (prepared, session) = (request, URLSession(configuration: .ephemeral))
            @Sendable func checkIn() async throws {
                var call = prepared
                call.setValue(UUID().uuidString, forHTTPHeaderField: "Idempotency-Key")
                let (body, _) = try await session.data(for: call)
                _ = try JSONDecoder().decode(BareReceipt.self, from: body)
            }
            try await checkIn()
            let seconds = Double(limit) ?? 1
            return { try await Self.count(for: seconds, checkIn) }
        case .extendedCheckIn:
            try await kith.signIn(token: token)
            return {
                let extended = KithExtension(
                    server: server, tenant: "acme", storage: .file(folder.appending(path: "session")))
                _ = try await extended.checkIn(within: .seconds(30)).received()
                return 1
            }
        case .events:
            try await kith.signIn(token: token)
            let count = Int(limit) ?? 1
            return {
                var read = 0
                for try await _ in kith.events(after: "0") {
                    read += 1
                    if read == count { break }
                }
                return read
            }
        case .bareEvents:
            let (count, request) = (Int(limit) ?? 1, Self.request(server, "/v1/events", token))
            return { try await LineCounter.count(count, of: request) }
        case .download:
            try await kith.signIn(token: token)
            let documents = kith.vaults[UUID()].documents
            return {
                try await documents.download(UUID(), to: URL(fileURLWithPath: limit))
                return 1
            }
        case .bareDownload:
            let request = Self.request(server, "/v1/vaults/x/documents/x/content", token)
            return {
                let (part, _) = try await URLSession(configuration: .ephemeral).download(for: request)
                _ = try? FileManager.default.removeItem(atPath: limit)
                try FileManager.default.moveItem(at: part, to: URL(fileURLWithPath: limit))
                return 1
            }
        }
    }

    private struct BareReceipt: Decodable { let completed: Int }

    private static func request(_ server: URL, _ path: String, _ token: String) -> URLRequest {
        var request = URLRequest(url: server.appending(path: path))
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return request
    }

    private static func count(for seconds: Double, _ call: () async throws -> Void) async throws -> Int {
        let end = ContinuousClock.now + .seconds(seconds)
        var count = 0
        while .now < end {
            try await call()
            count += 1
        }
        return count
    }

    /// A value of `/proc/self/status`.
    private static func kibibytes(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line?.split(separator: " ").dropLast().last.flatMap { Int($0) } ?? 0
    }
}

/// Counts the lines of a response that begin an event, and understands nothing of them.
private final class LineCounter: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let most: Int
    private var count = 0
    private var rest = Data()
    private let done: CheckedContinuation<Int, any Error>

    private init(_ most: Int, _ done: CheckedContinuation<Int, any Error>) {
        self.most = most
        self.done = done
    }

    static func count(_ most: Int, of request: URLRequest) async throws -> Int {
        try await withCheckedThrowingContinuation { done in
            let counter = LineCounter(most, done)
            URLSession(configuration: .ephemeral, delegate: counter, delegateQueue: nil).dataTask(with: request)
                .resume()
        }
    }

    func urlSession(_: URLSession, dataTask _: URLSessionDataTask, didReceive data: Data) {
        guard count < most else { return }
        rest += data
        while count < most, let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            if String(decoding: rest[..<end], as: UTF8.self).hasPrefix("event:") { count += 1 }
            rest = rest[rest.index(after: end)...]
        }
        rest = Data(rest)
        if count == most { done.resume(returning: count) }
    }
}
