package import JSON
internal import Pages
package import Problems
internal import Texts

/// The question before a connection is paused.
package struct PauseScreen: Screen {
    package static let path = "/people/{id}/pause"
    private let other: Counterpart

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/connections/\(visit.parameters[0])")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        other = Counterpart(answers[0], visit.words)
    }

    package func page(_ visit: Visit) -> ScreenPage {
        Question(
            "connection.pause", values: ["name": other.name], act: "pause",
            cancel: ConnectionScreen.path(of: other.id),
            section: .people
        ).page(visit)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "pause" else { return nil }
        let id = visit.parameters[0]
        return Act(.send(.post, "/v1/connections/\(id)/pause")) { answer in
            Destination(
                ConnectionScreen.path(of: id),
                Notice(
                    "connection.pause.done", ["name": .name(answer.map { Counterpart($0, visit.words) }?.name ?? "")]))
        }
    }
}

/// The question before a connection is removed, or refused while it waits for consent.
package struct RemoveScreen: Screen {
    package static let path = "/people/{id}/remove"
    private let other: Counterpart

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/connections/\(visit.parameters[0])")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        other = Counterpart(answers[0], visit.words)
    }

    package func page(_ visit: Visit) -> ScreenPage {
        Question(
            "connection.remove", message: "connection.remove.message.\(other.isReceiver ? "sender" : "receiver")",
            values: ["name": other.name], act: "remove", cancel: ConnectionScreen.path(of: other.id),
            section: .people,
            carried: ["name": other.name]
        ).page(visit)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "remove" else { return nil }
        return Act(
            .send(.delete, "/v1/connections/\(visit.parameters[0])"), to: PeopleScreen.path,
            Notice("connection.remove.done", ["name": .name(form["name"])]))
    }
}

/// The question before somebody is blocked (X22).
package struct BlockScreen: Screen {
    package static let path = "/people/{id}/block"
    private let other: Counterpart

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/connections/\(visit.parameters[0])")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        other = Counterpart(answers[0], visit.words)
    }

    package func page(_ visit: Visit) -> ScreenPage {
        Question(
            "web.block", values: ["name": other.name], act: "block", cancel: ConnectionScreen.path(of: other.id),
            section: .people, carried: ["user": other.counterpartID, "name": other.name]
        ).page(visit)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "block", TextFormat.uuid.accepts(form["user"]) else { return nil }
        return Act(.send(.put, "/v1/me/blocks/\(form["user"])")) { answer in
            // A block does not end access to vaults, so offer to revoke it here.
            let vaults = answer?["vaults"]?.elements.isEmpty == false
            return Destination(
                vaults ? "/me/blocks" : PeopleScreen.path,
                Notice(vaults ? "web.block.done_vaults" : "web.block.done", ["name": .name(form["name"])]))
        }
    }
}
