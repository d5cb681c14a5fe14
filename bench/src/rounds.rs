//! Measuring in turn, and what is made of the times.

use std::fs;
use std::hint::black_box;
use std::time::Instant;

/// Runs each contestant once a round, one after the other, so that a busy moment hits all of them: the seconds of each, by
/// round. What a contestant returns is dropped after its time was taken. The first round warms up and does not count.
pub fn in_turn<T>(rounds: usize, contestants: &mut [&mut dyn FnMut() -> T]) -> Vec<Vec<f64>> {
    let mut seconds = vec![Vec::with_capacity(rounds); contestants.len()];
    for round in 0..=rounds {
        for (contestant, seconds) in contestants.iter_mut().zip(&mut seconds) {
            let start = Instant::now();
            let result = black_box(contestant());
            let time = start.elapsed().as_secs_f64();
            drop(result);
            if round > 0 {
                seconds.push(time);
            }
        }
    }
    seconds
}

/// What each of the first values is, as a multiple of its counterpart among the second.
pub fn shares(values: &[f64], of: &[f64]) -> Vec<f64> {
    values.iter().zip(of).map(|(value, of)| value / of).collect()
}

/// The value in the middle; not a number if there is none.
pub fn median(values: Vec<f64>) -> f64 {
    percentile(values, 50)
}

/// The value that so many of a hundred do not exceed; not a number if there is none.
pub fn percentile(mut values: Vec<f64>, percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let rank = (values.len() * percent).div_ceil(100).max(1);
    values.get(rank - 1).copied().unwrap_or(f64::NAN)
}

/// The load average of the last minute.
pub fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_other_ranks() {
        for (values, percent, expected) in [
            (vec![3.0, 1.0, 2.0], 50, 2.0),
            (vec![4.0, 1.0, 3.0, 2.0], 50, 2.0),
            ((1..=100).map(f64::from).collect(), 99, 99.0),
            (vec![7.0], 99, 7.0),
            (vec![7.0, 8.0], 0, 7.0),
        ] {
            assert_eq!(percentile(values, percent), expected);
        }
        assert!(median(Vec::new()).is_nan());
    }

    #[test]
    fn contestants_run_in_turn_and_the_first_round_does_not_count() {
        let order = std::cell::RefCell::new(String::new());
        let times = in_turn(2, &mut [&mut || order.borrow_mut().push('a'), &mut || order.borrow_mut().push('b')]);
        assert_eq!(*order.borrow(), "ababab");
        assert_eq!(times.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
    }
}
