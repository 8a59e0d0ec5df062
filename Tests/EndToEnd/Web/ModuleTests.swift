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

    /// Hours before and after now. The device's clock is at 0 when the check-in is sent.
    @Test(arguments: [
        ("a clock that is right", "{device: -2, offset: 0, since: -20}", "0", "-2"),
        ("one that was never heard", "{device: -2, offset: null, since: -20}", "-9", "-11"),
        ("ahead at the tap, set right since", "{device: 1, offset: 0, since: -8.5}", "0", "-8.5"),
        ("ahead at the tap and still", "{device: -8, offset: 0, since: -20}", "-9", "-17"),
        ("set ahead after the tap", "{device: -17, offset: 0, since: -20}", "-9", "-20"),
        (
            "set back after the tap, as the page has seen", "{device: -1, offset: 0, since: -8.5, isDoubtful: true}",
            "0", "-8.5"
        ),
        ("a clock that began in 1970", "{device: -400000, offset: 0, since: -20}", "0", "-20"),
        ("half a minute ahead", "{device: 1 / 120, offset: 0, since: -20}", "0", "0"),
        ("nothing known", "{device: 1, offset: null, since: null}", "0", "null"),
    ])
    func `claim of a kept tap no more than is certain`(
        name: String, tap: String, now: String, moment: String
    ) throws {
        let outbox = Self.folder.appending(path: "outbox.js").path
        let script = """
            const file = (await import("node:fs")).readFileSync("\(outbox)");
            const { momentOf } = await import("data:text/javascript;base64," + file.toString("base64"));
            const hour = 3600_000;
            const tap = \(tap);
            for (const name of ["device", "offset", "since"]) if (tap[name] !== null) tap[name] *= hour;
            const moment = momentOf({ isDoubtful: false, ...tap }, \(now) * hour, 0);
            console.log(String(moment === null ? null : moment / hour));
            """
        let answer = try Tool.run(
            URL(filePath: "/usr/bin/node"), ["--input-type=module", "--eval", script])
        #expect(answer.output == moment + "\n", "\(name)")
        #expect(answer.status == 0)
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
