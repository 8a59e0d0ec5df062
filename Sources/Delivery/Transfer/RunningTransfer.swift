internal import CCurl
internal import Glibc

/// A transfer that is under way: its handle of libcurl with all that this one points to, and what has come of the answer.
///
/// The handle is freed with the object, and the pool keeps the object for as long as it has given the handle to libcurl.
///
/// `@unchecked Sendable`: touched on the loop's thread only; a cancellation is handed to the loop before it comes here.
final class RunningTransfer: @unchecked Sendable {
    typealias Waiter = UnsafeContinuation<Result<TransferAnswer, TransferError>, Never>

    /// How many bytes the fields of an answer may have in all; libcurl bounds each line only, and not how many interim answers come.
    private static let maximumHead = 64 << 10

    let handle: UnsafeMutableRawPointer
    let isMail: Bool
    /// Who waits for the end; nil before the beginning and after the end.
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

    private var hasOpened = false
    /// Where it led, and may not go.
    private var refused: String?
    private var headSize = 0
    private var headers: [String: String] = [:]
    private var answer: [UInt8] = []
    private var isCut = false
    private var sentOfMail = 0
    private var step = MailReply.Step.session
    private var reply: MailReply?
    private var isOver = false

    /// Prepares `transfer`.
    ///
    /// - Throws: A final ``TransferError`` for an address that may not be tried, or a field that is none.
    init(_ transfer: Transfer, rules: OutboundRules, in pool: TransferPool) throws(TransferError) {
        let scheme = try rules.check(transfer.url, isTrusted: transfer.isTrusted, isMail: transfer.mail != nil)
        guard transfer.headers.allSatisfy({ Self.isField($0.name, $0.value) }), Self.isToken(transfer.method) else {
            throw TransferError("a field of the request holds what no field can hold", isFinal: true)
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
        body.deallocate()
    }

    /// Breaks the transfer off, whether it has begun or not.
    func cancel() {
        isCancelled = true
        pool?.cancel(self)
    }

    /// Gives the result to who waits for it; a second one is for nobody.
    func finish(_ result: Result<TransferAnswer, TransferError>) {
        waiter?.resume(returning: result)
        waiter = nil
    }

    /// What libcurl's last word means.
    func result(_ code: CURLcode) -> Result<TransferAnswer, TransferError> {
        if let refused, !hasOpened { return .failure(.unreachable(because: "it leads to \(refused)")) }
        // A server that refuses a mail is an error for libcurl, and an answer for us.
        if isMail, let reply, code == CURLE_OK || reply.code >= 400 {
            return .success(TransferAnswer(status: reply.code, reply: reply))
        }
        guard code == CURLE_OK || (code == CURLE_WRITE_ERROR && isCut) else {
            return .failure(error(code))
        }
        return .success(TransferAnswer(status: curl_status(handle), headers: headers, body: answer))
    }

    private func error(_ code: CURLcode) -> TransferError {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST where !isTrusted: .unreachable(because: "it does not resolve")
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: TransferError("the address is no URL", isFinal: true)
        case CURLE_WRITE_ERROR: TransferError("the head of the answer is too long")
        case CURLE_OPERATION_TIMEDOUT: .noAnswer
        default: TransferError(String(cString: curl_easy_strerror(code)))
        }
    }

    // MARK: - Setting up

