/// The version of this Kith: the same on the command line, in the log's first line, in `/metrics` and in
/// `/openapi.json`.
enum Release {
    /// The release, as `CHANGELOG.md` names it (Semantic Versioning 2.0.0).
    static let version = "0.1.0"
    /// The commit, in twelve digits; empty where the build could not tell.
    static let commit = String(embeddedCommit.prefix(12))
    /// The release with the commit as its build metadata: `0.1.0+907f32312ab4`.
    static let name = commit.isEmpty ? version : "\(version)+\(commit)"
}
