internal import Foundation

/// What an answer of APNs means for the message and its device (Apple, "Handling notification responses from APNs").
enum APNsVerdict {
    /// APNs has taken it, and calls it so.
    case taken(id: String?)
    /// Our token has expired: the message may go again at once with a new one.
    case tokenExpired
    /// It was not taken.
    case refused(DeliveryError)

    private struct Reason: Decodable {
        let reason: String
    }

    /// The verdict of an answer.
    init(_ answer: TransferAnswer) {
        guard answer.status != 200 else {
            self = .taken(id: answer.headers["apns-id"])
            return
        }
        let given = (try? JSONDecoder().decode(Reason.self, from: Data(answer.body)))?.reason ?? ""
        // It goes into the database and before an operator's eyes: a word, or nothing.
        let reason = given.utf8.count <= 50 && given.allSatisfy { $0.isASCII && $0.isLetter } ? given : ""
        if reason == "ExpiredProviderToken" {
            self = .tokenExpired
        } else {
            self = .refused(Self.error(answer.status, reason, answer.retryAfter))
        }
    }

    /// Why a message was not taken.
    private static func error(_ status: Int, _ reason: String, _ retryAfter: Duration?) -> DeliveryError {
        let hint = hints[reason].map { ": \($0)" } ?? ""
        let description = "APNs: \(status)\(reason.isEmpty ? "" : " \(reason)")\(hint)"
        return DeliveryError(description, kind(status, reason, retryAfter))
    }

    private static func kind(_ status: Int, _ reason: String, _ retryAfter: Duration?) -> DeliveryError.Kind {
        switch (status, reason) {
        case (410, _), (400, "BadDeviceToken"): .gone
        // The device may be right and the tenant's topic wrong: the device stays.
        case (400, "DeviceTokenNotForTopic"): .final
        // What the tenant can mend in its settings, and a connection that was idle for too long.
        case (400, "BadTopic"), (400, "TopicDisallowed"), (400, "IdleTimeout"): .retry(after: retryAfter)
        // "The specified action is not allowed", and is not to be tried again; all other refusals of a token end when the tenant's key is
        // mended.
        case (403, "Forbidden"): .final
        case (403, _), (429, _), (500..., _): .retry(after: retryAfter)
        default: .final
        }
    }

    /// What somebody must do who reads the reason.
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

    /// Why a message was not taken whose token had expired, and could not be exchanged.
    static let expired = error(403, "ExpiredProviderToken", nil)
}
