import Foundation
import Testing

@testable import KithClient

@Suite("The state of a session") struct SessionStateTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func credentials(_ token: String = "a1", endsIn seconds: TimeInterval? = 900) -> Credentials {
        Credentials(
            signIn: UUID(), userID: UUID(), accessToken: token, refreshToken: "r1", expiresAt: seconds.map { now + $0 })
    }

    private let renewed = SessionState.Outcome.renewed(accessToken: "a2", refreshToken: "r2", expiresAt: nil)

    @Test func `a token is used until a minute before its end, and renewed once however many ask`() {
        let alice = credentials()
        var state = SessionState(alice)
        #expect(state.token(for: alice.signIn, at: now + 839) == .use("a1"))
        #expect(state.token(for: alice.signIn, at: now + 841) == .refresh(alice))
        for _ in 0..<3 { #expect(state.token(for: alice.signIn, at: now + 841) == .wait) }
        guard case .renewed(let new) = state.refreshed(renewed, with: alice) else { return #expect(Bool(false)) }
        #expect(new.refreshToken == "r2")
        #expect(state.token(for: alice.signIn, at: now + 841) == .use("a2"))
    }

    @Test func `a refused token is renewed, but not the one that replaced it meanwhile`() {
        let alice = credentials()
        var state = SessionState(alice)
        #expect(state.token(for: alice.signIn, rejecting: "a0", at: now) == .use("a1"))
        #expect(state.token(for: alice.signIn, rejecting: "a1", at: now) == .refresh(alice))
    }

    @Test func `a sign-out during the renewal wins, and the new tokens end with it`() {
        let alice = credentials()
        var state = SessionState(alice)
        _ = state.token(for: alice.signIn, rejecting: "a1", at: now)
        #expect(state.signOut() == alice)
        guard case .orphaned(let new) = state.refreshed(renewed, with: alice) else { return #expect(Bool(false)) }
        #expect(new.accessToken == "a2")
        #expect(state.credentials == nil)
    }

    @Test func `a refusal of the former sign-in does not end the next one`() {
        let (alice, bob) = (credentials(), credentials("b1"))
        var state = SessionState(alice)
        _ = state.token(for: alice.signIn, rejecting: "a1", at: now)
        state.signIn(bob)
        #expect(state.refreshed(.refused, with: alice) == .unchanged)
        #expect(state.credentials == bob)
        #expect(state.token(for: alice.signIn, at: now) == .signedOut)
        #expect(state.token(for: bob.signIn, at: now) == .use("b1"))
    }

    @Test func `a refusal of tokens that another process has renewed does not sign out`() {
        let old = credentials()
        var state = SessionState(old)
        var new = old
        new.accessToken = "a2"
        state.adopt(new)
        #expect(state.refreshed(.refused, with: old) == .unchanged)
        #expect(state.credentials == new)
    }

    @Test func `only a refusal signs out`() {
        let alice = credentials()
        var state = SessionState(alice)
        _ = state.token(for: alice.signIn, rejecting: "a1", at: now)
        #expect(state.refreshed(.failed, with: alice) == .unchanged)
        #expect(state.credentials == alice)
        #expect(state.token(for: alice.signIn, rejecting: "a1", at: now) == .refresh(alice))
        #expect(state.refreshed(.refused, with: alice) == .ended)
        #expect(state.token(for: alice.signIn, at: now) == .signedOut)
    }

    @Test func `a token that could not be renewed serves until its end`() {
        let alice = credentials()
        let state = SessionState(alice)
        #expect(state.lastToken(for: alice.signIn, rejecting: nil, at: now + 870) == "a1")
        #expect(state.lastToken(for: alice.signIn, rejecting: nil, at: now + 901) == nil)
        #expect(state.lastToken(for: alice.signIn, rejecting: "a1", at: now) == nil)
        #expect(state.lastToken(for: UUID(), rejecting: nil, at: now) == nil)
    }
}
