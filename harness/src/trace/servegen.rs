//! `ServeGen` client files: a seeded generator of requests.
//!
//! From Y. Xiang et al., "`ServeGen`", 2025. Each client has a file; a line is a window of 600 s: its
//! start in seconds, requests per second, the gaps' coefficient of variation, their distribution
//! (Gamma, Weibull, or empty when idle), and its shape and scale. The client is the tenant.
//!
//! In each window we draw as many gaps as requests are expected (the fraction left over is one more
//! with that probability), of the given distribution and shape, and one more; together they are
//! stretched to fill the window. So the rate is the file's, and the burstiness is the shape's; the
//! file's scale cancels out. A request costs 1.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Gamma, Weibull};
use rand_xoshiro::Xoshiro256PlusPlus;
use schedulers::Cost;

use super::format::{duration_us, number};
use super::lines::{Bytes, Lines};
use super::read::{ReadOptions, Source, finish};
use super::{JOBS_MAX, Job, TraceBuilder};
use records::error::BadInput;
use records::number::{real, round};

pub(super) const NAME: &str = "servegen";
const WINDOW_S: f64 = 600.0;
const SERVICE_US_PER_UNIT: u64 = 100_000;
/// Where a tar archive says that it is one.
const TAR_MAGIC: std::ops::Range<usize> = 257..262;
/// All client files of an archive together; more is something else.
const ARCHIVE_BYTES_MAX: u64 = 1 << 26;

/// Whether content that begins so is a tar archive.
pub(super) fn is_archive(head: &[u8]) -> bool {
    head.get(TAR_MAGIC) == Some(b"ustar")
}

/// Reads an archive of client files, or a single one.
pub(super) fn read_file(
    path: &Path,
    head: &[u8],
    bytes: Bytes,
    options: &ReadOptions,
) -> Result<Source, BadInput> {
    if !is_archive(head) {
        let name = path
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        return generate(
            path,
            vec![Client {
                name,
                file: path.display().to_string(),
                bytes,
            }],
            options,
        );
    }
    let broken = |error: std::io::Error| {
        BadInput::new(format!(
            "{}:1: the archive cannot be read: {error}",
            path.display()
        ))
    };
    let (mut clients, mut bytes_left) = (Vec::new(), ARCHIVE_BYTES_MAX);
    let mut archive = tar::Archive::new(bytes);
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let member = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if !entry.header().entry_type().is_file() || !is_client(&member) {
            continue;
        }
        let mut content = Vec::new();
        let read = (&mut entry).take(bytes_left).read_to_end(&mut content);
        bytes_left -= read.map_err(broken)? as u64;
        if bytes_left == 0 {
            return Err(BadInput::new(format!(
                "{}:1: the client files are larger than {ARCHIVE_BYTES_MAX} bytes",
                path.display()
            )));
        }
        clients.push(Client {
            name: member.rsplit('/').next().unwrap_or(&member).to_owned(),
            file: format!("{}/{member}", path.display()),
            bytes: Box::new(Cursor::new(content)),
        });
    }
    generate(path, clients, options)
}

/// Reads a directory of client files.
pub(super) fn read_directory(path: &Path, options: &ReadOptions) -> Result<Source, BadInput> {
    let broken = |error: std::io::Error| {
        BadInput::new(format!("{}: cannot be read: {error}", path.display()))
    };
    let mut clients = Vec::new();
    for entry in std::fs::read_dir(path).map_err(broken)? {
        let entry = entry.map_err(broken)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_client(&name) {
            let file = std::fs::File::open(entry.path()).map_err(broken)?;
            let bytes = BufReader::new(file);
            clients.push(Client {
                name,
                file: entry.path().display().to_string(),
                bytes: Box::new(bytes),
            });
        }
    }
    generate(path, clients, options)
}

fn is_client(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.starts_with("chunk-") && name.ends_with("-trace.csv")
}

/// One client's file.
struct Client {
    name: String,
    /// What errors call it.
    file: String,
    bytes: Box<dyn BufRead>,
}

impl Client {
    /// The number in its name: client 2 comes before client 10.
    fn number(&self) -> u64 {
        let digits: String = self
            .name
            .chars()
            .filter(char::is_ascii_digit)
            .take(9)
            .collect();
        digits.parse().unwrap_or(u64::MAX)
    }
}

