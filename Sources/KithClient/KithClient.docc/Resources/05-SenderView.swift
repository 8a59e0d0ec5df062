import KithClient
import SwiftUI

struct SenderView: View {
    @State private var screen: CheckInScreen

    init(_ kith: Kith) {
        _screen = State(initialValue: CheckInScreen(kith))
    }

    var body: some View {
        VStack(spacing: 24) {
            TimelineView(.periodic(from: .now, by: 15)) { _ in
                Text(screen.sentence)
            }
            Button(screen.button) {
                Task { await screen.checkIn() }
            }
            .buttonStyle(.borderedProminent)
            .disabled(screen.state.isBusy)
            TextField("Note", text: $screen.note)
            Toggle("Show the note to my receivers", isOn: $screen.sharesNote)
            if let sentence = screen.progress.sentence() {
                Text(sentence)
            }
        }
        .padding()
        .problem(of: screen)
        .alert(
            screen.asking?.dialog?.title ?? "", isPresented: Binding(get: { screen.asking != nil }, set: { _ in })
        ) {
            if let dialog = screen.asking?.dialog {
                Button(dialog.confirm.label, role: .destructive) { Task { await screen.confirm() } }
                Button(dialog.cancel.label, role: .cancel) { screen.cancel() }
            }
        } message: {
            Text(screen.asking?.dialog?.message ?? "")
        }
    }
}
