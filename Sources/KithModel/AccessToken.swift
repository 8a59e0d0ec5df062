/// An access token of a user.
public struct AccessToken: Codable, Sendable {
    /// The token, for `Authorization: Bearer`.
    public var accessToken: String
    /// Seconds until the token expires.
    public var expiresIn: Int

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case expiresIn = "expires_in"
    }
}
