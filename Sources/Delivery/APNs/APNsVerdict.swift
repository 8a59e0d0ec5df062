internal import Foundation

/// What an answer of APNs means for the message and its device (Apple, "Handling notification responses from APNs").
enum APNsVerdict {
    /// APNs accepted the message under this `apns-id`.
    case accepted(id: String?)
    /// The provider token has expired. The message may be sent again immediately with a new token.
    case tokenExpired
    /// APNs did not accept the message.
    case refused(DeliveryError)

    private struct Reason: Decodable {
        let reason: String
    }

    /// Reads the verdict from an answer.
    init(_ answer: TransferAnswer) {
        guard answer.status != 200 else {
            self = .accepted(id: answer.headers["apns-id"])
            return
        }
        let given = (try? JSONDecoder().decode(Reason.self, from: Data(answer.body)))?.reason ?? ""
        // The reason is stored in the database and shown to operators, so accept only a single word.
        let reason = given.utf8.count <= 50 && given.allSatisfy { $0.isASCII && $0.isLetter } ? given : ""
        if reason == "ExpiredProviderToken" {
            self = .tokenExpired
        } else {
            self = .refused(Self.error(answer.status, reason, answer.retryAfter))
        }
    }

    /// Returns the error for a message that was not accepted.
    private static func error(_ status: Int, _ reason: String, _ retryAfter: Duration?) -> DeliveryError {
        let hint = hints[reason].map { ": \($0)" } ?? ""
        let description = "APNs: \(status)\(reason.isEmpty ? "" : " \(reason)")\(hint)"
        return DeliveryError(description, kind(status, reason, retryAfter))
    }

    private static func kind(_ status: Int, _ reason: String, _ retryAfter: Duration?) -> DeliveryError.Kind {
        switch (status, reason) {
        case (410, _), (400, "BadDeviceToken"): .gone
        // The device may be right and the tenant's topic wrong, so keep the device.
        case (400, "DeviceTokenNotForTopic"): .final
        // The tenant can correct its settings, or the connection was idle for too long.
        case (400, "BadTopic"), (400, "TopicDisallowed"), (400, "IdleTimeout"): .retry(after: retryAfter)
        // Apple defines `Forbidden` as "The specified action is not allowed", which a retry does not change. All other
        // refusals of a token end once the tenant corrects its key.
        case (403, "Forbidden"): .final
        case (403, _), (429, _), (500..., _): .retry(after: retryAfter)
        default: .final
        }
    }

    /// Hints for the reader of a reason.
    private static let hints = [
        "BadDeviceToken": "the device's token is not of this environment",
        "BadTopic": "topic must be the app's bundle id",
        "DeviceTokenNotForTopic": "topic is not the bundle id of the app that the device has",
        "TopicDisallowed": "the key may not send to topic",
        "ExpiredProviderToken": "is this machine's clock right?",
        "InvalidProviderToken": "team_id, key_id and private_key do not belong together, or the key was revoked",
        "UnrelatedKeyIdInToken": "key_id is not a key of team_id",
        "BadEnvironmentKeyIdInToken": "the key is of the other environment",
    ]

    /// The error when the token has expired and cannot be replaced.
    static let expired = error(403, "ExpiredProviderToken", nil)
}
