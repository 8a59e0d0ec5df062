public import Foundation

/// The right of a nominee to get into a vault in an emergency. The owner sees all of it. The nominee sees only what
/// starts it and what it gives, and only if the owner shows it; the other members are then nil.
public struct EmergencySettings: Codable, Sendable, Hashable {
    /// How many hours the owner can say no after the wait has begun.
    public var waitHours: Int
    /// What the nominee may do inside: ``AccessLevel/view`` or ``AccessLevel/edit``.
    public var accessLevel: AccessLevel
    /// How many hours the nominee can stay.
    public var grantHours: Int
    /// Whether the nominee can ask.
    public var onRequest: Bool
    /// After how many missed days in a row the wait begins by itself; nil for never.
    public var afterMissedDays: Int?
    /// Whether a sign of life of the owner ends requests and grants without a further question.
    public var rejectOnCheckIn: Bool?
    /// What counts as a sign of life.
    public var signOfLife: SignOfLife?
    /// The sources of check-ins that end requests and grants.
    public var sources: [CheckInSource]?
    /// Whether the nominee sees the right and its wait.
    public var visible: Bool?
    /// When three rejections within 30 days ended the right; nil while it exists.
    public var endedAt: Date?
    /// When the owner last changed the right.
    public var updatedAt: Date?

    /// What shows that an owner is alive.
    public struct SignOfLife: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a sign of life from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A check-in.
        public static let checkIn = SignOfLife(rawValue: "check_in")
        /// Any signed-in use.
        public static let anyUse = SignOfLife(rawValue: "any_use")
    }

    private enum CodingKeys: String, CodingKey {
        case sources, visible
        case waitHours = "wait_hours"
        case accessLevel = "access_level"
        case grantHours = "grant_hours"
        case onRequest = "on_request"
        case afterMissedDays = "after_missed_days"
        case rejectOnCheckIn = "reject_on_check_in"
        case signOfLife = "sign_of_life"
        case endedAt = "ended_at"
        case updatedAt = "updated_at"
    }
}

/// How many of which nominees of a vault must ask before the wait of any of them begins.
public struct EmergencyQuorum: Codable, Sendable, Hashable {
    /// How many of them must ask.
    public var required: Int
    /// The ids of the nominees.
    public var nominees: [UUID]
    /// When the owner last changed the quorum.
    public var updatedAt: Date

    private enum CodingKeys: String, CodingKey {
        case required, nominees
        case updatedAt = "updated_at"
    }
}

/// A wait for emergency access to a vault, and the grant that follows it.
public struct EmergencyRequest: Codable, Sendable, Identifiable, Hashable {
    /// The request's id.
    public var id: UUID
    /// The vault's id.
    public var vaultID: UUID
    /// The nominee's id.
    public var nomineeID: UUID
    /// The vault.
    public var vault: OwnInvitation.Vault
    /// The vault's owner.
    public var owner: PersonName
    /// Since when the nominee has been in the vault by this request; nil while they are not inside.
    public var insideSince: Date?
    /// The nominee.
    public var nominee: NomineeName
    /// What has started the request.
    public var cause: Cause
    /// The status at the time of the answer.
    public var status: Status
    /// The nominee's words to the owner; nil if there are none.
    public var reason: String?
    /// The level that the grant gives.
    public var accessLevel: AccessLevel
    /// How many days in a row the owner had missed when the wait began; nil if the nominee asked, and for the nominee.
    public var missedDays: Int?
    /// When the request was made.
    public var requestedAt: Date
    /// When the nominee can enter; nil while the quorum gathers. Delays move it to later instants.
    public var grantsAt: Date?
    /// When the grant ends; nil while the quorum gathers.
    public var endsAt: Date?
    /// The nominees of the quorum who have asked. A nominee sees only themselves.
    public var asked: [NomineeName]
    /// How many nominees must ask before the wait begins.
    public var required: Int
    /// Whether an operator holds the request.
    public var held: Bool
    /// When the hold ends by itself; nil if it does not, or if nobody holds the request.
    public var heldUntil: Date?
    /// The times that did not count towards the wait, oldest first.
    public var delays: [Delay]
    /// When the request ended; nil while it is open, and for a nominee whose request was rejected.
    public var endedAt: Date?

