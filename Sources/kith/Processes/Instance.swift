internal import Foundation

/// What names this process among all of an installation's: host and process id.
enum Instance {
    static let name = "\(ProcessInfo.processInfo.hostName):\(ProcessInfo.processInfo.processIdentifier)"
}
