//! Criterion, once round: every shared contender under one plan with one number of tenants.

use std::cell::OnceCell;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput};
use records::runs::Contended;

use crate::sizes::Sizes;
use crate::timed::contender::Entry;
use crate::timed::round::time;
use crate::timed::shared::contender::{SharedContender, SharedVisitor, for_each_shared_contender};
use crate::timed::shared::plan::{Plan, SAMPLES};
use crate::timed::shared::trial::{Rules, SharedTrial};
use crate::timed::trial::float;
use crate::workload::Workload;

/// Measures a plan with each number of tenants.
pub fn measure(
    criterion: &mut Criterion,
    plan: Plan,
    tenants: &[u32],
    sizes: &Sizes,
    rules: &Rules,
) -> Vec<Contended> {
    let name = plan.name();
    let mut group = criterion.benchmark_group(&name);
    group
        .sampling_mode(SamplingMode::Flat)
        .throughput(Throughput::Elements(1));
    let samples = if sizes.smoke {
        sizes.samples
    } else {
        let sample_time = plan.sample_time(rules.cores.len());
        group
            .sample_size(SAMPLES)
            .warm_up_time(2 * sample_time)
            .measurement_time(sample_time.mul_f64(float(SAMPLES as u64)));
        SAMPLES
    };
    let mut contended = Vec::new();
    for &tenants in tenants {
        for_each_shared_contender(&mut SharedRound {
            group: &mut group,
            name: &name,
            plan,
            tenants,
            samples,
            rules,
            workload: OnceCell::new(),
            contended: &mut contended,
        });
    }
    group.finish();
    contended
}

struct SharedRound<'a, 'c> {
    group: &'a mut BenchmarkGroup<'c, WallTime>,
    name: &'a str,
    plan: Plan,
    tenants: u32,
    samples: usize,
    rules: &'a Rules,
    /// Made when the first contender is selected, and the same for all.
    workload: OnceCell<Workload>,
    contended: &'a mut Vec<Contended>,
}

impl SharedVisitor for SharedRound<'_, '_> {
    fn visit<C: SharedContender>(&mut self, entry: &Entry, build: impl Fn(u32, usize) -> C) {
        let (plan, tenants, samples) = (self.plan, self.tenants, self.samples);
        let workload = || self.workload.get_or_init(|| plan.workload(tenants));
        let make = || {
            let workload = workload();
            let jobs_max = plan.jobs_max(workload);
            let build = &build;
            SharedTrial::new(plan, workload, move || build(tenants, jobs_max), self.rules)
        };
        let id = BenchmarkId::new(&entry.name, tenants);
        let name = format!("{}/{}/{tenants}", self.name, entry.name);
        let Some((outcome, trial)) = time(self.group, id, &name, samples, make) else {
            return; // not selected, or run once as a test
        };
        let trial = trial.as_ref();
        self.contended.push(Contended {
            shape: plan.shape,
            contender: entry.name.clone(),
            is_floor: entry.is_floor,
            threads: plan.threads,
            oversubscribed: plan.threads > self.rules.cores.len(),
            batch: plan.batch,
            tenants,
            workload: workload().fingerprint().hex(),
            noise: trial.and_then(SharedTrial::noise),
            floor_ratio: None,
            failed_takes: trial.map_or(0.0, |trial| trial.failed_takes(samples)),
            void_samples: trial.map_or(0, |trial| trial.void_samples(samples)),
            outcome,
            wait: trial.and_then(|trial| trial.wait(samples)),
        });
    }
}