    /// What has started a request.
    public struct Cause: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a cause from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The nominee asked.
        public static let request = Cause(rawValue: "request")
        /// The owner missed too many days in a row.
        public static let silence = Cause(rawValue: "silence")
    }

    /// The status of a request.
    public struct Status: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a status from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// More nominees of the quorum must ask.
        public static let gathering = Status(rawValue: "gathering")
        /// The owner can still say no before the nominee gets in.
        public static let waiting = Status(rawValue: "waiting")
        /// The nominee can enter.
        public static let granted = Status(rawValue: "granted")
        /// The grant is over, the quorum was not reached within 30 days, or the access ended for a reason other than the
        /// owner's answer.
        public static let ended = Status(rawValue: "ended")
        /// The owner said no.
        public static let rejected = Status(rawValue: "rejected")
        /// The nominee withdrew it.
        public static let withdrawn = Status(rawValue: "withdrawn")
    }

    /// A time that did not count towards a wait, and moved its end.
    public struct Delay: Codable, Sendable, Hashable {
        /// Why the time did not count.
        public var cause: Cause
        /// When it began.
        public var beganAt: Date
        /// When it ended.
        public var endedAt: Date
        /// The instant of the grant after this delay.
        public var grantsAt: Date

        /// Why time did not count towards a wait.
        public struct Cause: OpenSet {
            /// The value in the API.
            public let rawValue: String

            /// Creates a cause from its value.
            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// The service could not take check-ins.
            public static let outage = Cause(rawValue: "outage")
            /// The tenant was suspended.
            public static let suspension = Cause(rawValue: "suspension")
            /// No notice could be delivered to the owner on any channel.
            public static let undelivered = Cause(rawValue: "undelivered")
            /// An operator held the request.
            public static let hold = Cause(rawValue: "hold")
        }

        private enum CodingKeys: String, CodingKey {
            case cause
            case beganAt = "began_at"
            case endedAt = "ended_at"
            case grantsAt = "grants_at"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case id, vault, owner, nominee, cause, status, reason, asked, required, held, delays
        case insideSince = "inside_since"
        case vaultID = "vault_id"
        case nomineeID = "nominee_id"
        case accessLevel = "access_level"
        case missedDays = "missed_days"
        case requestedAt = "requested_at"
        case grantsAt = "grants_at"
        case endsAt = "ends_at"
        case heldUntil = "held_until"
        case endedAt = "ended_at"
    }
}

/// A nominee with the name that the owner gave them.
public struct NomineeName: Codable, Sendable, Identifiable, Hashable {
    /// The nominee's id. It is not that of their account.
    public var id: UUID
    /// The name, never empty.
    public var displayName: String

    private enum CodingKeys: String, CodingKey {
        case id
        case displayName = "display_name"
    }
}

/// What follows if an owner falls silent and nobody acts.
public struct EmergencyRehearsal: Codable, Sendable, Hashable {
    /// When the owner falls silent.
    public var from: Date
    /// The instant up to which the steps are complete.
    public var until: Date
    /// What happens, in order of time.
    public var steps: [Step]

    /// One thing that happens.
    public struct Step: Codable, Sendable, Hashable {
        /// When it happens.
        public var at: Date
        /// What it is.
        public var kind: Kind
        /// The vault of a wait or grant.
        public var vaultID: UUID?
        /// The nominee of a wait or grant.
        public var nomineeID: UUID?
        /// The receiver who is told, or the nominee's account.
        public var person: PersonName?
        /// What the person reads who is told, or what happens.
        public var text: String

        /// What happens in a rehearsal.
        public struct Kind: OpenSet {
            /// The value in the API.
            public let rawValue: String

            /// Creates a kind from its value.
            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// The owner is asked to check in.
            public static let pingDue = Kind(rawValue: "ping_due")
            /// The owner is reminded.
            public static let pingReminder = Kind(rawValue: "ping_reminder")
            /// The owner has missed the check-in of a day, and is told.
            public static let pingMissed = Kind(rawValue: "ping_missed")
            /// A receiver is told of the miss.
            public static let receiverTold = Kind(rawValue: "receiver_told")
            /// The wait for a nominee's emergency access begins, and the owner is told.
            public static let waitBegins = Kind(rawValue: "wait_begins")
            /// The owner is reminded of a wait.
            public static let notice = Kind(rawValue: "notice")
            /// A nominee can enter.
            public static let grant = Kind(rawValue: "grant")
            /// A nominee can no longer enter.
            public static let grantEnds = Kind(rawValue: "grant_ends")
            /// A nominee's emergency access would not count: they have not accepted, are paused, or are not confirmed.
            public static let rightSleeps = Kind(rawValue: "right_sleeps")
        }

