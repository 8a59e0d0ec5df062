/// An e-mail in its wire format (RFC 5322, with the parts of RFC 2046).
struct Email {
    let settings: EmailSettings
    let message: Message
    let to: MailAddress
    /// Microseconds since 1970.
    let date: Int64

    /// The headers and both parts.
    var bytes: [UInt8] {
        // In quoted-printable text, hexadecimal digits or the end of the line follow every «=». So no part can contain
        // the boundary.
        let boundary = "=_\(message.id)"
        var head = [
            "Date: \(RFC5322Date.text(of: date))",
            "From: \(sender)",
            "To: <\(to.text)>",
            "Subject: \(HeaderText.unstructured(message.subject ?? ""))",
            // The id is the same for every attempt, so that a mail program shows a repeat once.
            "Message-ID: <\(message.id)@\(settings.from.domain)>",
            // Prevents automatic replies such as absence notices (RFC 3834 §5).
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

    /// The headers for unsubscribing (RFC 2369, RFC 8058). Only notifications have them, because nobody unsubscribes
    /// from a code that they requested.
    private var unsubscribing: [String] {
        guard message.purpose == "notification" else { return [] }
        var ways: [String] = []
        // A URL cannot be folded, so it is left out if it is too long for a line (RFC 5322 §2.1.1).
        let url = settings.unsubscribeURL?.replacing(EmailSettings.placeholder, with: PercentEncoding.encode(to.text))
        if let url, url.utf8.count <= 900 { ways.append("<\(url)>") }
        if let address = settings.unsubscribeAddress { ways.append("<mailto:\(address.text)?subject=unsubscribe>") }
        guard !ways.isEmpty else { return [] }
        let list = "List-Unsubscribe: \(ways.joined(separator: ",\r\n "))"
        return ways[0].hasPrefix("<https:") ? [list, "List-Unsubscribe-Post: List-Unsubscribe=One-Click"] : [list]
    }
}
