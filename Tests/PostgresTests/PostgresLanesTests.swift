import TestThreads
import Testing

@testable import Postgres

@Suite(.mayBlock) struct `The lanes of a process with several pools` {
    @Test func `stay whole for a single pool`() {
        let share = PostgresLanes().share(of: 1, isFirst: true)
        #expect(share.connections == PostgresLanes().connections)
        #expect(share.reads.waitingLimit == PostgresLanes().reads.waitingLimit)
    }

    @Test func `are divided, with two or three connections at least in each lane of requests`() {
        var lanes = PostgresLanes()
        lanes.writes.connections = 9
        lanes.reads.connections = 2
        let share = lanes.share(of: 4, isFirst: false)
        #expect(share.writes.connections == 3)
        #expect(share.reads.connections == 2)
        #expect(share.slow.connectionsPerClient == 2)
        #expect(share.writes.waitingLimit == lanes.writes.waitingLimit / 4)
        #expect(share.events.connections == 2)
    }

    @Test func `have one connection for heartbeats in all`() {
        #expect(PostgresLanes().share(of: 4, isFirst: true).heartbeat.connections == 1)
        #expect(PostgresLanes().share(of: 4, isFirst: false).heartbeat.connections == 0)
    }
}