        private enum CodingKeys: String, CodingKey {
            case at, kind, person, text
            case vaultID = "vault_id"
            case nomineeID = "nominee_id"
        }
    }
}

/// All emergency access that concerns a user.
public struct OwnEmergencies: Codable, Sendable, Hashable {
    /// What concerns the user's vaults.
    public var asOwner: Owner
    /// What concerns vaults of others.
    public var asNominee: Nominee

    /// The emergency access to an owner's vaults.
    public struct Owner: Codable, Sendable, Hashable {
        /// What the owner has given.
        public var rights: [GivenRight]
        /// The requests that are open or ended within 30 days, newest first.
        public var requests: [EmergencyRequest]
    }

    /// The emergency access of a nominee.
    public struct Nominee: Codable, Sendable, Hashable {
        /// What owners have given and show.
        public var rights: [ReceivedRight]
        /// The requests that are open or ended within 30 days, newest first.
        public var requests: [EmergencyRequest]
    }

    /// A right that an owner has given.
    public struct GivenRight: Codable, Sendable, Hashable {
        /// The nominee's id.
        public var nomineeID: UUID
        /// The nominee.
        public var nominee: NomineeName
        /// The vault.
        public var vault: Vault
        /// How many hours the owner can say no after the wait has begun.
        public var waitHours: Int
        /// What the nominee may do inside.
        public var accessLevel: AccessLevel
        /// How many hours the nominee can stay.
        public var grantHours: Int
        /// Whether the nominee can ask.
        public var onRequest: Bool
        /// After how many missed days in a row the wait begins by itself; nil for never.
        public var afterMissedDays: Int?
        /// Whether a sign of life of the owner ends requests and grants without a further question.
        public var rejectOnCheckIn: Bool
        /// What counts as a sign of life.
        public var signOfLife: EmergencySettings.SignOfLife
        /// The sources of check-ins that end requests and grants.
        public var sources: [CheckInSource]
        /// Whether the nominee sees the right and its wait.
        public var visible: Bool
        /// When three rejections within 30 days ended the right; nil while it exists.
        public var endedAt: Date?
        /// When the owner last changed the right.
        public var updatedAt: Date

        private enum CodingKeys: String, CodingKey {
            case nominee, vault, sources, visible
            case nomineeID = "nominee_id"
            case waitHours = "wait_hours"
            case accessLevel = "access_level"
            case grantHours = "grant_hours"
            case onRequest = "on_request"
            case afterMissedDays = "after_missed_days"
            case rejectOnCheckIn = "reject_on_check_in"
            case signOfLife = "sign_of_life"
            case endedAt = "ended_at"
            case updatedAt = "updated_at"
        }
    }

    /// A right that an owner shows to a nominee.
    public struct ReceivedRight: Codable, Sendable, Hashable {
        /// The user's id as a nominee of the vault.
        public var nomineeID: UUID
        /// The vault.
        public var vault: Vault
        /// The owner of the vault.
        public var owner: PersonName
        /// How many hours the owner can say no after the wait has begun.
        public var waitHours: Int
        /// What the nominee may do inside.
        public var accessLevel: AccessLevel
        /// How many hours the nominee can stay.
        public var grantHours: Int
        /// Whether the nominee can ask.
        public var onRequest: Bool
        /// After how many missed days in a row the wait begins by itself; nil for never.
        public var afterMissedDays: Int?

        private enum CodingKeys: String, CodingKey {
            case vault, owner
            case nomineeID = "nominee_id"
            case waitHours = "wait_hours"
            case accessLevel = "access_level"
            case grantHours = "grant_hours"
            case onRequest = "on_request"
            case afterMissedDays = "after_missed_days"
        }
    }

    /// A vault.
    public struct Vault: Codable, Sendable, Identifiable, Hashable {
        /// The vault's id.
        public var id: UUID
        /// The vault's name.
        public var name: String
    }

    private enum CodingKeys: String, CodingKey {
        case asOwner = "as_owner"
        case asNominee = "as_nominee"
    }
}
