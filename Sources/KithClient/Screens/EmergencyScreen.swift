import Foundation
public import Observation

/// The actions on a request for emergency access.
public enum EmergencyAction: Sendable, Hashable {
    /// The owner lets the nominee in at once.
    case approve
    /// The owner says no, also after the grant.
    case reject
    /// The nominee takes the request back.
    case withdraw
    /// The nominee enters the vault.
    case enter
}

/// The requests for emergency access that concern a person, as an owner and as a nominee.
///
/// Nothing here answers by itself: opening the screen, or the link of an e-mail, decides nothing.
///
/// Calls: `getOwnEmergencies`, `requestEmergencyAccess`, `approveEmergencyRequest`, `rejectEmergencyRequest`,
/// `withdrawEmergencyRequest`, `enterVaultInEmergency`; `streamEvents` while it follows.
@Observable @MainActor public final class EmergencyScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// All that concerns the person; nil until it is loaded.
    public private(set) var emergencies: Kith.OwnEmergencies?
    /// The request and the action whose dialog is shown; nil if there is none.
    public private(set) var asking: (request: Kith.EmergencyRequest, action: ScreenAction<EmergencyAction>)?
    /// The right for which the person is about to ask, while its dialog is shown.
    public private(set) var requesting: Kith.ReceivedEmergencyRight?
    /// The session of a vault that was entered; nil until then.
    public private(set) var session: Kith.VaultSession?
    /// Why the person asks, in their own words.
    public var reason = ""

    let calls: ScreenCalls

    /// Creates an empty screen. Call ``load()`` when it appears.
    public init(_ kith: Kith, texts: KithTexts = .preferred()) {
        (calls, self.texts) = (ScreenCalls(kith), texts)
    }

    /// Loads all that concerns the person.
    public func load() async {
        await load {
            try await calls.emergencies()
        } then: { emergencies in
            self.emergencies = emergencies
        }
    }

    /// Whether a request is about a vault of this person.
    public func isOwner(of request: Kith.EmergencyRequest) -> Bool {
        emergencies?.asOwner.requests.contains { $0.id == request.id } == true
    }

    /// The name of the request's vault.
    public func vaultName(of request: Kith.EmergencyRequest) -> String {
        let given = emergencies?.asOwner.rights.first { $0.vault.id == request.vaultID }?.vault.name
        let received = emergencies?.asNominee.rights.first { $0.vault.id == request.vaultID }?.vault.name
        return given ?? received ?? ""
    }

    /// What a request says to this person, in one or two sentences.
    public func sentence(of request: Kith.EmergencyRequest) -> String {
        let (vault, name) = (vaultName(of: request), request.nominee.displayName)
        let isOwner = isOwner(of: request)
        var sentences: [String] = []
        if isOwner {
            sentences.append(
                request.cause == .silence
                    ? texts.emergencySilence(name: name, vault: vault) : texts.emergencyAsks(name: name, vault: vault))
        }
        if request.held {
            sentences.append(texts.emergencyHeld)
        } else if request.status == .gathering {
            sentences.append(texts.emergencyGathering(count: max(1, request.required - request.asked.count)))
        } else if request.status == .waiting, let at = request.grantsAt {
            sentences.append(
                isOwner
                    ? texts.emergencyGrants(date: date(at)) : texts.emergencyOwnWaiting(vault: vault, date: date(at)))
        } else if request.status == .granted, let at = request.endsAt {
            sentences.append(
                isOwner
                    ? texts.emergencyGranted(date: date(at)) : texts.emergencyOwnGranted(vault: vault, date: date(at)))
        } else if !isOwner {
            sentences.append(request.status.badge(texts).name)
        }
        return sentences.joined(separator: " ")
    }

    /// The actions on a request, with the dialogs that they ask first.
    public func actions(of request: Kith.EmergencyRequest) -> [ScreenAction<EmergencyAction>] {
        let (vault, name) = (vaultName(of: request), request.nominee.displayName)
        let isOpen = [.gathering, .waiting, .granted].contains(request.status)
        guard isOpen else { return [] }
        guard isOwner(of: request) else {
            let enter = ScreenAction(EmergencyAction.enter, texts.emergencyEnter, symbol: "door.left.hand.open")
            let withdraw = ScreenAction(
                EmergencyAction.withdraw, texts.emergencyWithdraw, symbol: "arrow.uturn.backward")
            return request.status == .granted && !request.held ? [enter, withdraw] : [withdraw]
        }
        let reject = ScreenAction(
            EmergencyAction.reject, texts.emergencyReject, symbol: "hand.raised.fill", .red, isDestructive: true,
            dialog: Dialog(
                title: texts.emergencyRejectTitle, message: texts.emergencyRejectMessage(name: name, vault: vault),
                confirm: texts.emergencyRejectConfirm, texts))
        let approve = ScreenAction(
            EmergencyAction.approve, texts.emergencyApprove, symbol: "checkmark.circle.fill", .green,
            dialog: Dialog(
                title: texts.emergencyApproveTitle(name: name),
                message: texts.emergencyApproveMessage(name: name, vault: vault),
                confirm: texts.emergencyApproveConfirm, texts))
        return request.status == .granted ? [reject] : [reject, approve]
    }

    /// Takes an action, or asks first.
    public func choose(_ kind: EmergencyAction, for request: Kith.EmergencyRequest) async {
        guard !state.isBusy, let action = actions(of: request).first(where: { $0.id == kind }) else { return }
        if action.dialog == nil { return await carryOut(kind, request) }
        asking = (request, action)
    }

    /// The dialog before asking; nil if none is shown.
    public var requestDialog: Dialog? {
        requesting.map {
            Dialog(
                title: texts.emergencyAskTitle, message: texts.emergencyAskMessage(vault: $0.vault.name),
                confirm: texts.emergencyAskConfirm, isDestructive: false, texts)
        }
    }

    /// Asks whether to ask for emergency access by `right`.
    public func ask(by right: Kith.ReceivedEmergencyRight) {
        if right.onRequest { requesting = right }
    }

    /// Takes the action whose dialog is shown.
    public func confirm() async {
        if let right = requesting {
            requesting = nil
            let reason = reason.trimmingCharacters(in: .whitespacesAndNewlines)
            let done = await act {
                try await calls.askForAccess(to: right.vault.id, reason.isEmpty ? nil : reason)
            } then: { _ in
                texts.emergencyAsked(vault: right.vault.name)
            }
            if done != nil { await load() }
        } else if let (request, action) = asking {
            asking = nil
            await carryOut(action.id, request)
        }
    }

    /// Leaves everything as it is.
    public func cancel() {
        (asking, requesting) = (nil, nil)
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }

    private func carryOut(_ kind: EmergencyAction, _ request: Kith.EmergencyRequest) async {
        let (vault, name) = (vaultName(of: request), request.nominee.displayName)
        let done: Void? = await act {
            switch kind {
            case .approve: try await calls.approve(request)
            case .reject: try await calls.reject(request)
            case .withdraw: try await calls.withdraw(request)
            case .enter: session = try await calls.enter(request.vaultID)
            }
        } then: { _ in
            switch kind {
            case .approve: texts.emergencyApproved(name: name, vault: vault)
            case .reject: texts.emergencyRejected(name: name, vault: vault)
            case .withdraw: texts.emergencyWithdrawn
            case .enter: texts.emergencyEntered(vault: vault)
            }
        }
        if done != nil { await load() }
    }

    private func date(_ date: Date) -> String {
        date.formatted(
            Date.FormatStyle(date: .long, time: .shortened, locale: Locale(identifier: texts.language)))
    }
}

