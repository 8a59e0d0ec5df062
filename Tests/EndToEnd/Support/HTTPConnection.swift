import CCurl
import Foundation
import Synchronization
import TestThreads

/// Connections to a server over HTTP/1.1, at most 64 of them, each of which serves one request at a time and then the
/// next.
///
/// `URLSession` is no replacement: it asks without pause whether a connection takes more bytes while it waits for an
/// answer, so that the tests would take the processors that the servers need. Its `data(for:)` can also deadlock if a
/// task is cancelled while the response arrives (swift-corelibs-foundation, issue 5412).
final class HTTPConnections: Sendable {
    private let idle = Mutex<[HTTPConnection]>([])
    private let places = DispatchSemaphore(value: 64)

    /// Sends a request and waits for the whole answer, even if the task is cancelled. A redirection is an answer like
    /// any other.
    ///
    /// - Throws: ``HTTPConnection/Failure`` if no answer arrives.
    func send(
        _ method: String, _ url: URL, headers: [String: String], body: Data?
    ) async throws -> APIClient.Answer {
        try await withTaskExecutorPreference(OwnThreads.shared) {
            try wait(method, url, headers, body)
        }
    }

    /// Blocks the thread until the answer is there.
    private func wait(
        _ method: String, _ url: URL, _ headers: [String: String], _ body: Data?
    ) throws -> APIClient.Answer {
        places.wait()
        defer { places.signal() }
        // Of the idle connections, the server closes the most recently used one last.
        let connection = try idle.withLock { $0.popLast() } ?? HTTPConnection()
        defer { idle.withLock { $0.append(connection) } }
        return try connection.send(method, url, headers: headers, body: body)
    }
}

/// A handle of libcurl, which keeps its connection to the server for the next request.
///
/// `@unchecked Sendable`: only the thread that took it from ``HTTPConnections`` uses it, until it has put it back under
/// the lock.
final class HTTPConnection: @unchecked Sendable {
    /// No answer arrived.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let handle: UnsafeMutableRawPointer
    private var answer = APIClient.Answer(status: 0, headers: [:], body: Data())
    private static let isStarted = curl_start() == CURLE_OK
    /// The seconds without a byte after which a request has failed.
    private static let patience = 20

    init() throws {
        guard Self.isStarted, let handle = curl_easy_init() else {
            throw Failure(description: "libcurl does not start")
        }
        self.handle = handle
    }

    deinit { curl_easy_cleanup(handle) }

    func send(
        _ method: String, _ url: URL, headers: [String: String], body: Data?
    ) throws -> APIClient.Answer {
        // Keeps the connection, and nothing else of the request before.
        curl_easy_reset(handle)
        answer = APIClient.Answer(status: 0, headers: [:], body: Data())
        curl_set_text(handle, CURLOPT_URL, url.absoluteString)
        curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        curl_set_text(handle, CURLOPT_PROXY, "")
        curl_set_text(handle, CURLOPT_USERAGENT, "kith-tests")
        // Offers every encoding that libcurl has, and decodes the answer.
        curl_set_text(handle, CURLOPT_ACCEPT_ENCODING, "")
        curl_set_number(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        curl_set_number(handle, CURLOPT_CONNECTTIMEOUT, Self.patience)
        curl_set_number(handle, CURLOPT_LOW_SPEED_TIME, Self.patience)
        curl_set_number(handle, CURLOPT_LOW_SPEED_LIMIT, 1)
        curl_on_answer(handle, onHeader, onBody, Unmanaged.passUnretained(self).toOpaque())
        if method == "HEAD" {
            curl_set_number(handle, CURLOPT_NOBODY, 1)
        } else {
            curl_set_text(handle, CURLOPT_CUSTOMREQUEST, method)
        }
        // A request whose method expects a body says when it has none: Content-Length is 0.
        if let body = body ?? (["POST", "PUT", "PATCH"].contains(method) ? Data() : nil) {
            curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            // The zero, which is not sent, gives an empty body an address. Without one, libcurl would read a body from
            // standard input.
            var bytes = [UInt8](body) + [0]
            curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, &bytes)
        }
        var fields: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(fields) }
        // Without «Expect:», libcurl would ask whether a large body is welcome. Without «Content-Type:», it would add a
        // type of its own.
        for field in ["Expect:", "Content-Type:"] { fields = curl_slist_append(fields, field) }
        for (name, value) in headers {
            // libcurl takes «Name;» as a field without a value, and «Name:» as one to leave out.
            fields = curl_slist_append(fields, value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        curl_set_list(handle, CURLOPT_HTTPHEADER, fields)
        let code = curl_easy_perform(handle)
        guard code == CURLE_OK else {
            throw Failure(description: "\(method) \(url): \(String(cString: curl_easy_strerror(code)))")
        }
        answer.status = curl_status(handle)
        return answer
    }

    /// Takes a line of the answer's head.
    fileprivate func takeHeader(_ line: String) {
        // An interim answer, such as 100, comes before the final one.
        if line.hasPrefix("HTTP/") { answer.headers = [:] }
        guard let colon = line.firstIndex(of: ":") else { return }
        let name = line[..<colon].lowercased()
        let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
        answer.headers[name] = answer.headers[name].map { "\($0), \(value)" } ?? value
    }

    fileprivate func takeBody(_ bytes: UnsafeRawBufferPointer) {
        answer.body.append(contentsOf: bytes)
    }
}

private func onHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ owner: UnsafeMutableRawPointer?
) -> Int {
    guard let owner, let bytes else { return 0 }
    Unmanaged<HTTPConnection>.fromOpaque(owner).takeUnretainedValue()
        .takeHeader(String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self))
    return count
}

private func onBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ owner: UnsafeMutableRawPointer?
) -> Int {
    guard let owner, let bytes else { return 0 }
    Unmanaged<HTTPConnection>.fromOpaque(owner).takeUnretainedValue()
        .takeBody(UnsafeRawBufferPointer(start: bytes, count: count))
    return count
}
