import Foundation
import TestThreads
import Testing

@Suite(.mayBlock) struct `A package that depends on the libraries` {
    @Test func `builds without a warning, compiles nothing of the server and needs no library but Swift's`() throws {
        // One import is enough for what the libraries share, also with MemberImportVisibility.
        let package = try ConsumerPackage(
            app: """
                import KithClient

                let day: Kith.LocalDate = "2026-11-21"
                print(KithProblem.Code(rawValue: "vault_locked"), day.adding(days: 1))
                """,
            server: """
                import KithServer

                let user = Kith.NewUser(displayName: "Alice")
                print(KithProblem.Code(rawValue: "forbidden"), user.displayName)
                """)
        defer { package.remove() }
        // SwiftPM 6 builds the plugins of all packages, and the tool that they run, even if it builds no target that
        // uses them.
        let tools: Set = ["plugin", "EmbedTool"]
        let server = try compiled(package.build("server"))
        #expect(server.subtracting(tools) == ["KithCalls", "KithServer", "server"])
        let app = try compiled(package.build("app"))
        #expect(app.subtracting(tools) == ["KithClient", "KithCountries", "app"])
        #expect(try package.run("app") == "vault_locked 2026-11-22\n")
        #expect(try package.run("server") == "forbidden Alice\n")
        let own = /lib(swift.*|Foundation.*|_Foundation.*|BlocksRuntime|dispatch)\.so/
        let machine = /(lib(c|m|gcc_s|stdc\+\+|dl|pthread|util)\.so\.\d+|ld-linux.*)/
        for program in ["app", "server"] {
            let libraries = try package.libraries(program)
            #expect(libraries.contains("libFoundation.so"))
            #expect(libraries.filter { $0.wholeMatch(of: own) == nil && $0.wholeMatch(of: machine) == nil } == [])
        }
    }

    /// The modules that a build has compiled.
    private func compiled(_ log: String) -> Set<String> {
        #expect(!log.localizedCaseInsensitiveContains("warning"), "\(log)")
        return Set(log.matches(of: /(?:Compiling|Emitting module) (\w+)/).map { String($0.1) })
    }
}
