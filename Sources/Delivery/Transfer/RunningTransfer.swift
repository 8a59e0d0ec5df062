internal import CCurl
internal import Contacts
internal import Glibc
internal import NetworkAddresses

/// A running transfer: its libcurl handle, everything that the handle points to, and the part of the answer that has
/// arrived.
///
/// The handle is freed with the object. The pool keeps the object for as long as libcurl has the handle.
///
/// `@unchecked Sendable`: it is accessed only on the loop's thread. A cancellation is passed to the loop first.
final class RunningTransfer: @unchecked Sendable {
    typealias Waiter = UnsafeContinuation<Result<TransferAnswer, TransferError>, Never>

    /// The most bytes that the headers of an answer may have in all. libcurl limits only the single line, and not the
    /// number of interim answers.
    private static let maximumHead = 64 << 10
    /// The longest delay that an answer can ask for, in seconds: a day.
    private static let longestRetry: Int64 = 86400

    let handle: UnsafeMutableRawPointer
    let isMail: Bool
    /// The task that waits for the end; nil before the start and after the end.
    var waiter: Waiter?
    private(set) var isCancelled = false

    private weak var pool: TransferPool?
    private let rules: OutboundRules
    private let isTrusted: Bool
    private let isEncrypted: Bool
    private let maximumAnswer: Int
    private let body: UnsafeMutableBufferPointer<UInt8>
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var recipients: UnsafeMutablePointer<curl_slist>?
    private var parts: OpaquePointer?

    private var hasOpened = false
    /// The address that the rules refused.
    private var refused: String?
    private var headSize = 0
    private var headers: [String: String] = [:]
    private var answer: [UInt8] = []
    private var isCut = false
    private var step = MailReply.Step.session
    private var reply: MailReply?
    private var isOver = false

    /// Prepares `transfer`.
    ///
    /// - Throws: A final ``TransferError`` when the URL may not be tried or a header field is malformed.
    init(_ transfer: Transfer, rules: OutboundRules, in pool: TransferPool) throws(TransferError) {
        let scheme = try rules.check(transfer.url, isTrusted: transfer.isTrusted, isMail: transfer.mail != nil)
        guard transfer.headers.allSatisfy({ Self.isField($0.name, $0.value) }), Self.isToken(transfer.method) else {
            throw TransferError("a header field of the request contains invalid characters", isFinal: true)
        }
        guard let made = curl_easy_init() else { throw TransferError("libcurl: no memory") }
        handle = made
        isMail = transfer.mail != nil
        self.pool = pool
        self.rules = rules
        isTrusted = transfer.isTrusted
        isEncrypted = scheme != "http"
        maximumAnswer = transfer.maximumAnswer
        body = .allocate(capacity: transfer.body.count)
        _ = body.initialize(from: transfer.body)
        setUp(transfer, in: pool)
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(fields)
        curl_slist_free_all(recipients)
        curl_mime_free(parts)
        body.deallocate()
    }

    /// Cancels the transfer, whether or not it has started.
    func cancel() {
        isCancelled = true
        pool?.cancel(self)
    }

    /// Passes the result to the waiting task. Later results are dropped.
    func finish(_ result: Result<TransferAnswer, TransferError>) {
        waiter?.resume(returning: result)
        waiter = nil
    }

    /// Returns the result that libcurl's final code means.
    func result(_ code: CURLcode) -> Result<TransferAnswer, TransferError> {
        if let refused, !hasOpened { return .failure(.unreachable(because: "it leads to \(refused)")) }
        // When a server refuses a mail, libcurl reports an error. To us it is an answer.
        if isMail, let reply, code == CURLE_OK || reply.code >= 400 {
            return .success(TransferAnswer(status: reply.code, reply: reply))
        }
        guard code == CURLE_OK || (code == CURLE_WRITE_ERROR && isCut) else {
            return .failure(error(code))
        }
        return .success(
            TransferAnswer(status: curl_status(handle), headers: headers, retryAfter: retryAfter, body: answer))
    }

    private var retryAfter: Duration? {
        let seconds = curl_retry_after(handle)
        return seconds > 0 ? .seconds(min(Int64(seconds), Self.longestRetry)) : nil
    }

