/// The channel on which people read a text. The first word of its key determines it.
package enum TextChannel: String, Sendable, Hashable, CaseIterable {
    /// The title and body of a notification: the list of notifications, pushes, e-mails and text messages. Also a step
    /// of the rehearsal.
    case notification
    case mail
    case sms
    /// Spoken in a phone call.
    case voice
    /// The invitations that a person sends from their own phone or mail, and their cards.
    case message
    /// The pages that anybody with a link can open.
    case page
    /// The title and detail of a problem document, and the messages about its fields.
    case problem
    /// The web client.
    case web
    /// What is said of a person now, in the member `state` of the API's answers.
    case state
    /// A part of other texts: the substitute of a missing name, a duration, a moment.
    case part
    /// The screens of KithClient, which the web client shares.
    case screen

    /// The channel of a key.
    package init(of key: String) {
        let words = key.split(separator: ".")
        self =
            switch words[0] {
            case "notification", "rehearsal": .notification
            case "mail": .mail
            case "sms": .sms
            case "voice": .voice
            case "message", "card": .message
            case "page": .page
            case "refusal", "field": .problem
            case "problem": words.count > 2 && ["title", "detail"].contains(words[2]) ? .problem : .screen
            case "web": .web
            case "state": .state
            case "name", "duration", "moment": .part
            default: .screen
            }
    }
}
