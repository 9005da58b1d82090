//! Reads a trace file of any format: strictly, or leniently with everything counted.

use std::collections::BTreeMap;
use std::path::Path;

use schedulers::Cost;

use super::format::{Format, FormatOptions, Parsed, Parser, Problem, Row};
use super::lines::{Bytes, Lines, open};
use super::zipf::Zipf;
use super::{Columns, FORMATS, Job, SwfCost, TimeUnit, Trace, TraceBuilder, servegen};
use records::error::BadInput;

/// How a file is read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The format's name; `None` looks at the file.
    pub format: Option<String>,
    /// Sorts jobs that go back in time and skips lines that cannot be read, counting both.
    pub lenient: bool,
    /// Reads so many jobs at most. Comments and skipped lines do not count.
    pub jobs_max: Option<usize>,
    /// Column names of generic formats.
    pub columns: Columns,
    /// In what unit generic formats count time.
    pub time_unit: TimeUnit,
    /// What an SWF job costs.
    pub swf_cost: SwfCost,
    /// How long a unit of cost takes; `None` leaves it to the trace, or to the format's default.
    pub service_us_per_unit: Option<u64>,
    /// By which arrivals are compressed in time; more than 0.
    pub speed_up: f64,
    /// How many tenants are drawn for a trace that names none.
    pub zipf_tenants: u32,
    /// Of everything that is drawn.
    pub seed: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            lenient: false,
            jobs_max: None,
            columns: Columns::default(),
            time_unit: TimeUnit::default(),
            swf_cost: SwfCost::default(),
            service_us_per_unit: None,
            speed_up: 1.0,
            zipf_tenants: 100,
            seed: 0,
        }
    }
}

/// A trace that was read, and what was done to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Source {
    /// The jobs.
    pub trace: Trace,
    /// The format's name.
    pub format: &'static str,
    /// What a unit of cost is.
    pub cost_unit: &'static str,
    /// Where the tenants come from, in words.
    pub tenants_from: String,
    /// Lines that were skipped, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// Jobs that arrived before the job on the line before.
    pub reordered: u64,
}

/// Reads a file, or a directory or archive of `ServeGen` clients.
///
/// # Errors
///
/// With the file and line, if anything in it makes no sense, or no job is left.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Source, BadInput> {
    if path.is_dir() {
        return servegen::read_directory(path, options);
    }
    let (head, bytes) = open(path)?;
    if options
        .format
        .as_deref()
        .map_or(servegen::is_archive(&head), |name| name == servegen::NAME)
    {
        return servegen::read_file(path, &head, bytes, options);
    }
    let format = choose(path, &head, options)?;
    Reading::new(format, options).read(path, bytes)
}

/// Finishes a trace: from its first arrival on, faster than life if asked.
pub(super) fn finish(
    path: &Path,
    mut builder: TraceBuilder,
    options: &ReadOptions,
) -> Result<Trace, BadInput> {
    builder.start_at_zero();
    builder.speed_up(options.speed_up);
    builder.truncate(options.jobs_max.unwrap_or(usize::MAX));
    builder
        .finish()
        .map_err(|error| BadInput::new(format!("{}: {error}", path.display())))
}

/// Every format, by the name that `--format` takes.
#[must_use]
pub fn format_names() -> Vec<&'static str> {
    let names = FORMATS.iter().map(|format| format.name);
    names.chain([servegen::NAME]).collect()
}

fn choose(path: &Path, head: &[u8], options: &ReadOptions) -> Result<&'static Format, BadInput> {
    if let Some(name) = &options.format {
        return FORMATS
            .iter()
            .find(|format| format.name == name)
            .ok_or_else(|| {
                BadInput::new(format!(
                    "no format {name}: choose one of {}",
                    format_names().join(", ")
                ))
            });
    }
    // A mark or a pointer is told apart when the first line is read.
    let head = String::from_utf8_lossy(head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head));
    if head.starts_with("version https://git-lfs") {
        return Ok(&FORMATS[0]);
    }
    FORMATS
        .iter()
        .find(|format| (format.recognises)(&head))
        .ok_or_else(|| {
            BadInput::new(format!(
                "{}:1: the format is not recognised: name it with --format ({})",
                path.display(),
                format_names().join(", ")
            ))
        })
}