fn generate(
    path: &Path,
    mut clients: Vec<Client>,
    options: &ReadOptions,
) -> Result<Source, BadInput> {
    clients.sort_by(|a, b| (a.number(), &a.name).cmp(&(b.number(), &b.name)));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(options.seed);
    let mut builder = TraceBuilder::new();
    for client in clients {
        // Each client draws from a stretch of its own: adding a client changes no other.
        random.jump();
        generate_client(client, &mut random.clone(), &mut builder, options)?;
    }
    if builder.is_empty() {
        return Err(BadInput::new(format!(
            "{}: no requests: it has no files named chunk-N-trace.csv with a window that is not idle",
            path.display()
        )));
    }
    Ok(Source {
        trace: finish(path, builder, options)?,
        format: NAME,
        cost_unit: "request",
        tenants_from: format!(
            "the clients; their requests are drawn with seed {}",
            options.seed
        ),
        skipped: BTreeMap::new(),
        reordered: 0,
    })
}

fn generate_client(
    client: Client,
    random: &mut Xoshiro256PlusPlus,
    builder: &mut TraceBuilder,
    options: &ReadOptions,
) -> Result<(), BadInput> {
    let service_us = options.service_us_per_unit.unwrap_or(SERVICE_US_PER_UNIT);
    let name = format!("client {}", client.number());
    let mut lines = Lines::new(client.file, client.bytes, options.lenient);
    while let Some(line) = lines.next_line()? {
        let window = match Window::parse(line) {
            Ok(Some(window)) => window,
            Ok(None) => continue,
            Err(problem) => return Err(lines.error(&problem)),
        };
        let arrivals = window
            .arrivals(random)
            .map_err(|problem| lines.error(&problem))?;
        let tenant = builder
            .tenant(&name)
            .map_err(|error| lines.error(&error.to_string()))?;
        for arrival_us in arrivals {
            let job = Job {
                arrival_us,
                service_us,
                tenant,
                cost: Cost::UNIT,
            };
            builder
                .add(job)
                .map_err(|error| lines.error(&error.to_string()))?;
        }
    }
    Ok(())
}

/// A window in which requests come.
struct Window {
    start_s: f64,
    requests_expected: f64,
    gaps: Gaps,
}

/// How gaps are distributed; only the shape matters, as they are stretched to the window.
enum Gaps {
    Gamma(Gamma<f64>),
    Weibull(Weibull<f64>),
}

impl Window {
    /// `None` for a blank line and for an idle window.
    fn parse(line: &str) -> Result<Option<Self>, String> {
        if line.trim().is_empty() {
            return Ok(None);
        }
        let fields: Vec<&str> = line.split(',').collect();
        let [start, rate, _variation, distribution, shape, _scale] = fields.as_slice() else {
            return Err(format!("{} fields instead of 6", fields.len()));
        };
        let value = |field, text| number(field, text).map_err(|problem| problem.detail);
        let (start_s, rate) = (value("window start", start)?, value("rate", rate)?);
        duration_us("window start", start_s, 1e6).map_err(|problem| problem.detail)?;
        let distribution = distribution.trim();
        if rate == 0.0 || distribution.is_empty() {
            return Ok(None);
        }
        let shape = value("shape", shape)?;
        let unusable = || format!("shape cannot be {shape}");
        let gaps = match distribution {
            "Gamma" => Gaps::Gamma(Gamma::new(shape, 1.0).map_err(|_| unusable())?),
            "Weibull" => Gaps::Weibull(Weibull::new(1.0, shape).map_err(|_| unusable())?),
            other => {
                return Err(format!(
                    "the distribution is neither Gamma nor Weibull: {other:?}"
                ));
            }
        };
        Ok(Some(Self {
            start_s,
            requests_expected: rate * WINDOW_S,
            gaps,
        }))
    }

    fn arrivals(&self, random: &mut Xoshiro256PlusPlus) -> Result<Vec<u64>, String> {
        if self.requests_expected > real(JOBS_MAX as u64) {
            return Err(format!(
                "{} requests in one window are more than a trace may have",
                self.requests_expected
            ));
        }
        let one_more = random.random::<f64>() < self.requests_expected.fract();
        let requests = round(self.requests_expected.floor()) + u64::from(one_more);
        let mut elapsed = 0.0;
        let ends: Vec<f64> = (0..=requests)
            .map(|_| {
                elapsed += self.gaps.draw(random);
                elapsed
            })
            .collect();
        // Gaps of an extreme shape can all be zero or overflow: then all come as the window opens.
        let stretch = if elapsed > 0.0 && elapsed.is_finite() {
            WINDOW_S / elapsed
        } else {
            0.0
        };
        let all_but_last = ends.iter().take(ends.len() - 1);
        Ok(all_but_last
            .map(|end| round((self.start_s + end.min(f64::MAX) * stretch) * 1e6))
            .collect())
    }
}

impl Gaps {
    fn draw(&self, random: &mut Xoshiro256PlusPlus) -> f64 {
        match self {
            Self::Gamma(gamma) => gamma.sample(random),
            Self::Weibull(weibull) => weibull.sample(random),
        }
    }
}
