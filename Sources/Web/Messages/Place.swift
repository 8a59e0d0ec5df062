package import JSON
internal import Texts

/// Where in the client something is that a notification is about, by its type and id.
package enum Place {
    /// The path that leads there, for links in e-mails and pushes: whoever follows one may have to sign in first.
    package static let path = "/go/{type}/{id}"

    /// The address that leads to something; that of the messages if it names nothing.
    package static func address(of type: String, _ id: String) -> String {
        guard TextFormat.uuid.accepts(id), !type.isEmpty,
            type.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) })
        else { return MessagesScreen.path }
        return "/go/\(type)/\(id.lowercased())"
    }

    /// The page of something whose own id stands in the page's address; nil if its vault or its alarm has to be looked
    /// up.
    package static func path(of type: String, _ id: String) -> String? {
        switch type {
        case "connection": ConnectionScreen.path(of: PathID.of(id))
        case "alarm": AlarmScreen.path(of: PathID.of(id))
        case "subscription": PeopleScreen.path
        case "vault": "/vaults/\(PathID.of(id))"
        case "invitation": InvitationsScreen.path
        case "ping", "nominee", "conversation", "transfer", "emergency_request": nil
        default: MessagesScreen.path
        }
    }

    /// The page of something within a vault, or of a ping, by the answer of `api.place_of`. A receiver of a missed ping
    /// is led to its alarm, where they act, and everybody else to today's pings.
    package static func path(of type: String, _ facts: JSONValue?) -> String {
        if type == "ping" { return (facts?["alarm_id"]?.string).map(AlarmScreen.path(of:)) ?? TodayScreen.path }
        guard let vault = facts?["vault_id"]?.string else { return MessagesScreen.path }
        let isOwner = facts?["is_owner"]?.boolean ?? false
        let nominee = facts?["nominee_id"]?.string ?? ""
        return switch type {
        case "conversation": "/vaults/\(vault)/nominees/\(nominee)/chat"
        case "emergency_request": "/vaults/\(vault)/emergency"
        case "nominee" where isOwner: "/vaults/\(vault)/nominees/\(nominee)"
        case "transfer" where isOwner: "/vaults/\(vault)/transfer"
        default: "/vaults/\(vault)"
        }
    }
}
