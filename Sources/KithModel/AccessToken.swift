/// An access token of a user.
public struct AccessToken: Codable, Sendable {
    /// The token, for `Authorization: Bearer`.
    public var accessToken: String
    /// The scheme of the access token: `Bearer`.
    public var tokenType: String
    /// Seconds until the token expires.
    public var expiresIn: Int

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
    }
}
