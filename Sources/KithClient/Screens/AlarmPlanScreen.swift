import Foundation
public import Observation

/// A sender's plan for alarms (who is told when), what would happen by it, and a drill.
///
/// Calls: `getAlarmPlan`, `rehearseAlarmPlan`, `setAlarmPlan`, `drillAlarm`.
@Observable @MainActor public final class AlarmPlanScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// Who is told after how many minutes: one to three tiers, in ascending order.
    public var tiers = [Kith.AlarmTier(afterMinutes: 0, receivers: [], desk: false)]
    /// After how many minutes everybody who was told is told again.
    public var repeatMinutes = [30, 120]
    /// For how long somebody takes an alarm before they are asked again.
    public var takeMinutes = 30
    /// How long the person has to answer "Are you OK?".
    public var answerMinutes = 30
    /// Whether the receivers read each other's names.
    public var receiversKnowEachOther = false
    /// What happens if the person does not check in, by the stored plan; nil until it is loaded.
    public private(set) var rehearsal: [Kith.AlarmStep]?
    /// The drill that was held from this screen; nil before.
    public private(set) var drill: Kith.Alarm?
    /// Whether the dialog before a drill is shown.
    public private(set) var isAskingForDrill = false

    let calls: ScreenCalls

    /// Creates the screen with the default plan. Call ``load()`` when it appears.
    public init(_ kith: Kith, texts: KithTexts = .preferred()) {
        (calls, self.texts) = (ScreenCalls(kith), texts)
    }

    /// What is not right about the fields; nil if they can be saved.
    public var complaint: String? {
        let minutes = tiers.map(\.afterMinutes)
        let ascends = zip(minutes, minutes.dropFirst()).allSatisfy { $0 < $1 }
        let fits = (1...3).contains(tiers.count) && minutes.allSatisfy { (0...720).contains($0) }
        return ascends && fits ? nil : texts.alarmPlanInvalid
    }

    /// The dialog before a drill; nil if it is not shown.
    public var dialog: Dialog? {
        guard isAskingForDrill else { return nil }
        return Dialog(
            title: texts.alarmDrillHold, message: texts.alarmDrillMessage, confirm: texts.alarmDrillHold,
            isDestructive: false, texts)
    }

    /// Fills the fields from the stored plan, and rehearses it.
    public func load() async {
        await load {
            (try await calls.alarmPlan(), try await calls.rehearseAlarms())
        } then: { plan, steps in
            take(plan)
            rehearsal = steps
        }
    }

    /// Saves the fields, and rehearses the new plan.
    public func save() async {
        guard maySave else { return }
        if let complaint { return state.show(ErrorPresentation(invalid: complaint, texts: texts)) }
        await act {
            let plan = try await calls.setAlarmPlan(
                .init(
                    tiers: tiers.map {
                        .init(afterMinutes: $0.afterMinutes, receivers: $0.receivers, desk: $0.desk)
                    }, repeatMinutes: repeatMinutes, takeMinutes: takeMinutes, answerMinutes: answerMinutes,
                    receiversKnowEachOther: receiversKnowEachOther))
            return (plan, try await calls.rehearseAlarms())
        } then: { plan, steps in
            take(plan)
            rehearsal = steps
            return texts.alarmPlanSaved
        }
    }

    /// Asks whether to hold a drill.
    public func holdDrill() {
        isAskingForDrill = !state.isBusy
    }

    /// Holds the drill.
    public func confirm() async {
        guard isAskingForDrill else { return }
        isAskingForDrill = false
        await act {
            try await calls.drill()
        } then: { alarm in
            drill = alarm
            return texts.alarmDrillHeld
        }
    }

    /// Holds none.
    public func cancel() {
        isAskingForDrill = false
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }

    private func take(_ plan: Kith.AlarmPlan) {
        (tiers, repeatMinutes) = (plan.tiers, plan.repeatMinutes)
        (takeMinutes, answerMinutes) = (plan.takeMinutes, plan.answerMinutes)
        receiversKnowEachOther = plan.receiversKnowEachOther
    }
}
