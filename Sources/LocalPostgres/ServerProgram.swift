import ChildProcesses
import Glibc

/// Runs PostgreSQL's programs and waits for them. They get a minimal environment and run in `/`, so that a server that
/// outlives this process keeps nothing of it open.
enum ServerProgram {
    private static let environment = ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8", "TZ": "UTC"]
        .merging(preloadedClock.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }) { $1 }
    /// The variables that give a process a clock other than the machine's. The server must use the same clock (`make
    /// test-clocks`).
    private static let preloadedClock = ["LD_PRELOAD", "CLOCK_OFFSET"]

    /// Runs a program, with its output appended to the file `output`, and returns its exit status, or the negative
    /// number of the signal that ended it.
    static func run(_ arguments: [String], output: String) throws(LocalPostgresError) -> Int32 {
        do {
            return try ChildProcess(arguments, environment: environment, folder: "/", output: .file(output)).wait()
        } catch {
            throw LocalPostgresError(error.description)
        }
    }
}
