internal import Contacts
internal import Dates

/// An e-mail: its header fields (RFC 5322) and its two forms. libcurl writes the rest.
struct Email {
    let settings: EmailSettings
    let message: Message
    let to: MailAddress
    /// Microseconds since 1970.
    let date: Int64

    /// The header fields. A long one is folded, so it has line breaks.
    var headers: [String] {
        var headers = [
            "Date: \(ProtocolDate.mail(date / 1_000_000))",
            "From: \(sender)",
            "To: <\(to.text)>",
            "Subject: \(HeaderText.unstructured(message.subject ?? ""))",
            // The id is the same for every attempt, so that a mail program shows a repeat once.
            "Message-ID: <\(message.id)@\(settings.from.domain)>",
            // Prevents automatic replies such as absence notices (RFC 3834 §5).
            "Auto-Submitted: auto-generated",
        ]
        if let replyTo = settings.replyTo { headers.append("Reply-To: <\(replyTo.text)>") }
        return headers + unsubscribing
    }

    /// The plain text, and the same as a page.
    var forms: [Mail.Form] {
        [
            Mail.Form(type: "text/plain; charset=utf-8", text: message.text),
            Mail.Form(
                type: "text/html; charset=utf-8",
                text: HTMLText.page(title: message.subject ?? "", text: message.text)),
        ]
    }

    private var sender: String {
        settings.fromName.map { "\(HeaderText.phrase($0))\r\n <\(settings.from.text)>" } ?? "<\(settings.from.text)>"
    }

    /// The headers for unsubscribing (RFC 2369, RFC 8058). Only notifications have them, because nobody unsubscribes
    /// from a code that they requested.
    private var unsubscribing: [String] {
        guard message.purpose == "notification" else { return [] }
        var targets: [String] = []
        // A URL cannot be folded, so it is left out if it is too long for a line (RFC 5322 §2.1.1).
        let url = settings.unsubscribeURL?.replacing(EmailSettings.placeholder, with: PercentEncoding.encode(to.text))
        if let url, url.utf8.count <= 900 { targets.append("<\(url)>") }
        if let address = settings.unsubscribeAddress { targets.append("<mailto:\(address.text)?subject=unsubscribe>") }
        guard !targets.isEmpty else { return [] }
        let list = "List-Unsubscribe: \(targets.joined(separator: ",\r\n "))"
        return targets[0].hasPrefix("<https:") ? [list, "List-Unsubscribe-Post: List-Unsubscribe=One-Click"] : [list]
    }
}
