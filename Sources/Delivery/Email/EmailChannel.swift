internal import Contacts
internal import EventLoop

/// Sends messages as e-mail through a tenant's SMTP server.
struct EmailChannel: DeliveryChannel {
    let settings: EmailSettings
    let transfers: Transfers

    /// Sends `message` to the server. Returns its id in the server's queue, if the server reports one.
    func send(_ message: Message) async throws(DeliveryError) -> String? {
        guard let to = MailAddress(message.address) else {
            throw DeliveryError("no mail server would accept the address", .final)
        }
        let mail = Email(settings: settings, message: message, to: to, date: transfers.loop.clock.now)
        // RFC 5321 §4.5.3.2 allows a server minutes for a mail. This timeout is as long as a delivery attempt allows,
        // which must end within half a minute.
        let transfer = Transfer(
            url: settings.url, timeout: .seconds(25), connectTimeout: .seconds(10),
            mail: Mail(
                from: settings.from, to: to, credentials: settings.credentials, headers: mail.headers,
                forms: mail.forms))
        let answer: TransferAnswer
        do throws(TransferError) {
            answer = try await transfers.perform(transfer)
        } catch {
            throw DeliveryError(error)
        }
        guard let reply = answer.reply else { throw DeliveryError("the mail server did not answer") }
        if let error = Self.error(reply) { throw error }
        return reply.queueID
    }

    /// The error that a reply means; nil when the server accepted the mail.
    static func error(_ reply: MailReply) -> DeliveryError? {
        let text = "the mail server answered \(reply.description)"
        switch (reply.code, reply.step) {
        case (200..<300, _): return nil
        case (500..., .recipient): return DeliveryError("\(text) to the recipient", .final)
        case (500..., .content): return DeliveryError("\(text) to the mail", .final)
        // The greeting, the sign-in or the sender was refused. The tenant can correct the settings, and then the mail
        // goes out.
        case (_, .session): return DeliveryError("\(text) before it was given the recipient")
        default: return DeliveryError(text)
        }
    }
}
