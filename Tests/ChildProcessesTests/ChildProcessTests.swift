import ChildProcesses
import Foundation
import Synchronization
import Testing

@Suite struct `A child process` {
    private let file = FileManager.default.temporaryDirectory.appending(path: "kith-child-\(UUID().uuidString)")

    /// Runs a script of the shell; its status and what it wrote.
    private func run(
        _ script: String, environment: [String: String]? = nil, folder: String? = nil,
        input: ChildProcess.Stream = .null
    ) throws -> (status: Int32, output: String) {
        defer { try? FileManager.default.removeItem(at: file) }
        let child = try ChildProcess(
            ["sh", "-c", script], environment: environment, folder: folder, input: input, output: .file(file.path))
        let status = child.wait()
        #expect(!child.isRunning)
        return (status, try String(contentsOf: file, encoding: .utf8))
    }

    @Test func `returns its exit status or the signal that ended it`() throws {
        #expect(try run("exit 7").status == 7)
        #expect(try run("kill -TERM $$").status == -SIGTERM)
    }

    @Test func `writes both streams to one file, or each to its own`() throws {
        #expect(try run("echo out; echo err >&2").output == "out\nerr\n")
        let child = try ChildProcess(["sh", "-c", "echo out; echo err >&2"], output: .null, errors: .file(file.path))
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(child.wait() == 0)
        #expect(try String(contentsOf: file, encoding: .utf8) == "err\n")
    }

    @Test func `has the environment, folder and input that it is given`() throws {
        #expect(try run("echo $A$HOME", environment: ["A": "b", "PATH": "/usr/bin:/bin"]).output == "b\n")
        #expect(try run("pwd", folder: "/usr").output == "/usr\n")
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("a line".utf8))
        try pipe.fileHandleForWriting.close()
        #expect(try run("cat", input: .descriptor(pipe.fileHandleForReading.fileDescriptor)).output == "a line")
    }

    @Test func `leads a session of its own and takes signals as usual`() throws {
        // A shell does not undo that a signal is ignored from the start.
        signal(SIGPIPE, SIG_IGN)
        defer { signal(SIGPIPE, SIG_DFL) }
        #expect(try run("kill -PIPE $$").status == -SIGPIPE)
        #expect(try run("test $(ps -o sid= -p $$) = $$ && echo leader").output == "leader\n")
    }

    @Test func `that is missing cannot be started`() {
        let failure = #expect(throws: ChildProcessError.self) {
            try ChildProcess(["/nowhere/at-all"], output: .null)
        }
        #expect(failure?.description == "cannot run /nowhere/at-all: No such file or directory")
    }

    @Test func `is killed, and its end noticed by every thread that waits`() async throws {
        let child = try ChildProcess(["sleep", "3600"], output: .null)
        #expect(child.isRunning)
        let waiting = (0..<3).map { _ in Task.detached { child.wait() } }
        child.kill()
        for task in waiting { #expect(await task.value == -SIGKILL) }
        // Its identifier may now be another process's.
        child.signal(SIGKILL)
    }

    @Test func `inherits nothing that another thread opens meanwhile`() throws {
        let hasEnded = Atomic(false)
        let opener = Thread {
            var pipes: [Pipe] = []
            while !hasEnded.load(ordering: .relaxed) {
                pipes.append(Pipe())
                if pipes.count > 40 { pipes.removeAll() }
            }
        }
        opener.start()
        defer { hasEnded.store(true, ordering: .relaxed) }
        for _ in 0..<100 {
            // The fourth is the folder that `ls` reads.
            #expect(try run("exec ls /proc/self/fd").output == "0\n1\n2\n3\n")
        }
    }
}
