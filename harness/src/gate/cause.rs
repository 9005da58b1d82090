//! Why a count rose: the functions that execute more instructions than before.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Serialize;

use super::counting::Counted;
use records::error::BadInput;
use records::number::real;

/// How many functions are named.
const NAMED: usize = 8;

/// Instructions of each function, without those it calls. Code that was inlined counts for the function
/// it is in, under the name of the file it comes from.
type Costs = BTreeMap<String, u64>;

/// Where the instructions of one benchmark rose, and fell.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Cause {
    /// The benchmark.
    pub benchmark: String,
    /// The functions that changed most, most risen first.
    pub functions: Vec<Moved>,
}

/// A function, before and after.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Moved {
    /// Its name, and the file that the instructions come from.
    pub function: String,
    /// Instructions of one operation in it, before.
    pub base: f64,
    /// After.
    pub head: f64,
}

/// Looks for the cause in what valgrind wrote on either side.
///
/// # Errors
///
/// A side has no file of the benchmark, or one that cannot be read.
pub fn cause(
    benchmark: &str,
    operations: u64,
    base: &Counted,
    head: &Counted,
) -> Result<Cause, BadInput> {
    let (before, after) = (costs(base, benchmark)?, costs(head, benchmark)?);
    let each = |costs: &Costs, name: &str| {
        real(costs.get(name).copied().unwrap_or(0)) / real(operations.max(1))
    };
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let mut functions: Vec<Moved> = names
        .into_iter()
        .map(|name| Moved {
            function: name.clone(),
            base: each(&before, name),
            head: each(&after, name),
        })
        .filter(|moved| moved.head.to_bits() != moved.base.to_bits())
        .collect();
    functions.sort_by(|one, other| (other.head - other.base).total_cmp(&(one.head - one.base)));
    functions.truncate(NAMED);
    Ok(Cause {
        benchmark: benchmark.to_owned(),
        functions,
    })
}

/// The folded stacks of a benchmark, for a flamegraph of instructions: function, then file.
///
/// # Errors
///
/// As [`cause`].
pub fn folded(benchmark: &str, counted: &Counted) -> Result<String, BadInput> {
    let costs = costs(counted, benchmark)?;
    let line = |(name, cost): (&String, &u64)| {
        let stack = name.replace(';', ",").replace(FROM, ";");
        format!("{benchmark};{stack} {cost}\n")
    };
    Ok(costs.iter().map(line).collect())
}

/// Between a function and the file that instructions of it come from.
const FROM: &str = ", from ";

fn costs(counted: &Counted, benchmark: &str) -> Result<Costs, BadInput> {
    let mut parts = benchmark.split('/');
    let [operation, scheduler, tenants] = [(); 3].map(|()| parts.next().unwrap_or_default());
    let folder = format!("benches/instructions/{scheduler}/{scheduler}/{operation}.t{tenants}");
    let file = format!("callgrind.{operation}.t{tenants}.out");
    let path = counted.outputs.join(folder).join(file);
    let text = fs::read_to_string(&path)
        .map_err(|error| BadInput::new(format!("{}: {error}", path.display())))?;
    Ok(parse(&text, &counted.source))
}

/// Reads callgrind's format, as far as it is written without compression: `fl=` and `fn=` name a file
/// and a function, `fi=` and `fe=` the file of what is inlined, a line of numbers is a position and its
/// costs, instructions first, and such a line after `calls=` is what a callee costs.
fn parse(text: &str, source: &Path) -> Costs {
    let mut costs = Costs::new();
    let (mut function, mut file) = (String::new(), String::new());
    let mut of_callee = false;
    for line in text.lines() {
        if let Some((key, name)) = line.split_once('=') {
            match key {
                "fn" => name.clone_into(&mut function),
                "fl" | "fi" | "fe" => file = short(name, source),
                "calls" => of_callee = true,
                _ => {}
            }
        } else if line.starts_with(|first: char| first.is_ascii_digit()) {
            let instructions = line
                .split(' ')
                .nth(1)
                .and_then(|number| number.parse().ok());
            if !std::mem::take(&mut of_callee) {
                let name = format!("{function}{FROM}{file}");
                *costs.entry(name).or_insert(0) += instructions.unwrap_or(0);
            }
        }
    }
    costs
}

/// A file's name, the same for two checkouts.
fn short(file: &str, source: &Path) -> String {
    let own = Path::new(file).strip_prefix(source).ok();
    let of_std = file
        .strip_prefix("/rustc/")
        .and_then(|path| path.split_once('/'));
    let of_crate = file
        .split("/registry/src/")
        .nth(1)
        .and_then(|path| path.split_once('/'));
    match (own, of_std.or(of_crate)) {
        (Some(own), _) => own.display().to_string(),
        (_, Some((_, rest))) => rest.to_owned(),
        _ => file.rsplit('/').next().unwrap_or(file).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = "\
# callgrind format
positions: line
events: Ir Dr Dw
summary: 111 5 6

fl=/here/schedulers/src/queue.rs
fn=Queue::take
10 100 5 6
fi=/here/schedulers/src/lanes.rs
11 1
fe=/here/schedulers/src/queue.rs
12 2 1
cfi=/rustc/0123/library/alloc/src/vec.rs
cfn=Vec::push
calls=3 77
13 5000 1 1
14 4

fl=/rustc/0123/library/alloc/src/vec.rs
fn=Vec::push
77 5000 1 1
";

    #[test]
    fn instructions_count_for_the_function_that_executes_them() {
        let costs = parse(WRITTEN, Path::new("/here"));
        let expected = [
            ("Queue::take, from schedulers/src/lanes.rs", 1),
            ("Queue::take, from schedulers/src/queue.rs", 106),
            ("Vec::push, from library/alloc/src/vec.rs", 5_000),
        ];
        let expected = expected.map(|(name, cost)| (name.to_owned(), cost));
        assert_eq!(costs.into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_file_has_the_same_name_in_every_checkout() {
        let short = |file| short(file, Path::new("/a/very/long/path"));
        assert_eq!(
            short("/a/very/long/path/schedulers/src/slab.rs"),
            "schedulers/src/slab.rs"
        );
        let crates = "/home/me/.cargo/registry/src/index-01/parking_lot-0.12.5/src/mutex.rs";
        assert_eq!(short(crates), "parking_lot-0.12.5/src/mutex.rs");
        assert_eq!(short("./csu/../malloc/malloc.c"), "malloc.c");
    }
}
