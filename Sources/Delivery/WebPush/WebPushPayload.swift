/// The content that a page's service worker receives.
enum WebPushPayload {
    private struct Body: Encodable {
        let title: String?
        let body: String
    }

    /// Returns the content of `message`: `{"title", "body", "data"}`. The text is shortened if the content would be too
    /// long.
    ///
    /// - Throws: A final ``DeliveryError`` when not even a shortened text fits. The titles and data of Kith's
    ///   notifications are too short for that.
    static func bytes(of message: Message) throws(DeliveryError) -> [UInt8] {
        do {
            let payload = try PushText.fitting(message.text, within: WebPushEncryption.limit) { text in
                try PushText.json(Body(title: message.subject, body: text), "data", message.data)
            }
            if let payload { return payload }
        } catch {
            throw DeliveryError("Web Push: the notification is not valid JSON", .final)
        }
        throw DeliveryError("Web Push: the notification's title and data are too long", .final)
    }
}
