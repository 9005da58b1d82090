//! Another process that has sides, and is told when each of them has its turn.

use std::cell::RefCell;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::thread;

use super::side::{Fault, Order, Ready, Reply, Sample, Side};
use records::runs::State;

/// A process with sides, of a copy of its program. When it is dropped it ends, and the copy is gone.
#[derive(Debug)]
pub(super) struct Worker {
    copy: PathBuf,
    process: Child,
    orders: Option<ChildStdin>,
    replies: BufReader<ChildStdout>,
}

impl Worker {
    /// Starts a copy of a program, of another ending, with one side for each contender, and waits until all
    /// have passed their audits.
    pub(super) fn start(
        (program, fault): (&Path, Option<&str>),
        ending: &str,
        contenders: &[&str],
        state: State,
        tenants: u32,
    ) -> Result<(Self, Ready), Fault> {
        let failed =
            |error: io::Error| Fault::Unmeasured(format!("{}: {error}", program.display()));
        let copy = program.with_extension(ending);
        let _ = fs::remove_file(&copy); // to be another file, and not this one written over
        fs::copy(program, &copy).map_err(failed)?;
        let mut command = Command::new(&copy);
        command
            .envs(fault.map(|fault| ("SELF_TEST_FAULT", fault)))
            .args(["--state", state.name(), "--tenants", &tenants.to_string()])
            .args(contenders)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let process = loop {
            match command.spawn() {
                // What another thread has just started has the copy open until it runs its own program.
                Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                    thread::yield_now();
                }
                started => break started,
            }
        };
        let mut process = process.map_err(failed)?;
        let orders = process.stdin.take();
        let replies = BufReader::new(process.stdout.take().expect("it was asked to be piped"));
        let mut worker = Self {
            copy,
            process,
            orders,
            replies,
        };
        match worker.reply()? {
            Reply::Ready(ready) if ready.batches.len() == contenders.len() => Ok((worker, ready)),
            reply => Err(unexpected(&reply)),
        }
    }

    fn ask(&mut self, order: Order) -> Result<Reply, Fault> {
        let line = serde_json::to_string(&order).expect("an order is JSON") + "\n";
        let orders = self.orders.as_mut().expect("open until it is dropped");
        let asked = orders.write_all(line.as_bytes());
        asked.map_err(|error| Fault::Unmeasured(format!("the worker is gone: {error}")))?;
        self.reply()
    }

    fn reply(&mut self) -> Result<Reply, Fault> {
        let mut line = String::new();
        let read = self.replies.read_line(&mut line);
        let gone = || Fault::Unmeasured("the worker ended without a word".to_owned());
        if read.map_err(|_| gone())? == 0 {
            return Err(gone());
        }
        match serde_json::from_str(&line) {
            Ok(Reply::Fault(fault)) => Err(fault),
            Ok(reply) => Ok(reply),
            Err(error) => Err(Fault::Unmeasured(format!(
                "the worker said {line:?}: {error}"
            ))),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.orders.take()); // it ends when there can be no more orders
        let _ = self.process.wait();
        let _ = fs::remove_file(&self.copy);
    }
}

/// One side in another process.
#[derive(Debug)]
pub(super) struct Remote {
    pub(super) worker: Rc<RefCell<Worker>>,
    /// Which of the worker's.
    pub(super) index: usize,
}

impl Remote {
    fn ask(&self, order: Order) -> Result<Reply, Fault> {
        self.worker.borrow_mut().ask(order)
    }

    fn done(&self, order: Order) -> Result<(), Fault> {
        match self.ask(order)? {
            Reply::Done => Ok(()),
            reply => Err(unexpected(&reply)),
        }
    }
}

impl Side for Remote {
    fn build(&mut self, batches: u64) -> Result<(), Fault> {
        self.done(Order::Build(self.index, batches))
    }

    fn run(&mut self) -> Result<Sample, Fault> {
        match self.ask(Order::Run(self.index))? {
            Reply::Ran(sample) => Ok(sample),
            reply => Err(unexpected(&reply)),
        }
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.done(Order::Close(self.index))
    }
}

fn unexpected(reply: &Reply) -> Fault {
    Fault::Unmeasured(format!("the worker answered another question: {reply:?}"))
}
