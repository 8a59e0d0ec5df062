/// A mail as it goes over the wire (RFC 5322, with parts as RFC 2046 has them).
struct Email {
    let settings: EmailSettings
    let message: Message
    let to: MailAddress
    /// Microseconds since 1970.
    let date: Int64

    /// The head and both parts.
    var bytes: [UInt8] {
        // A quoted-printable text has no «=» that is not followed by digits or the end of the line: no part can hold the boundary.
        let boundary = "=_\(message.id)"
        var head = [
            "Date: \(RFC5322Date.text(of: date))",
            "From: \(sender)",
            "To: <\(to.text)>",
            "Subject: \(HeaderText.unstructured(message.subject ?? ""))",
            // The same for every attempt, so that a mail program shows a repeat once.
            "Message-ID: <\(message.id)@\(settings.from.domain)>",
            // RFC 3834 §5: nobody's absence is answered to.
            "Auto-Submitted: auto-generated",
        ]
        if let replyTo = settings.replyTo { head.append("Reply-To: <\(replyTo.text)>") }
        head += unsubscribing
        head += ["MIME-Version: 1.0", "Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\""]
        var bytes = Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        let html = HTMLText.page(title: message.subject ?? "", text: message.text)
        for (type, text) in [("text/plain", message.text), ("text/html", html)] {
            bytes += "--\(boundary)\r\nContent-Type: \(type); charset=utf-8\r\n".utf8
            bytes += "Content-Transfer-Encoding: quoted-printable\r\n\r\n".utf8
            bytes += QuotedPrintable.encode(text)
        }
        bytes += "--\(boundary)--\r\n".utf8
        return bytes
    }

    private var sender: String {
        settings.fromName.map { "\(HeaderText.phrase($0))\r\n <\(settings.from.text)>" } ?? "<\(settings.from.text)>"
    }

    /// How to get no more of these (RFC 2369, RFC 8058). Only with news: nobody unsubscribes from a code they asked for.
    private var unsubscribing: [String] {
        guard message.purpose == "notification" else { return [] }
        var ways: [String] = []
        // Too long for a line (RFC 5322 §2.1.1), it is left out: an address of a page cannot be folded.
        let url = settings.unsubscribeURL?.replacing(EmailSettings.placeholder, with: PercentEncoding.encode(to.text))
        if let url, url.utf8.count <= 900 { ways.append("<\(url)>") }
        if let address = settings.unsubscribeAddress { ways.append("<mailto:\(address.text)?subject=unsubscribe>") }
        guard !ways.isEmpty else { return [] }
        let list = "List-Unsubscribe: \(ways.joined(separator: ",\r\n "))"
        return ways[0].hasPrefix("<https:") ? [list, "List-Unsubscribe-Post: List-Unsubscribe=One-Click"] : [list]
    }
}
