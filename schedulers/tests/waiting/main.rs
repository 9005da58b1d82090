//! Takes that wait, over every shared scheduler: who is woken, by what, how often, and how it ends.

mod ends;
mod pools;
mod task;
mod wakes;

use std::sync::Arc;

use schedulers::{Cost, Limits, Settings, SharedFairQueue, Tenant, Waiting};

const A: Tenant = Tenant::new(0);
const B: Tenant = Tenant::new(1);

/// A cap on jobs in flight.
fn capped(in_flight_max: u32) -> Limits {
    Limits {
        in_flight_max,
        ..Limits::default()
    }
}

/// Pushes jobs 0, 1, 2, ...
fn push(queue: &impl SharedFairQueue<u64>, tenant: Tenant, jobs: u64) {
    for job in 0..jobs {
        queue.push(tenant, Cost::UNIT, job).expect("no limits");
    }
}

/// Takes a job and completes it.
fn serve(queue: &impl SharedFairQueue<u64>) {
    let taken = queue.take().expect("a job waits");
    queue.complete(taken.ticket, Cost::UNIT);
}

macro_rules! checks {
    ($new:expr => $($file:ident: $($check:ident)*;)*) => {
        $($(#[test]
        fn $check() {
            let queue = Waiting::new($new(&Settings::default()));
            super::$file::$check(&Arc::new(queue));
        })*)*
    };
}

macro_rules! each {
    ($($name:ident: $label:expr => $new:expr,)*) => {
        $(mod $name {
            use super::{Arc, Settings, Waiting};

            checks! {
                $new =>
                wakes:
                    one_job_wakes_one_worker_and_the_next_another
                    a_batch_wakes_as_many_as_it_has_jobs
                    a_slot_that_comes_free_wakes_one
                    a_change_of_limits_wakes_for_what_waits
                    what_makes_nothing_takable_wakes_nobody
                    a_wake_up_for_a_job_that_is_gone_goes_back_to_sleep
                    a_dropped_take_passes_its_wake_up_on
                    completions_before_a_foreign_ticket_wake_too;
                ends:
                    closing_wakes_everyone_and_what_waits_is_drained
                    reclaiming_wakes_everyone
                    jobs_of_a_capped_tenant_are_waited_for
                    whoever_empties_a_closed_queue_wakes_the_others
                    a_timeout_is_not_the_end
                    the_longest_timeout_is_none;
                pools:
                    threads_that_block
                    threads_that_look_up_now_and_then
                    tasks_of_one_thread
                    tasks_of_many_threads
                    tasks_without_a_runtime;
            }
        })*
    };
}

schedulers::for_each_shared_scheduler!(each);
