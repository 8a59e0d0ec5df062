import KithClient
import SwiftUI

struct SignInView: View {
    @State private var screen: SignInScreen

    init(_ kith: Kith) {
        _screen = State(initialValue: SignInScreen(kith))
    }

    var body: some View {
        Form {
            switch screen.step {
            case .address:
                TextField("Phone number or e-mail address", text: $screen.address)
                    .textContentType(.username)
                Button("Send the code") {
                    Task { await screen.sendCode() }
                }
            case .code(let address):
                Text("Enter the code that was sent to \(address).")
                TextField("Code", text: $screen.entry.text)
                    .textContentType(.oneTimeCode)
                    .keyboardType(.numberPad)
                Button("Sign in") {
                    Task { await screen.signIn() }
                }
                .disabled(!screen.entry.isComplete)
                Button("Back") { screen.back() }
            case .done:
                ProgressView()
            }
        }
        .disabled(screen.state.isBusy)
        .problem(of: screen)
    }
}