    private func error(_ code: CURLcode) -> TransferError {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST where !isTrusted: .unreachable(because: "it does not resolve")
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: TransferError("the address is not a URL", isFinal: true)
        case CURLE_WRITE_ERROR: TransferError("the head of the answer is too long")
        case CURLE_OPERATION_TIMEDOUT: .noAnswer
        case CURLE_PEER_FAILED_VERIFICATION:
            TransferError(String(cString: curl_easy_strerror(code)), isOfOwnRules: true)
        default: TransferError(String(cString: curl_easy_strerror(code)))
        }
    }

    // MARK: - Setting up

    private func setUp(_ transfer: Transfer, in pool: TransferPool) {
        let owner = Unmanaged.passUnretained(self).toOpaque()
        set(CURLOPT_URL, transfer.url)
        set(CURLOPT_PROTOCOLS_STR, isMail ? "smtp,smtps" : "https,http")
        // A signal for a timeout would interrupt whatever the process is doing.
        set(CURLOPT_NOSIGNAL, 1)
        // A name is looked up in a thread of its own. When the transfer ends first, do not wait for that thread: the
        // loop would block until it gives up a name server that does not answer.
        set(CURLOPT_QUICK_EXIT, 1)
        // Ignore the proxy variables of the environment as well. With a proxy, the rules would check the proxy's
        // address.
        set(CURLOPT_PROXY, "")
        set(CURLOPT_TIMEOUT_MS, transfer.timeout.milliseconds)
        set(CURLOPT_CONNECTTIMEOUT_MS, transfer.connectTimeout.milliseconds)
        set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        if let certificates = rules.certificates { set(CURLOPT_CAINFO, certificates) }
        // Certificates that come from a file alone are read once for each pool, and not for each connection.
        if rules.certificates != nil || curl_has_certificates_file() != 0 { curl_set_text(handle, CURLOPT_CAPATH, nil) }
        curl_on_answer(handle, onHeader, onBody, owner)
        curl_on_socket(
            handle, onOpen, owner, TransferPool.onClose, Unmanaged.passUnretained(pool).toOpaque())
        if let mail = transfer.mail { setUp(mail) } else { setUpHTTP(transfer) }
    }

    private func setUpHTTP(_ transfer: Transfer) {
        set(CURLOPT_USERAGENT, "Kith")
        if transfer.httpVersion == .http2 {
            set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
            set(CURLOPT_PIPEWAIT, 1)
        } else {
            set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        }
        if transfer.method == "GET" {
            set(CURLOPT_HTTPGET, 1)
        } else {
            set(CURLOPT_POST, 1)
            curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            curl_set_pointer(handle, CURLOPT_POSTFIELDS, body.baseAddress)
            if transfer.method != "POST" { set(CURLOPT_CUSTOMREQUEST, transfer.method) }
        }
        for (name, value) in transfer.headers {
            // libcurl takes «Name;» as a field without a value. «Name:» would remove the field.
            fields = curl_slist_append(fields, value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        // Without this, libcurl would ask first whether a large body is welcome, and wait a second for the answer.
        fields = curl_slist_append(fields, "Expect:")
        curl_set_list(handle, CURLOPT_HTTPHEADER, fields)
    }

    private func setUp(_ mail: Mail) {
        set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
        set(CURLOPT_MAIL_FROM, mail.from.text)
        recipients = curl_slist_append(nil, mail.to.text)
        curl_set_list(handle, CURLOPT_MAIL_RCPT, recipients)
        if let credentials = mail.credentials {
            set(CURLOPT_USERNAME, credentials.username)
            set(CURLOPT_PASSWORD, credentials.password)
        }
        for line in mail.headers { fields = curl_slist_append(fields, line) }
        // libcurl appends the boundary. It makes a random one, so that no text can contain it.
        fields = curl_slist_append(fields, "Content-Type: multipart/alternative")
        curl_set_list(handle, CURLOPT_HTTPHEADER, fields)
        parts = curl_mime_init(handle)
        for form in mail.forms {
            let part = curl_mime_addpart(parts)
            curl_mime_type(part, form.type)
            // Some transports accept only ASCII and short lines. In this encoding a line break is CRLF (RFC 2045 §6.7).
            curl_mime_encoder(part, "quoted-printable")
            let text = form.text.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n")
            curl_mime_data(part, text, text.utf8.count)
        }
        curl_set_mime(handle, parts)
        // When libcurl closes a connection to a mail server, it sends QUIT and blocks until the answer comes. Closing
        // it at the end of its transfer gives `sent(_:)` the chance to cut that wait short. A reused connection would
        // be closed when no transfer listens.
        set(CURLOPT_FORBID_REUSE, 1)
        set(CURLOPT_VERBOSE, 1)
        curl_on_command(handle, onDebug, Unmanaged.passUnretained(self).toOpaque())
    }

    private func set(_ option: CURLoption, _ value: Int) {
        curl_set_number(handle, option, value)
    }

    private func set(_ option: CURLoption, _ value: String) {
        curl_set_text(handle, option, value)
    }

    private static func isField(_ name: String, _ value: String) -> Bool {
        isToken(name) && value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    }

    /// Whether `text` is a token (RFC 9110 §5.6.2).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    // MARK: - Calls from libcurl

    /// Creates a socket for the address that libcurl wants to connect to. Returns -1 when the rules forbid the address.
    fileprivate func open(_ wanted: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        let address = NetworkAddress(curl_socket_address(wanted))
        guard isTrusted || address.map({ rules.permits($0, encrypted: isEncrypted) }) == true else {
            refused = address.map(\.description) ?? "no address of the Internet"
            return -1
        }
        hasOpened = true
        let facts = wanted.pointee
        let made = socket(facts.family, facts.socktype | Int32(SOCK_CLOEXEC.rawValue), facts.`protocol`)
        if made >= 0 {
            // A timeout ends a request, but not the connection that it shares with others. Without this, the connection
            // would stay although its network is gone.
            var timeout: UInt32 = 20_000
            setsockopt(made, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &timeout, 4)
            pool?.opened(made, by: self)
        }
        return made
    }

    /// Takes a header line of the answer, or a line from an SMTP server.
    fileprivate func header(_ line: UnsafeRawBufferPointer) -> Bool {
        headSize += line.count
        guard headSize <= Self.maximumHead else { return false }
        let text = String(decoding: line, as: UTF8.self)
        if isMail {
            // In all lines of a reply but the last, a hyphen follows the code.
            if !isOver, !text.dropFirst(3).hasPrefix("-") { reply = MailReply(text, step: step) ?? reply }
        } else if text.hasPrefix("HTTP/") {
            // Drop the headers of an interim answer (RFC 9110 §15.2).
            headers = [:]
        } else if let colon = text.firstIndex(of: ":") {
            let name = text[..<colon].lowercased()
            let value = text[text.index(after: colon)...].drop(while: \.isWhitespace)
            let trimmed = String(value.reversed().drop(while: \.isWhitespace).reversed())
            headers[name] = headers[name].map { "\($0), \(trimmed)" } ?? trimmed
        }
        return true
    }

    /// Takes a piece of the answer's body.
    fileprivate func body(_ piece: UnsafeRawBufferPointer) -> Bool {
        let room = maximumAnswer - answer.count
        answer += piece.prefix(room)
        isCut = piece.count > room
        return !isCut
    }

    /// Notes the command that goes to the SMTP server.
    fileprivate func sent(_ command: UnsafeRawBufferPointer) {
        func begins(_ word: StaticString) -> Bool {
            command.count >= word.utf8CodeUnitCount
                && word.withUTF8Buffer { $0.elementsEqual(command.prefix($0.count)) }
        }
        if begins("RCPT") {
            step = .recipient
        } else if begins("DATA") {
            step = .content
        } else if begins("QUIT") || command.isEmpty {
            // libcurl would block the loop until the answer to QUIT comes. The mail's result is already known, so
            // nothing that comes now matters. The same holds when a command cannot be sent, because the server does not
            // read.
            isOver = true
            pool?.shutDown(self, Int32(SHUT_RD))
        }
    }
}

extension TransferError {
    static let cancelled = TransferError("cancelled")
    /// The name does not resolve, or leads to an address that is not allowed. Both have the same text and kind:
    /// otherwise the one who gave the name could find out which names exist in networks that only this server can
    /// reach. The error is temporary, because names change.
    static func unreachable(because detail: String) -> TransferError {
        TransferError("the host has no address that may be reached", detail: detail, isOfOwnRules: true)
    }
    /// The transfer or its connection took longer than its timeout.
    static let noAnswer = TransferError("no answer in time")
}

extension Duration {
    /// The duration in whole milliseconds, at least one: to libcurl, zero means no limit.
    fileprivate var milliseconds: Int {
        let (seconds, attoseconds) = components
        return max(1, Int(clamping: seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}

private func transfer(_ owner: UnsafeMutableRawPointer?) -> RunningTransfer? {
    owner.map { Unmanaged<RunningTransfer>.fromOpaque($0).takeUnretainedValue() }
}

private let onOpen: curl_opensocket_callback = { owner, _, wanted in
    guard let transfer = transfer(owner), let wanted else { return -1 }
    return transfer.open(wanted)
}

private let onHeader: curl_write_callback = { bytes, size, count, owner in
    guard let transfer = transfer(owner), transfer.header(UnsafeRawBufferPointer(start: bytes, count: size * count))
    else {
        return 0
    }
    return size * count
}

private let onBody: curl_write_callback = { bytes, size, count, owner in
    guard let transfer = transfer(owner), transfer.body(UnsafeRawBufferPointer(start: bytes, count: size * count))
    else {
        return 0
    }
    return size * count
}

private let onDebug: curl_debug_callback = { _, kind, bytes, count, owner in
    if kind == CURLINFO_HEADER_OUT { transfer(owner)?.sent(UnsafeRawBufferPointer(start: bytes, count: count)) }
    return 0
}
