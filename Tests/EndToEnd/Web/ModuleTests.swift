import ChildProcesses
import Foundation
import TestThreads
import Testing

@Suite(.mayBlock) struct `The modules of the web client` {
    private static let folder = Tool.tests.deletingLastPathComponent().appending(path: "Sources/Web/Assets")

    @Test(arguments: [("kith.js", "dom,dom.iterable"), ("worker.js", "webworker")])
    func `have types that fit`(module: String, library: String) throws {
        let checked = try Tool.run(
            URL(filePath: "/usr/bin/tsc"),
            [
                "--noEmit", "--allowJs", "--checkJs", "--strict", "--noUnusedLocals", "--target", "es2022", "--module",
                "es2022", "--moduleResolution", "node", "--lib", "es2022,\(library)",
                Self.folder.appending(path: module).path,
            ])
        #expect(checked.output == "")
        #expect(checked.status == 0)
    }

    @Test func `fit into their budget of bytes`() async throws {
        let house = try webHouse.get()
        let page = try await house.client.exchange("GET", "/?t=acme")
        let modules = Set(page.text.matches(of: /\/assets\/[a-z-]+-[0-9a-f]{16}\.js/).map { String($0.0) })
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".js") }
        #expect(modules.count == files.count - 1, "all but the worker")
        var sum = 0
        for path in modules.union(["/worker.js"]) {
            let answer = try await house.client.exchange("GET", path, headers: ["Accept-Encoding": "gzip"])
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "text/javascript; charset=utf-8")
            // The client has decoded the body. The smallest are not compressed.
            sum += try #require(answer.headers["content-length"].flatMap { Int($0) })
        }
        #expect(sum <= 30 << 10, "the modules have \(sum) bytes")
    }
}
