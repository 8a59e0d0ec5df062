/// A credential of a user.
public struct AccessToken: Codable, Sendable {
    /// What goes into `Authorization: Bearer`.
    public var accessToken: String
    /// Seconds until it ends.
    public var expiresIn: Int

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case expiresIn = "expires_in"
    }
}
