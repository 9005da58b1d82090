//! A whole comparison: the program, A/A, A/B, and the rerun if there is need of one.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use super::blocks::{Observed, Same, pairs};
use super::checkout::{Checkout, build};
use super::interval::Ratio;
use super::record::PairRecord;
use super::side::Fault;
use super::verdict::{Verdict, is_beyond};
use super::worker::{Remote, Worker};
use records::error::BadInput;
use records::runs::{self, State};

/// The program that has the sides.
const WORKER: &str = "pair-worker";

/// A worker program, of one commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// What it was built from: twelve digits of a commit, or `working tree`.
    pub of: String,
    path: PathBuf,
    fault: Option<String>,
}

impl Program {
    /// Builds it from the working tree.
    ///
    /// # Errors
    ///
    /// It does not compile.
    pub fn of_working_tree() -> Result<Self, BadInput> {
        Self::built("working tree", &runs::root(), None)
    }

    /// Builds it from the working tree, with a fault of the self-test of the gate.
    ///
    /// # Errors
    ///
    /// It does not compile.
    pub(crate) fn at_fault(fault: &str) -> Result<Self, BadInput> {
        Self::built("working tree at fault", &runs::root(), Some(fault))
    }

    /// Builds it from a commit.
    ///
    /// # Errors
    ///
    /// The commit has no such program, or it does not compile.
    pub fn of_commit(checkout: &Checkout) -> Result<Self, BadInput> {
        Self::built(&checkout.commit()[..12], checkout.folder(), None)
    }

    fn built(of: &str, source: &std::path::Path, fault: Option<&str>) -> Result<Self, BadInput> {
        let path = runs::target()
            .join("pair")
            .join(format!("{WORKER}-{}", of.replace(' ', "-")));
        let features: &[&str] = if fault.is_some() { &["self-test"] } else { &[] };
        build(source, WORKER, features, &path)?;
        Ok(Self {
            of: of.to_owned(),
            path,
            fault: fault.map(str::to_owned),
        })
    }
}

/// Who is compared with whom, and at what.
#[derive(Clone, Debug)]
pub struct Contest<'a> {
    /// The first side: a program, and the name of a contender in it.
    pub a: (&'a Program, &'a str),
    /// The second side.
    pub b: (&'a Program, &'a str),
    /// What they do.
    pub state: State,
    /// With how many tenants.
    pub tenants: u32,
    /// How many blocks.
    pub blocks: u32,
    /// Of the bootstrap.
    pub seed: u64,
}

/// Compares: A/A for the noise floor, A/B, and A/B again where the first was beyond the limit. Two
/// contenders of one program run in one process; those of two programs in two, both pinned to one core,
/// which take turns, and so for A/A. `block_done` is called after each block.
///
/// Each pair of blocks is of new processes, of new copies of their programs. Where the system puts a process'
/// memory stays for its life and moves its time: two processes of one program were apart by 0.4 to 20 % here,
/// with narrow intervals. So does the file of a program, for as long as it is in memory: two copies of one
/// were apart by 7 % in 3 of 50 comparisons, and no two in 50 by 5 % where they were copied anew. Anew for
/// each pair, it is noise among the rest, which the interval tells (Curtsinger and Berger, Stabilizer, 2013).
///
/// # Errors
///
/// A side was wrong, the sides of two commits did not do the same, or there was no way to measure.
pub fn contest(contest: &Contest<'_>, mut block_done: impl FnMut()) -> Result<PairRecord, Fault> {
    let Contest {
        a,
        b,
        state,
        tenants,
        blocks,
        seed,
    } = *contest;
    let apart = a.0 != b.0;
    let mut seen = None;
    let mut measure = |a: (&Program, &str), b: (&Program, &str)| -> Result<Ratio, Fault> {
        let same = if a.1 == b.1 { Same::Order } else { Same::Count };
        let mut observed = Observed::none(same);
        let mut batches = None;
        for _ in 0..pairs(blocks) {
            let mut meeting = Meeting::of(a, b, apart, (state, tenants))?;
            let batches = *batches.get_or_insert(meeting.batches);
            let [a, b] = &mut meeting.sides;
            observed.pair((a, b), batches, &mut block_done)?;
            seen = Some((meeting.affinity, meeting.workloads));
        }
        Ok(observed.ratio(seed))
    };
    let a_a = measure(a, a)?;
    let ratio = measure(a, b)?;
    let rerun = if is_beyond(a_a.noise(), &ratio) {
        Some(measure(a, b)?)
    } else {
        None
    };
    let (affinity, mut workloads) = seen.expect("measured above");
    workloads.dedup();
    let name = |(program, contender): (&Program, &str)| {
        if apart {
            format!("{contender} of {}", program.of)
        } else {
            contender.to_owned()
        }
    };
    let record = PairRecord {
        a: name(a),
        b: name(b),
        state,
        tenants,
        affinity,
        workloads,
        blocks: pairs(blocks) * 2,
        seed,
        a_a,
        noise_floor: 0.0,
        limit: 0.0,
        ratio,
        rerun,
        verdict: Verdict::Inconclusive,
    };
    Ok(record.concluded())
}