/// A file that is being read.
struct Reading<'a> {
    format: &'static Format,
    options: &'a ReadOptions,
    parser: Box<dyn Parser>,
    zipf: Zipf,
    builder: TraceBuilder,
    /// Whether jobs name their tenant, as the first one did or did not.
    names_tenants: Option<bool>,
    skipped: BTreeMap<&'static str, u64>,
    reordered: u64,
    last_arrival_us: u64,
}

impl<'a> Reading<'a> {
    fn new(format: &'static Format, options: &'a ReadOptions) -> Self {
        let format_options = FormatOptions {
            columns: options.columns.clone(),
            time_unit: options.time_unit,
            swf_cost: options.swf_cost,
        };
        Self {
            format,
            options,
            parser: (format.parser)(&format_options),
            zipf: Zipf::new(options.zipf_tenants, options.seed),
            builder: TraceBuilder::new(),
            names_tenants: None,
            skipped: BTreeMap::new(),
            reordered: 0,
            last_arrival_us: 0,
        }
    }

    fn read(mut self, path: &Path, bytes: Bytes) -> Result<Source, BadInput> {
        let mut lines = Lines::new(path.display().to_string(), bytes, self.options.lenient);
        let jobs_max = self.options.jobs_max.unwrap_or(usize::MAX);
        while self.builder.len() < jobs_max {
            let Some(line) = lines.next_line()? else {
                break;
            };
            let outcome = match self.parser.parse(line) {
                Ok(Parsed::Job(row)) => self.add(row),
                Ok(Parsed::Nothing) => Ok(()),
                Ok(Parsed::Unknown(reason)) => {
                    self.skip(reason);
                    Ok(())
                }
                Err(problem) => Err(problem),
            };
            match outcome {
                Err(problem)
                    if self.options.lenient
                        && problem.kind != FATAL
                        && problem.kind != super::format::NO_COLUMN =>
                {
                    self.skip(problem.kind);
                }
                Err(problem) => return Err(lines.error(&problem.detail)),
                Ok(()) => {}
            }
        }
        if self.builder.is_empty() {
            let skipped: u64 = self.skipped.values().sum();
            return Err(lines.error(&format!(
                "the file ends without a job ({skipped} lines were skipped)"
            )));
        }
        Ok(Source {
            trace: finish(path, self.builder, self.options)?,
            format: self.format.name,
            cost_unit: self.format.cost_unit,
            tenants_from: if self.names_tenants == Some(false) {
                let ReadOptions {
                    zipf_tenants, seed, ..
                } = self.options;
                format!(
                    "a draw, as the trace names none: by Zipf's rule over {zipf_tenants} tenants, seed {seed}"
                )
            } else {
                "the trace".to_owned()
            },
            skipped: self.skipped,
            reordered: self.reordered,
        })
    }

    fn skip(&mut self, reason: &'static str) {
        *self.skipped.entry(reason).or_default() += 1;
    }

    fn add(&mut self, row: Row) -> Result<(), Problem> {
        let Row {
            arrival_us,
            tenant,
            cost,
            service_us,
        } = row;
        let cost_units = u32::try_from(cost).map_err(|_| {
            Problem::new("absurd cost", format!("a cost of {cost} is beyond 32 bits"))
        })?;
        let service_us = match (self.options.service_us_per_unit, service_us) {
            (None, Some(service_us)) => service_us,
            (per_unit, _) => {
                cost.saturating_mul(per_unit.unwrap_or(self.format.service_us_per_unit))
            }
        };
        if *self.names_tenants.get_or_insert(tenant.is_some()) != tenant.is_some() {
            return Err(Problem::new(
                "tenant in some jobs only",
                "the first job names its tenant or names none, and this one differs".to_owned(),
            ));
        }
        if arrival_us < self.last_arrival_us {
            if !self.options.lenient {
                return Err(Problem::new(
                    "time goes back",
                    format!(
                        "time goes back by {} us: sort the file, or read it with --lenient",
                        self.last_arrival_us - arrival_us
                    ),
                ));
            }
            self.reordered += 1;
        }
        self.last_arrival_us = arrival_us;
        let name = tenant.unwrap_or_else(|| format!("zipf {}", self.zipf.draw()));
        let fatal = |error: BadInput| Problem::new(FATAL, error.to_string());
        let tenant = self.builder.tenant(&name).map_err(fatal)?;
        let cost = Cost::new(cost_units);
        self.builder
            .add(Job {
                arrival_us,
                service_us,
                tenant,
                cost,
            })
            .map_err(fatal)
    }
}

/// The kind of problem that no leniency gets over: there is too much of everything.
const FATAL: &str = "too large";
