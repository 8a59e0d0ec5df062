/// What the service worker of a page gets.
enum WebPushPayload {
    private struct Body: Encodable {
        let title: String?
        let body: String
    }

    /// The content of `message`: `{"title", "body", "data"}`, the text shortened where it would be too long.
    ///
    /// - Throws: a final ``DeliveryError`` when not even a shortened text fits, which a notification's title and data do not bring about.
    static func bytes(of message: Message) throws(DeliveryError) -> [UInt8] {
        do {
            let payload = try PushText.fitting(message.text, within: WebPushEncryption.limit) { text in
                try PushText.json(Body(title: message.subject, body: text), "data", message.data)
            }
            if let payload { return payload }
        } catch {
            throw DeliveryError("Web Push: the notification is no JSON", .final)
        }
        throw DeliveryError("Web Push: the notification's title and data are too long", .final)
    }
}