/// Two sides, ready to take turns.
struct Meeting {
    sides: [Remote; 2],
    /// How many batches make a run of either.
    batches: u64,
    /// The fingerprints of their workloads.
    workloads: Vec<String>,
    /// The core that they run on.
    affinity: String,
}

impl Meeting {
    /// Starts both sides, in one process or in one each.
    fn of(
        a: (&Program, &str),
        b: (&Program, &str),
        apart: bool,
        (state, tenants): (State, u32),
    ) -> Result<Self, Fault> {
        let start = |program: &Program, ending: &str, contenders: &[&str]| {
            let at_fault = (program.path.as_path(), program.fault.as_deref());
            Worker::start(at_fault, ending, contenders, state, tenants)
                .map(|(worker, ready)| (Rc::new(RefCell::new(worker)), ready))
        };
        let (sides, ready) = if apart {
            let (of_a, of_b) = (start(a.0, "a", &[a.1])?, start(b.0, "b", &[b.1])?);
            let side = |worker| Remote { worker, index: 0 };
            ([side(of_a.0), side(of_b.0)], vec![of_a.1, of_b.1])
        } else {
            let (worker, ready) = start(a.0, "a", &[a.1, b.1])?;
            let side = |index| Remote {
                worker: Rc::clone(&worker),
                index,
            };
            ([side(0), side(1)], vec![ready])
        };
        let affinity = ready[0].affinity.clone();
        let batches = ready.iter().flat_map(|ready| &ready.batches);
        let batches = batches.copied().min().unwrap_or(1);
        let workloads: Vec<String> = ready
            .into_iter()
            .flat_map(|ready| ready.workloads)
            .collect();
        if a.1 == b.1 && workloads.iter().any(|workload| *workload != workloads[0]) {
            return Err(Fault::Unmeasured(
                "the commits do not make the same workload from the same seed".to_owned(),
            ));
        }
        Ok(Self {
            sides,
            batches,
            workloads,
            affinity,
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A worker that writes down each of its starts, and says that each run took so many nanoseconds.
    fn program(folder: &std::path::Path, of: &str, ns: u32) -> Program {
        let path = folder.join(of);
        let script = format!(
            r#"#!/bin/sh
echo {of} >> {starts}
echo '{{"ready":{{"affinity":"core 0","batches":[1],"workloads":["w"]}}}}'
while read -r order; do
    case "$order" in
    *run*) echo '{{"ran":{{"elapsed_ns":{ns},"operations":100,"jobs":100,"checksum":1}}}}' ;;
    *) echo '"done"' ;;
    esac
done
"#,
            starts = folder.join("starts").display()
        );
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Program {
            of: of.to_owned(),
            path,
            fault: None,
        }
    }

    /// Two processes of one program were up to 20 % apart for as long as they lived, and two copies of it up
    /// to 7 % for as long as they lay where they lay.
    #[test]
    fn each_pair_of_blocks_is_of_new_processes_and_leaves_no_copy() {
        let folder = std::env::temp_dir().join(format!("contest-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let (base, same) = (
            program(&folder, "base", 1_000),
            program(&folder, "same", 1_000),
        );
        let slower = program(&folder, "slower", 1_200);
        let against = |head: &Program| {
            let _ = fs::remove_file(folder.join("starts"));
            let (a, b) = ((&base, "queue"), (head, "queue"));
            let (state, tenants, blocks, seed) = (State::Steady, 10, 6, 0);
            let record = contest(
                &Contest {
                    a,
                    b,
                    state,
                    tenants,
                    blocks,
                    seed,
                },
                || (),
            );
            let starts = fs::read_to_string(folder.join("starts")).unwrap();
            let of = |name: &str| starts.lines().filter(|line| *line == name).count();
            (record.unwrap().verdict, of("base"), of(&head.of))
        };
        // Three pairs of blocks: base against itself, then the head; and again where it is slower.
        assert_eq!(against(&same), (Verdict::Within, 6 + 3, 3));
        assert_eq!(against(&slower), (Verdict::Slower, 6 + 3 + 3, 3 + 3));
        let left = fs::read_dir(&folder).unwrap().count();
        assert_eq!(left, 4, "three programs, and what they wrote down");
        fs::remove_dir_all(&folder).unwrap();
    }
}
