//! The name of a function, short enough to read in a picture.

/// The name without the paths of modules and without generic arguments, but with the type and the trait
/// that tell one implementation from another: `<ActiveList as Discipline>::select`.
///
/// ```
/// use harness::flame::readable;
/// let name = "<schedulers::tenant_queue::TenantQueue<D,J> as schedulers::queue::FairQueue<J>>::take";
/// assert_eq!(readable(name), "<TenantQueue as FairQueue>::take");
/// assert_eq!(readable("core::mem::replace::<u64>"), "mem::replace");
/// ```
#[must_use]
pub fn readable(name: &str) -> String {
    let name = without_arguments(name);
    let (mut short, mut path) = (String::new(), String::new());
    for character in name.chars() {
        if "<> ,&()[]*;".contains(character) {
            short += &short_path(&path);
            path.clear();
            short.push(character);
        } else {
            path.push(character);
        }
    }
    short += &short_path(&path);
    // An inherent method: `<Vec>::push`.
    match short
        .strip_prefix('<')
        .and_then(|rest| rest.split_once('>'))
    {
        Some((own, method)) if !own.contains(" as ") => format!("{own}{method}"),
        _ => short,
    }
}

/// Whether the function is one of this project, and not of a library under it, whatever it is called with.
pub(super) fn is_ours(name: &str) -> bool {
    let name = without_arguments(name);
    let crates = ["schedulers::", "benches::", "harness::"];
    crates.iter().any(|path| name.contains(path))
}

/// The name without generic arguments. The brackets of `<Type as Trait>` stay: they open where no name
/// stands before.
fn without_arguments(name: &str) -> String {
    let mut kept = String::new();
    let mut depth = 0;
    for character in without_hash(name).chars() {
        let follows_name = !kept.is_empty() && !kept.ends_with(['<', ' ', '&', '(', ',']);
        match character {
            '<' if depth > 0 || follows_name => depth += 1,
            '>' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            other => kept.push(other),
        }
    }
    kept
}

/// The name without the hash that ends a mangled one.
fn without_hash(name: &str) -> &str {
    let is_hash = |text: &str| text.len() == 17 && text.starts_with('h');
    match name.rsplit_once("::") {
        Some((name, hash)) if is_hash(hash) => name,
        _ => name,
    }
}

/// A path from its first type on; a free function with the module that it is in.
fn short_path(path: &str) -> String {
    if path.starts_with("::") {
        return path.to_owned(); // it goes on after `<Type as Trait>`
    }
    let segments: Vec<&str> = path
        .split("::")
        .filter(|segment| !segment.is_empty())
        .collect();
    let is_type = |segment: &&str| segment.starts_with(char::is_uppercase);
    let first = segments.iter().position(is_type);
    let first = first.unwrap_or(segments.len().saturating_sub(2));
    segments[first..].join("::")
}

#[cfg(test)]
mod tests {
    use super::{is_ours, readable};

    #[test]
    fn a_library_function_is_not_ours_for_being_called_with_a_type_of_ours() {
        let vector = "<alloc::vec::Vec<schedulers::Node> as core::ops::Index<usize>>::index";
        let ours = "<schedulers::slab::Slab<u64> as core::ops::Index<usize>>::index";
        assert!(!is_ours(vector) && is_ours(ours));
        assert!(!is_ours(
            "<alloc::collections::BTreeMap<u64, schedulers::Tenant>>::insert"
        ));
    }

    #[test]
    fn types_and_traits_stay_and_everything_else_goes() {
        for (name, short) in [
            (
                "<schedulers::discipline::active_list::ActiveList as schedulers::discipline::Discipline>::select",
                "<ActiveList as Discipline>::select",
            ),
            (
                "benches::driver::Driver<benches::contender::Scheduler<schedulers::TenantQueue<R, u64>>>::cycle",
                "Driver::cycle",
            ),
            (
                "schedulers::slab::Slab<T>::free::h0123456789abcdef",
                "Slab::free",
            ),
            (
                "core::ptr::drop_in_place::<alloc::vec::Vec<u64>>",
                "ptr::drop_in_place",
            ),
            (
                "benches::timed::clock::timed::{{closure}}",
                "timed::{{closure}}",
            ),
            ("<u64 as core::hash::Hash>::hash", "<u64 as Hash>::hash"),
            ("malloc", "malloc"),
            (
                "<alloc::vec::Vec<(benches::Arrival, u64)>>::push",
                "Vec::push",
            ),
            ("", ""),
        ] {
            assert_eq!(readable(name), short, "{name}");
        }
    }
}
