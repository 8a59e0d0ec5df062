/// A queue in a ring buffer. Taking from the front moves nothing, and after it has grown it does not allocate.
struct Deque<Element> {
    private var ring: [Element?] = Array(repeating: nil, count: 8)
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The element at `position`, counted from the front.
    subscript(position: Int) -> Element {
        get { ring[place(position)]! }
        set { ring[place(position)] = newValue }
    }

    var first: Element? { count == 0 ? nil : ring[head] }

    mutating func append(_ element: Element) {
        if count == ring.count { grow() }
        ring[place(count)] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = ring[head].take()
        head = (head + 1) & (ring.count - 1)
        count -= 1
        return element
    }

    /// Removes and returns all elements, in order.
    mutating func takeAll() -> [Element] {
        var all: [Element] = []
        all.reserveCapacity(count)
        while let element = popFirst() { all.append(element) }
        return all
    }

    /// Removes and returns the elements for which `isWanted` is true, in order. The rest keep their order.
    mutating func take(where isWanted: (Element) -> Bool) -> [Element] {
        var taken: [Element] = []
        for element in takeAll() {
            if isWanted(element) { taken.append(element) } else { append(element) }
        }
        return taken
    }

    /// The index in the ring. The mask works because the capacity is a power of two.
    private func place(_ position: Int) -> Int { (head + position) & (ring.count - 1) }

    private mutating func grow() {
        let held = (0..<count).map { ring[place($0)] }
        ring = held + Array(repeating: nil, count: held.count)
        head = 0
    }
}
