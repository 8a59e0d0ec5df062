internal import Glibc

/// Sends messages as e-mail by a tenant's SMTP server.
struct EmailChannel: DeliveryChannel {
    let settings: EmailSettings
    let transfers: Transfers

    /// Hands `message` to the server; the name that it has in the server's queue, where that is said.
    func send(_ message: Message) async throws(DeliveryError) -> String? {
        guard let to = MailAddress(message.address) else {
            throw DeliveryError("no server would take the address", .final)
        }
        let mail = Email(settings: settings, message: message, to: to, date: Int64(time(nil)) * 1_000_000)
        // A server may take its time over a mail (RFC 5321 §4.5.3.2 allows minutes); what is left of half a minute it gets.
        let transfer = Transfer(
            url: settings.url, body: mail.bytes, timeout: .seconds(25), connectTimeout: .seconds(10),
            mail: MailEnvelope(from: settings.from, to: to, credentials: settings.credentials))
        let answer: TransferAnswer
        do throws(TransferError) {
            answer = try await transfers.perform(transfer)
        } catch {
            throw DeliveryError(error)
        }
        guard let reply = answer.reply else { throw DeliveryError("the mail server said nothing") }
        if let error = Self.error(reply) { throw error }
        return reply.queueID
    }

    /// What a reply means: nil that the mail was taken.
    static func error(_ reply: MailReply) -> DeliveryError? {
        let text = "the mail server answered \(reply.description)"
        switch (reply.code, reply.step) {
        case (200..<300, _): return nil
        case (500..., .recipient): return DeliveryError("\(text) to the recipient", .final)
        case (500..., .content): return DeliveryError("\(text) to the mail", .final)
        // Greeting, password, sender: the settings can be mended, and then the mail goes out.
        case (_, .session): return DeliveryError("\(text) before it heard of the recipient")
        default: return DeliveryError(text)
        }
    }
}
