//! Every scheduler of the registry, and the naive queue, under every law: owned, shared through a
//! lock, and with takes that can wait. A line of the registry is all that a new scheduler needs to be here.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use schedulers::laws::{Effort, Job, LAWS, Naive, Subject, check_same};
use schedulers::{Lowered, Waiting};

/// What all tests of this file together go through at least.
const OPERATIONS_MIN: u64 = 1_000_000;

/// Operations so far, and how many subjects went through them.
static OPERATIONS: AtomicU64 = AtomicU64::new(0);
static SUBJECTS: AtomicU64 = AtomicU64::new(0);

/// All laws for an owned queue.
fn hold_owned(subject: &Subject) {
    hold(subject, Effort::from_environment());
}

/// All laws for a queue behind a lock: its order is that of the owned one, so what is new here are
/// the two adapters, which take few operations to see.
fn hold_shared(subject: &Subject) {
    let Effort {
        operations, seed, ..
    } = Effort::from_environment();
    hold(subject, Effort::new(operations.min(2_000), seed));
}

/// The last subject of a whole run counts the operations of all.
fn hold(subject: &Subject, effort: Effort) {
    let mut operations = 0;
    for law in LAWS {
        match law.check(subject, &effort) {
            Ok(checked) => operations += checked,
            Err(violation) => panic!("{violation}"),
        }
    }
    let total = OPERATIONS.fetch_add(operations, Ordering::SeqCst) + operations;
    if SUBJECTS.fetch_add(1, Ordering::SeqCst) + 1 == subjects() {
        let seed = effort.seed;
        // Straight to the terminal, as the test harness keeps what a passing test prints.
        let line = format!(
            "{} laws held for {total} operations, seed {seed}\n",
            LAWS.len()
        );
        io::stderr()
            .write_all(line.as_bytes())
            .expect("standard error is open");
        assert!(
            total >= OPERATIONS_MIN,
            "only {total} operations were checked"
        );
    }
}

/// Each scheduler with one owner, and the model.
mod owned {
    use super::*;

    macro_rules! each {
        ($($name:ident => $new:expr,)*) => {
            $(#[test]
            fn $name() {
                hold_owned(&Subject {
                    name: stringify!($name),
                    new: |settings| Box::new($new(settings)),
                });
            })*

            pub(super) const SUBJECTS: u64 = [$(stringify!($name)),*].len() as u64;
        };
    }

    macro_rules! with_naive {
        ($($name:ident => $new:expr,)*) => {
            each! {
                $($name => $new,)*
                naive => Naive::<Job>::new,
            }
        };
    }

    schedulers::for_each_scheduler!(with_naive);
}

/// Each scheduler with many owners, of whom one is here.
mod shared {
    use super::*;

    macro_rules! each {
        ($($name:ident: $label:expr => $new:expr,)*) => {
            $(#[test]
            fn $name() {
                hold_shared(&Subject {
                    name: $label,
                    new: |settings| Box::new(Lowered($new(settings))),
                });
            })*

            pub(super) const SUBJECTS: u64 = [$($label),*].len() as u64;
        };
    }

    schedulers::for_each_shared_scheduler!(each);
}

/// Each of them again, with takes that could wait.
mod waiting {
    use super::*;

    macro_rules! each {
        ($($name:ident: $label:expr => $new:expr,)*) => {
            $(#[test]
            fn $name() {
                hold_shared(&Subject {
                    name: concat!("waiting ", $label),
                    new: |settings| Box::new(Lowered(Waiting::new($new(settings)))),
                });
            })*

            pub(super) const SUBJECTS: u64 = [$($label),*].len() as u64;
        };
    }

    schedulers::for_each_shared_scheduler!(each);
}

fn subjects() -> u64 {
    owned::SUBJECTS + shared::SUBJECTS + waiting::SUBJECTS
}

mod order {
    use super::*;
    use schedulers::{
        TenantQueue,
        discipline::{Rotation, ScanAll},
    };

    const SCAN_ALL: Subject = Subject {
        name: "scan_all",
        new: |settings| Box::new(TenantQueue::<ScanAll, _>::new(settings)),
    };

    fn same_as_scan_all(other: &Subject) {
        if let Err(violation) = check_same(&SCAN_ALL, other, &Effort::from_environment()) {
            panic!("{violation}");
        }
    }

    #[test]
    fn rotation_has_the_order_of_scan_all() {
        same_as_scan_all(&Subject {
            name: "rotation",
            new: |settings| Box::new(TenantQueue::<Rotation, _>::new(settings)),
        });
    }

    #[test]
    fn naive_has_the_order_of_scan_all() {
        same_as_scan_all(&Subject {
            name: "naive",
            new: |settings| Box::new(Naive::new(settings)),
        });
    }
}
