//! What is still to happen in a simulation, and when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Events to come: the earliest first; at one instant, in the order in which they were noted.
///
/// Note and pop are O(log events).
#[derive(Debug)]
pub(crate) struct Calendar<E> {
    /// Instant, number and event. No two numbers are the same, so events are never compared.
    events: BinaryHeap<Reverse<(u64, u64, E)>>,
    noted: u64,
}

impl<E: Ord> Calendar<E> {
    /// Nothing is to happen.
    pub(crate) const fn new() -> Self {
        Self {
            events: BinaryHeap::new(),
            noted: 0,
        }
    }

    /// Notes an event.
    pub(crate) fn note(&mut self, at_us: u64, event: E) {
        self.events.push(Reverse((at_us, self.noted, event)));
        self.noted += 1;
    }

    /// When the next event happens.
    pub(crate) fn next_us(&self) -> Option<u64> {
        self.events.peek().map(|Reverse((at_us, ..))| *at_us)
    }

    /// Takes the next event off.
    pub(crate) fn pop(&mut self) -> Option<(u64, E)> {
        self.events
            .pop()
            .map(|Reverse((at_us, _, event))| (at_us, event))
    }
}

#[cfg(test)]
mod tests {
    use super::Calendar;

    #[test]
    fn the_earliest_comes_first_and_equals_in_the_order_of_noting() {
        let mut calendar = Calendar::new();
        for (at_us, event) in [(5, 9), (3, 8), (5, 1), (3, 2)] {
            calendar.note(at_us, event);
        }
        assert_eq!(calendar.next_us(), Some(3));
        let order: Vec<_> = std::iter::from_fn(|| calendar.pop()).collect();
        assert_eq!(order, [(3, 8), (3, 2), (5, 9), (5, 1)]);
    }
}
