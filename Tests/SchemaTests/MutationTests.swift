import Foundation
import TestThreads
import Testing

/// `make mutate` takes minutes and is run by hand. What it takes for a change of a function is tested here.
@Suite(.mayBlock) struct `The changes of functions` {
    @Test func `change a rule and leave everything else`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let process = Process()
        process.executableURL = root.appending(path: "Mutation/run")
        process.arguments = ["--check-the-changes"]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
