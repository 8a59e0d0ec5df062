import KithClient
import SwiftUI

extension View {
    /// Shows the error of a screen: below the view, or in an alert.
    func problem(of screen: some KithScreen) -> some View {
        modifier(ProblemModifier(screen: screen))
    }
}

struct ProblemModifier<Screen: KithScreen>: ViewModifier {
    let screen: Screen

    private var problem: ErrorPresentation? { screen.state.problem }

    func body(content: Content) -> some View {
        VStack {
            content
            if let problem, problem.style == .inline {
                Text(problem.announcement).foregroundStyle(.red)
            }
        }
        // Constant: the button takes the error away, and the alert goes with it.
        .alert(problem?.title ?? "", isPresented: .constant(problem?.style == .alert)) {
            Button("OK") { screen.dismissProblem() }
        } message: {
            Text(problem?.announcement ?? "")
        }
    }
}
