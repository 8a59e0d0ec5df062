import Dispatch
import Foundation
import Synchronization
import TestThreads
import Testing

@testable import KithClient
import KithServer

/// One installation for the sign-ins of this suite.
private let house = Result { try SignInHouse() }

@Suite(.mayBlock, .timeLimit(.minutes(10))) struct `KithClient's sign-in` {
    /// A person's client, with a network of its own.
    private struct Device {
        let house: SignInHouse
        let number: String
        let proxy: FaultyProxy
        let storage = FileStorage.temporary()
        let kith: Kith

        /// Signs in with a code.
        init(_ house: SignInHouse) async throws {
            self.house = house
            number = SignInHouse.number()
            proxy = try FaultyProxy(before: house.client)
            kith = Kith(server: proxy.url, tenant: "acme", storage: storage)
            let code = try await house.code(to: number)
            try await kith.signIn(code: code, sentTo: .phone(number))
        }

        /// The client of another launch of the app.
        func launch() -> Kith { Kith(server: proxy.url, tenant: "acme", storage: storage) }

        var accessToken: String { kith.http?.sessions.credentials?.accessToken ?? "" }

        /// The requests for new tokens so far.
        var refreshes: Int { proxy.requests.count { $0.contains("/v1/auth/refresh") } }

        /// Lets the server's clock pass the end of the access token, and the client hear of it.
        func outliveToken() async throws {
            proxy.moveClock(by: 3600)
            _ = try await kith.api.getMe()
        }

        /// Waits until the server knows no such token any more.
        func isEnded(_ token: String) async throws {
            while try await house.status(of: token) != 401 { try await Task.sleep(for: .milliseconds(50)) }
        }
    }

    @Test func `gets new tokens once, however many calls wait for them, by the server's clock`() async throws {
        let device = try await Device(house.get())
        try await device.outliveToken()
        #expect(device.refreshes == 0)
        let kith = device.kith
        let ids = try await withThrowingTaskGroup(of: UUID.self) { group in
            for _ in 0..<20 { group.addTask { try await kith.api.getMe().id } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ids.count == 20 && Set(ids) == [kith.session?.userID])
        #expect(device.refreshes == 1)
        // The next launch has the new tokens.
        #expect(try await device.launch().api.getMe().id == ids.first)
        #expect(device.refreshes == 1)
    }

    @Test func `goes on after the answer with the new tokens was lost`() async throws {
        let device = try await Device(house.get())
        try await device.outliveToken()
        let tries = Atomic(0)
        device.proxy.behave { line in
            line.contains("refresh") && tries.add(1, ordering: .relaxed).newValue == 1 ? .loseAnswer : .none
        }
        _ = try await device.kith.api.getMe()
        #expect(device.refreshes == 2)
    }

    @Test func `ends at once when the person signs out while new tokens are on their way`() async throws {
        let device = try await Device(house.get())
        try await device.outliveToken()
        let (arrived, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        device.proxy.behave { line in
            guard line.contains("refresh") else { return .none }
            arrived.signal()
            goesOn.wait()
            return .none
        }
        let (kith, token) = (device.kith, device.accessToken)
        let calling = Task { try await kith.api.getMe() }
        arrived.wait()
        try kith.signOut()
        #expect(kith.session == nil)
        goesOn.signal()
        // The proxy no longer holds up what follows.
        goesOn.signal()
        await #expect { try await calling.value } throws: { ($0 as? KithProblem)?.code.rawValue == "unauthenticated" }
        #expect(kith.session == nil)
        #expect(device.launch().session == nil)
        try await device.isEnded(token)
    }

    @Test(arguments: [FaultyProxy.Fault.page, .gateway, .drop])
    func `ends by no page of a hotel, no fault of a server and no lack of a network`(
        fault: FaultyProxy.Fault
    ) async throws {
        let device = try await Device(house.get())
        try await device.outliveToken()
        device.proxy.behave { _ in fault }
        let refusal = await #expect(throws: KithProblem.self) { try await device.kith.api.getMe() }
        #expect([.notFromKith, .unreachable].contains(refusal?.code))
        let session = try #require(device.kith.session)
        // The app is there at launch, without a network.
        #expect(device.launch().session == session)
        device.proxy.behave { _ in .none }
        #expect(try await device.kith.api.getMe().id == session.userID)
    }

    @Test func `ends when the server says so`() async throws {
        let device = try await Device(house.get())
        let answer = try await device.house.client.send(
            "POST", "/v1/auth/sign-out", #"{"everywhere":true}"#, as: device.accessToken)
        #expect(answer.status == 204)
        await #expect { try await device.kith.api.getMe() } throws: {
            ($0 as? KithProblem)?.code.rawValue == "unauthenticated"
        }
        #expect(device.kith.session == nil)
        #expect(device.launch().session == nil)
    }

    @Test func `ends without a network, and the server hears of it at a later launch`() async throws {
        let device = try await Device(house.get())
        let token = device.accessToken
        device.proxy.behave { _ in .drop }
        #expect(try device.kith.signOut().isEmpty)
        #expect(device.kith.session == nil)
        #expect(try await device.house.status(of: token) == 200)
        device.proxy.behave { _ in .none }
        let later = device.launch()
        #expect(later.session == nil)
        try await device.isEnded(token)
        while later.http?.sessions.revocations.isEmpty == false { try await Task.sleep(for: .milliseconds(50)) }
    }
}
