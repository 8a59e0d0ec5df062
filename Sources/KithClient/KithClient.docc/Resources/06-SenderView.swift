import KithClient
import SwiftUI

struct SenderView: View {
    private let kith: Kith
    @State private var screen: CheckInScreen

    init(_ kith: Kith) {
        self.kith = kith
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
        .task { await screen.load() }
        .task { await follow() }
    }

    private func follow() async {
        while !Task.isCancelled {
            do {
                // The position first: nothing falls between the first screen and the stream.
                let position = try await kith.api.getHome().lastEventID
                await screen.load()
                for try await event in kith.events(after: position) { await screen.apply(event.content) }
            } catch let problem as KithProblem where problem.code == .unauthenticated {
                return  // RootView shows the sign-in.
            } catch {
                try? await Task.sleep(for: .seconds(10))
            }
        }
    }
}
