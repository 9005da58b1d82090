//! Each of several things once, for the rows and columns of tables.

/// In the order in which they are first seen. O(n d) for d different ones: tables are small.
pub(super) fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for item in items {
        if !seen.contains(&item) {
            seen.push(item);
        }
    }
    seen
}
