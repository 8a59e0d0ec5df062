import Foundation
public import Observation

/// The things that give signs of life for a person: a button, a shortcut of the phone, a sensor at a door.
///
/// Calls: `listSigns`, `createSign`, `deleteSign`.
@Observable @MainActor public final class ThingsScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The things.
    public private(set) var things: [Kith.Sign] = []
    /// The thing that was just made, with its secret address, which is shown only once; nil if there is none.
    public private(set) var made: Kith.NewSign?
    /// The name of a new thing.
    public var name = ""
    /// The kind of a new thing: a check-in, or activity, which is no check-in.
    public var kind = Kith.SignKind.checkIn
    /// Whether the new thing may also open its address instead of posting to it. Anything that previews the address
    /// then counts as well.
    public var allowsGet = false
    /// The thing whose removal is asked about; nil if none is.
    public private(set) var asking: Kith.Sign?

    let calls: ScreenCalls

    /// Creates an empty list. Call ``load()`` when it appears.
    public init(_ kith: Kith, texts: KithTexts = .preferred()) {
        (calls, self.texts) = (ScreenCalls(kith), texts)
    }

    /// The dialog before removing a thing; nil if it is not shown.
    public var dialog: Dialog? {
        asking.map {
            Dialog(
                title: texts.thingEndTitle(name: $0.name), message: texts.thingEndMessage,
                confirm: texts.thingEndConfirm, texts)
        }
    }

    /// Loads the things.
    public func load() async {
        await load {
            try await calls.things()
        } then: { things in
            self.things = things
        }
    }

    /// Makes a thing.
    public func make() async {
        let name = name.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !name.isEmpty else {
            return state.show(ErrorPresentation(invalid: texts.thingNameEmpty, texts: texts))
        }
        let done = await act {
            try await calls.makeThing(.init(name: name, kind: kind, allowGet: allowsGet))
        } then: { thing in
            made = thing
            self.name = ""
            return texts.thingMade(name: thing.name)
        }
        if done != nil { await load() }
    }

    /// Forgets the address that was shown.
    public func dismissAddress() {
        made = nil
    }

    /// Asks whether to remove a thing.
    public func remove(_ thing: Kith.Sign) {
        if !state.isBusy { asking = thing }
    }

    /// Removes the thing that was asked about.
    public func confirm() async {
        guard let thing = asking else { return }
        asking = nil
        await act {
            try await calls.endThing(thing.id)
        } then: { _ in
            things.removeAll { $0.id == thing.id }
            if made?.id == thing.id { made = nil }
            return texts.thingEnded(name: thing.name)
        }
    }

    /// Removes nothing.
    public func cancel() {
        asking = nil
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }
}
