import KithClient
import SwiftUI

@main struct SafeApp: App {
    private let kith = Kith(
        server: URL(string: "https://kith.example.com")!, tenant: "acme", storage: .keychain)

    var body: some Scene {
        WindowGroup {
            RootView(kith: kith)
        }
    }
}

struct RootView: View {
    let kith: Kith
    @State private var session: KithSession?
    @Environment(\.scenePhase) private var scenePhase

    init(kith: Kith) {
        self.kith = kith
        _session = State(initialValue: kith.session)
    }

    var body: some View {
        Group {
            if let session {
                // Another person gets another screen.
                SenderView(kith).id(session.id)
            } else {
                SignInView(kith)
            }
        }
        .task {
            for await session in kith.sessions { self.session = session }
        }
        .onChange(of: scenePhase) {
            if scenePhase == .active { kith.wake() }
        }
    }
}
