internal import Foundation

/// The payload of a push (Apple, "Generating a remote notification").
enum APNsPayload {
    /// The largest payload in bytes that APNs accepts.
    static let limit = 4096

    private struct Body: Encodable {
        let aps: APS
    }

    private struct APS: Encodable {
        let alert: Alert
        let sound = "default"
        /// `time-sensitive` breaks through a Focus and lights a sleeping screen.
        let interruptionLevel: String?
        let threadID: String?
        /// The actions that the app registered for such a notification.
        let category: String?

        enum CodingKeys: String, CodingKey {
            case alert, sound, category
            case interruptionLevel = "interruption-level"
            case threadID = "thread-id"
        }
    }

    private struct Alert: Encodable {
        let title: String?
        let body: String
    }

    /// The subject of a notification. Notifications with the same subject are grouped.
    private struct Subject: Decodable {
        let connection_id: String?
        let vault_id: String?
        let type: String?
        /// The question that the notification asks: check_in or alarm.
        let asks: String?
    }

    /// Returns the payload of `message`. Its text is shortened if the payload would be too long.
    ///
    /// - Throws: A final ``DeliveryError`` when not even a shortened text fits. The titles and data of Kith's
    ///   notifications are too short for that.
    static func bytes(of message: Message) throws(DeliveryError) -> [UInt8] {
        let subject = message.data.flatMap { try? JSONDecoder().decode(Subject.self, from: Data($0)) }
        let threadID = subject?.connection_id ?? subject?.vault_id ?? subject?.type
        let interruptionLevel = message.isUrgent ? "time-sensitive" : nil
        do {
            let payload = try PushText.fitting(message.text, within: limit) { text in
                let alert = Alert(title: message.subject, body: text)
                let aps = APS(
                    alert: alert, interruptionLevel: interruptionLevel, threadID: threadID,
                    category: subject?.asks.map { "kith.\($0)" })
                return try PushText.json(Body(aps: aps), "kith", message.data)
            }
            if let payload { return payload }
        } catch {
            throw DeliveryError("APNs: the notification is not valid JSON", .final)
        }
        throw DeliveryError("APNs: the notification's title and data are too long", .final)
    }
}
