internal import Foundation

/// Sends text messages through a tenant's provider.
struct SMSChannel: DeliveryChannel {
    let settings: SMSSettings
    let transfers: Transfers

    /// Sends `message` to the provider. Returns the provider's id of the message, if it reports one.
    func send(_ message: Message) async throws(DeliveryError) -> String? {
        try await send(request(message))
    }

    /// Sends `request` to the provider. Returns the id in its answer.
    func send(_ request: Transfer) async throws(DeliveryError) -> String? {
        let answer: TransferAnswer
        do throws(TransferError) {
            answer = try await transfers.perform(request)
        } catch {
            throw DeliveryError(error)
        }
        if let error = Self.error(answer) { throw error }
        return settings.idField.flatMap { Self.value(at: $0, in: answer.body) }
    }

    /// The request that sends `message`.
    func request(_ message: Message) -> Transfer {
        request(
            [
                (settings.toField, message.address), (settings.fromField, settings.from),
                (settings.textField, SMSText(message.text).economical),
            ], id: message.id)
    }

    /// The request that gives the provider `fields`. `id` is the same for a repeat.
    func request(_ fields: [(String, String)], id: String) -> Transfer {
        var headers = [("Accept", "application/json"), ("Idempotency-Key", id)]
        let body: [UInt8]
        switch settings.format {
        case .form:
            headers.append(("Content-Type", "application/x-www-form-urlencoded"))
            body = Array(
                fields.map { "\(PercentEncoding.encode($0))=\(PercentEncoding.encode($1))" }.joined(separator: "&").utf8
            )
        case .json:
            headers.append(("Content-Type", "application/json"))
            var writer = SettingsWriter()
            for (name, value) in fields { writer.field(name, value) }
            body = writer.json
        }
        switch settings.credentials {
        case .basic(let username, let password):
            let pair = Data("\(username):\(password)".utf8).base64EncodedString()
            headers.append(("Authorization", "Basic \(pair)"))
        case .bearer(let token): headers.append(("Authorization", "Bearer \(token)"))
        case nil: break
        }
        return Transfer(url: settings.url, headers: headers, body: body)
    }

    /// The error that an answer means; nil when the provider accepted the message.
    static func error(_ answer: TransferAnswer) -> DeliveryError? {
        let code = codes.lazy.compactMap { value(at: $0, in: answer.body, atMost: 51) }
            .first { isCode($0) && $0 != "\(answer.status)" }
        let text = "the provider answered \(answer.status)\(code.map { ", code \($0)" } ?? "")"
        switch answer.status {
        case 200..<300: return nil
        case _ where code.map(isOptOut) ?? false: return DeliveryError(text, .optedOut)
        // The cause is the account, the path, or another attempt in progress. Somebody can correct it, so retry.
        case 401, 402, 403, 404, 405, 407, 408, 409, 425, 429:
            return DeliveryError(text, .retry(after: answer.retryAfter))
        case 400..<500: return DeliveryError(text, .final)
        default: return DeliveryError(text, .retry(after: answer.retryAfter))
        }
    }

    /// Where providers' answers have the code of a refusal, which their documentation explains. Their sentences quote
    /// the phone number.
    private static let codes = ["code", "error.code", "errors.0.code", "error_code", "errorCode", "error"]

    /// Whether a code says that the number has said STOP to the provider: 21610 of Twilio
    /// (https://www.twilio.com/docs/api/errors/21610), 40300 of Telnyx, and words such as
    /// `DESTINATION_PHONE_NUMBER_OPTED_OUT` of AWS.
    private static func isOptOut(_ code: String) -> Bool {
        let word = code.lowercased().filter { $0 != "_" }
        return ["21610", "40300"].contains(word)
            || ["optedout", "optout", "unsubscribed"].contains { word.contains($0) }
    }

    /// Whether a text can be a code: a word, or a number that is too short for a phone number. Operators and the tenant
    /// read it.
    private static func isCode(_ text: String) -> Bool {
        let digits = text.count { $0.isNumber }
        return 1...50 ~= text.utf8.count && digits <= 6
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    /// The string or number at `path` in a JSON text.
    static func value(at path: String, in json: [UInt8], atMost limit: Int = 200) -> String? {
        var value = try? JSONSerialization.jsonObject(with: Data(json))
        for step in path.split(separator: ".") {
            if let array = value as? [Any] {
                value = Int(step).flatMap { array.indices.contains($0) ? array[$0] : nil }
            } else {
                value = (value as? [String: Any])?[String(step)]
            }
        }
        let text = (value as? String) ?? (value as? NSNumber).map { "\($0)" }
        return text.map { String($0.prefix(limit)) }
    }
}
