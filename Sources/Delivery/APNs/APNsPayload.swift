internal import Foundation

/// What an iPhone gets (Apple, "Generating a remote notification").
enum APNsPayload {
    /// The most bytes that APNs takes.
    static let limit = 4096

    private struct Body: Encodable {
        let aps: APS
    }

    private struct APS: Encodable {
        let alert: Alert
        let sound = "default"
        /// A time-sensitive one breaks through a focus, and lights a screen that sleeps.
        let interruptionLevel: String?
        let threadID: String?

        enum CodingKeys: String, CodingKey {
            case alert, sound
            case interruptionLevel = "interruption-level"
            case threadID = "thread-id"
        }
    }

    private struct Alert: Encodable {
        let title: String?
        let body: String
    }

    /// What a notification is about: notifications about the same thing stand together.
    private struct Subject: Decodable {
        let connection_id: String?
        let vault_id: String?
        let type: String?
    }

    /// The payload of `message`, whose text is shortened where it would be too long.
    ///
    /// - Throws: a final ``DeliveryError`` when not even a shortened text fits, which a notification's title and data do not bring about.
    static func bytes(of message: Message) throws(DeliveryError) -> [UInt8] {
        let subject = message.data.flatMap { try? JSONDecoder().decode(Subject.self, from: Data($0)) }
        let threadID = subject?.connection_id ?? subject?.vault_id ?? subject?.type
        let interruptionLevel = message.isUrgent ? "time-sensitive" : nil
        do {
            let payload = try PushText.fitting(message.text, within: limit) { text in
                let alert = Alert(title: message.subject, body: text)
                let aps = APS(alert: alert, interruptionLevel: interruptionLevel, threadID: threadID)
                return try PushText.json(Body(aps: aps), "kith", message.data)
            }
            if let payload { return payload }
        } catch {
            throw DeliveryError("APNs: the notification is no JSON", .final)
        }
        throw DeliveryError("APNs: the notification's title and data are too long", .final)
    }
}
