import Foundation
import TestThreads
import Testing

@Suite(.mayBlock) struct `A package that depends on KithClient` {
    @Test func `builds without a warning, compiles nothing of the server and needs no library but Swift's`() throws {
        let package = try ConsumerPackage(
            source: """
                import KithClient

                print(KithProblem.Code(rawValue: "vault_locked"))
                """)
        defer { package.remove() }
        let log = try package.build()
        #expect(!log.localizedCaseInsensitiveContains("warning"), "\(log)")
        let compiled = Set(log.matches(of: /(?:Compiling|Emitting module) (\w+)/).map { String($0.1) })
        // SwiftPM 6 builds the plugins of all packages, and the tool that they run, even if it builds no target that
        // uses them.
        #expect(compiled == ["KithClient", "KithCountries", "app", "plugin", "EmbedTool"], "\(log)")
        #expect(try package.run() == "vault_locked\n")
        let own = /lib(swift.*|Foundation.*|_Foundation.*|BlocksRuntime|dispatch)\.so/
        let machine = /(lib(c|m|gcc_s|stdc\+\+|dl|pthread|util)\.so\.\d+|ld-linux.*)/
        let libraries = try package.libraries()
        #expect(libraries.contains("libFoundation.so"))
        #expect(libraries.filter { $0.wholeMatch(of: own) == nil && $0.wholeMatch(of: machine) == nil } == [])
    }
}