    private func setUp(_ transfer: Transfer, in pool: TransferPool) {
        let owner = Unmanaged.passUnretained(self).toOpaque()
        set(CURLOPT_URL, transfer.url)
        set(CURLOPT_PROTOCOLS_STR, isMail ? "smtp,smtps" : "https,http")
        // A signal for a time-out would hit whatever the process is doing.
        set(CURLOPT_NOSIGNAL, 1)
        // The look-up of a name, which is a thread of its own, is left to itself when its transfer ends. Otherwise the loop would wait
        // until a name server that does not answer has been given up.
        set(CURLOPT_QUICK_EXIT, 1)
        // Also none of the environment: the address that is checked would be the proxy's.
        set(CURLOPT_PROXY, "")
        set(CURLOPT_TIMEOUT_MS, transfer.timeout.milliseconds)
        set(CURLOPT_CONNECTTIMEOUT_MS, transfer.connectTimeout.milliseconds)
        set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        if let certificates = rules.certificates { set(CURLOPT_CAINFO, certificates) }
        // What comes of a file alone is read once for a pool, and not for each connection.
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
            // «Name;» is how libcurl is told of a field without a value; «Name:» would take it out.
            fields = curl_slist_append(fields, value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        // libcurl would ask first whether a large body is welcome, and wait a second for the answer.
        fields = curl_slist_append(fields, "Expect:")
        curl_set_list(handle, CURLOPT_HTTPHEADER, fields)
    }

    private func setUp(_ mail: MailEnvelope) {
        set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
        set(CURLOPT_MAIL_FROM, mail.from.text)
        recipients = curl_slist_append(nil, mail.to.text)
        curl_set_list(handle, CURLOPT_MAIL_RCPT, recipients)
        if let credentials = mail.credentials {
            set(CURLOPT_USERNAME, credentials.username)
            set(CURLOPT_PASSWORD, credentials.password)
        }
        set(CURLOPT_UPLOAD, 1)
        curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(body.count))
        // libcurl says goodbye to the server when it gives up a connection, and waits for the answer on the spot: that is done at the
        // end of the transfer, when the call-back below hears of it and can cut it short, and never by a connection that was kept.
        set(CURLOPT_FORBID_REUSE, 1)
        set(CURLOPT_VERBOSE, 1)
        curl_on_mail(handle, onRead, onDebug, Unmanaged.passUnretained(self).toOpaque())
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

    /// RFC 9110 §5.6.2.
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

    // MARK: - What libcurl calls

    /// A socket for the address that libcurl wants to connect to; none where the rules are against it.
    fileprivate func open(_ wanted: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        let address = IPAddress(curl_socket_address(wanted))
        guard isTrusted || address.map({ rules.permits($0, encrypted: isEncrypted) }) == true else {
            refused = address.map(\.description) ?? "no address of the Internet"
            return -1
        }
        hasOpened = true
        let facts = wanted.pointee
        let made = socket(facts.family, facts.socktype | Int32(SOCK_CLOEXEC.rawValue), facts.`protocol`)
        if made >= 0 {
            // A time-out ends a request; the connection that it shares with others stays, also where the network behind it is gone.
            var timeout: UInt32 = 20_000
            setsockopt(made, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &timeout, 4)
            pool?.opened(made, by: self)
        }
        return made
    }

    /// Takes a line of the answer's head, or a line of an SMTP server's.
    fileprivate func header(_ line: UnsafeRawBufferPointer) -> Bool {
        headSize += line.count
        guard headSize <= Self.maximumHead else { return false }
        let text = String(decoding: line, as: UTF8.self)
        if isMail {
            // The lines of a reply but its last have a hyphen behind the code.
            if !isOver, !text.dropFirst(3).hasPrefix("-") { reply = MailReply(text, step: step) ?? reply }
        } else if text.hasPrefix("HTTP/") {
            // Of an interim answer (RFC 9110 §15.2) nothing stays.
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

    /// Gives the next piece of the mail.
    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let piece = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(body)[sentOfMail...].prefix(buffer.count))
        buffer.copyMemory(from: piece)
        sentOfMail += piece.count
        return piece.count
    }

    /// Hears which command goes to the SMTP server.
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
            // libcurl waits for the answer to QUIT as long as it takes, and the loop with it. The mail's fate is known: nothing that
            // comes now matters. Nor does it where there is no room for a command: a server that does not read is not waited for.
            isOver = true
            pool?.shutDown(self)
        }
    }
}

extension TransferError {
    static let cancelled = TransferError("broken off")
    /// The name means nothing, or an address that is not allowed: one text and one verdict for both, because whoever gave the name could
    /// otherwise find out which names there are in networks that only we can reach. It may pass: names change.
    static func unreachable(because detail: String) -> TransferError {
        TransferError("the host has no address that may be reached", detail: detail)
    }
    /// The other side took longer than the transfer may take, or its connection took longer to be made.
    static let noAnswer = TransferError("no answer in time")
}

extension Duration {
    /// In whole milliseconds, at least one: zero is no limit for libcurl.
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

private let onRead: curl_read_callback = { bytes, size, count, owner in
    transfer(owner)?.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count)) ?? 0
}

private let onDebug: curl_debug_callback = { _, kind, bytes, count, owner in
    if kind == CURLINFO_HEADER_OUT { transfer(owner)?.sent(UnsafeRawBufferPointer(start: bytes, count: count)) }
    return 0
}
