//! A few things at a time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// How many transfers run at the same time.
const WORKERS: usize = 4;

/// Works on all items, a few at a time; hands on and answers in the order of the items.
pub(crate) fn in_order<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync, hand_on: impl Fn(&R)) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..WORKERS.min(items.len()) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                while let Some((index, item)) = take(next, items) {
                    if sender.send((index, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        sort(receiver, hand_on)
    })
}

fn take<'a, T>(next: &AtomicUsize, items: &'a [T]) -> Option<(usize, &'a T)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    items.get(index).map(|item| (index, item))
}

/// Collects what arrives in any order, and hands each on when all before it have arrived.
fn sort<R>(arrivals: mpsc::Receiver<(usize, R)>, hand_on: impl Fn(&R)) -> Vec<R> {
    let (mut waiting, mut done) = (BTreeMap::new(), Vec::new());
    for (index, result) in arrivals {
        waiting.insert(index, result);
        while let Some(result) = waiting.remove(&done.len()) {
            hand_on(&result);
            done.push(result);
        }
    }
    done
}
