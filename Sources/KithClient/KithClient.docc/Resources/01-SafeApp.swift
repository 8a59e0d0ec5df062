import KithClient
import SwiftUI

@main struct SafeApp: App {
    private let kith = Kith(
        server: URL(string: "https://kith.example.com")!, tenant: "acme", storage: .keychain)

    var body: some Scene {
        WindowGroup {
            Text("Safe")
        }
    }
}
