internal import Foundation

/// The name of this process within the installation: host and process id.
enum Instance {
    static let name = "\(ProcessInfo.processInfo.hostName):\(ProcessInfo.processInfo.processIdentifier)"
}
