//! What every model owes its reader: one seed is one run, and nothing that makes no sense is played.

use clap::Args;
use harness::tail::{
    Canary, FanOut, GoodEnough, Hedge, LeafKind, Model, Neighbours, Partitions, Percentiles,
    Probation, Quorum, Replicas, Tie,
};

use super::{SEED, given, play};

#[test]
fn a_seed_is_a_whole_run() {
    fn alike<M: Model + Args>(flags: &str) {
        let run = |seed| {
            let record = given::<M>(flags).play(seed).expect("sound parameters");
            serde_json::to_string(&record).expect("a record is JSON")
        };
        assert_eq!(run(7), run(7), "{}", M::VERB);
        assert_ne!(run(7), run(8), "{}", M::VERB);
    }
    alike::<FanOut>("--trials 50");
    alike::<Hedge>("--trials 500");
    alike::<Tie>("--trials 200");
    alike::<Partitions>("--trials 1 --machines 10");
    alike::<Replicas>("--trials 1");
    alike::<Probation>("--trials 500");
    alike::<GoodEnough>("--trials 50");
    alike::<Canary>("--trials 50");
    alike::<Quorum>("--trials 50");
    alike::<Neighbours>("--servers 4 --noisy-servers 1 --duration-us 500000");
}

/// What makes no sense together is refused in a sentence, and so is what would never end.
#[test]
fn contradictions_and_absurd_sizes_are_refused() {
    fn refused<M: Model + Args>(flags: &str, says: &str) {
        match given::<M>(flags).play(SEED) {
            Ok(_) => panic!("{} {flags:?} was played", M::VERB),
            Err(error) => assert!(error.to_string().contains(says), "{flags:?}: {error}"),
        }
    }
    refused::<GoodEnough>("--leaves 10 --enough 11", "--enough 1 to 10");
    refused::<Canary>("--leaves 1 --canaries 2", "--canaries 0 to 1");
    refused::<Neighbours>("--servers 10 --noisy-servers 11", "--noisy-servers 0 to 10");
    refused::<Neighbours>("--servers 10 --widths 1,11", "--widths 1 to 10");
    refused::<Neighbours>("--service-us 1 --duration-us 1000000000000", "too many");
    refused::<Tie>("--trials 1000000000", "too many");
    refused::<Tie>("--load 1e-300", "simulated time");
    refused::<Tie>("--stale-us 1 --trials 1000000", "--stale-us");
    refused::<Probation>("--load 1e-300", "simulated time");
    refused::<Probation>("--interval-us 1", "--interval-us");
    refused::<FanOut>("--leaves 1000000", "--trials");
    refused::<Hedge>("--trials 18446744073709551615", "--trials");
    refused::<Partitions>("--machines 10000 --per-machine 1000", "--trials");
    refused::<Replicas>("--trials 18446744073709551615", "--trials");
    refused::<Quorum>("--trials 18446744073709551615", "--trials");
}

#[test]
fn extremes_that_are_no_mistake_have_answers() {
    play::<Hedge>("--delay-us 18446744073709551615 --trials 100");
    play::<Hedge>("--slow-probability 1 --trials 100");
    play::<GoodEnough>("--slow-probability 1 --enough 1 --trials 100");
    play::<Quorum>("--replicas 99 --trials 10");
    play::<Replicas>("--partitions 1 --machines 2 --trials 3");
    play::<Partitions>("--machines 2 --per-machine 1 --trials 3");
    play::<Tie>("--servers 2 --workers 1000 --trials 100 --heavy-load 1e-300");
    play::<Tie>(
        "--trials 50 --service-us 1000000000 --heavy-service-us 1000000000 --message-us 1000000000 --stale-us 0",
    );
    play::<Probation>("--servers 2 --trials 100 --slowdown 1000 --shadow-of 1");
    play::<Neighbours>("--servers 2 --noisy-servers 0 --duration-us 100000");
    play::<Neighbours>("--servers 2 --noisy-servers 2 --duration-us 1 --load 1e-300");
    let nothing = play::<Canary>("--poison-probability 1 --trials 5");
    assert_eq!(nothing.rows[0].simulated, Percentiles::default());
    assert_eq!(LeafKind::Fitted, given::<Hedge>("--leaf fitted").leaf);
}
