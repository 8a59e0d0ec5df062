import Crypto
import Foundation
import Testing

@Suite struct `The SCRAM verifier of a password` {
    @Test func `is PostgreSQL's for the example of RFC 7677`() throws {
        let salt = Array(try #require(Data(base64Encoded: "W22ZaJ0SNY7soEsUEjb6gQ==")))
        #expect(
            try scramVerifier(of: "pencil", salt: salt)
                == "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
        )
    }
}