/// The owner's settings of a nominee's emergency access.
///
/// Calls: `setEmergencySettings`, `removeEmergencySettings`.
@Observable @MainActor public final class EmergencySettingsScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The vault.
    public let vault: Kith.VaultName
    /// The nominee.
    public let nominee: Kith.Nominee
    /// How many hours the owner can say no.
    public var waitHours = 168
    /// How many hours the nominee can stay.
    public var grantHours = 72
    /// What the nominee may do inside.
    public var accessLevel = Kith.EmergencyAccessLevel.view
    /// Whether the nominee can ask.
    public var onRequest = true
    /// After how many missed days in a row the wait begins by itself; nil for never.
    public var afterMissedDays: Int?
    /// Whether the nominee sees that they have the right.
    public var isVisible = false
    /// Whether the nominee has emergency access.
    public private(set) var isOn: Bool
    /// Whether the dialog before ending it is shown.
    public private(set) var isAsking = false

    let calls: ScreenCalls

    /// Creates the screen with the nominee's settings, or with those proposed for a new right.
    public init(
        _ kith: Kith, _ nominee: Kith.Nominee, in vault: Kith.VaultName, texts: KithTexts = .preferred()
    ) {
        (calls, self.nominee, self.vault, self.texts) = (ScreenCalls(kith), nominee, vault, texts)
        isOn = nominee.emergency != nil
        if let settings = nominee.emergency {
            (waitHours, grantHours, accessLevel) = (settings.waitHours, settings.grantHours, settings.accessLevel)
            (onRequest, afterMissedDays) = (settings.onRequest, settings.afterMissedDays)
            isVisible = settings.visible ?? false
        }
    }

    /// The title.
    public var title: String { texts.emergencySettingsTitle(name: nominee.name) }

    /// What is not right about the fields; nil if they can be saved.
    public var complaint: String? {
        if !(1...2160).contains(waitHours) { return texts.emergencySettingsWaitInvalid }
        if !(1...720).contains(grantHours) { return texts.emergencySettingsGrantInvalid }
        guard let days = afterMissedDays else { return onRequest ? nil : texts.emergencySettingsNothing }
        return (2...30).contains(days) ? nil : texts.emergencySettingsDaysInvalid
    }

    /// The dialog before ending the right; nil if it is not shown.
    public var dialog: Dialog? {
        guard isAsking else { return nil }
        return Dialog(
            title: texts.emergencySettingsEndTitle,
            message: texts.emergencySettingsEndMessage(name: nominee.name, vault: vault.name),
            confirm: texts.emergencySettingsEndConfirm, texts)
    }

    /// Saves the fields.
    public func save() async {
        if let complaint { return state.show(ErrorPresentation(invalid: complaint, texts: texts)) }
        await act {
            try await calls.setEmergency(
                .init(
                    waitHours: waitHours, accessLevel: accessLevel, grantHours: grantHours, onRequest: onRequest,
                    afterMissedDays: .init(afterMissedDays), visible: isVisible), of: nominee.id, in: vault.id)
        } then: { _ in
            isOn = true
            return texts.emergencySettingsSaved(name: nominee.name)
        }
    }

    /// Asks whether to end the right.
    public func end() {
        isAsking = isOn && !state.isBusy
    }

    /// Ends the right.
    public func confirm() async {
        guard isAsking else { return }
        isAsking = false
        await act {
            try await calls.endEmergency(of: nominee.id, in: vault.id)
        } then: { _ in
            isOn = false
            return texts.emergencySettingsEnded(name: nominee.name)
        }
    }

    /// Leaves the right as it is.
    public func cancel() {
        isAsking = false
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }
}
