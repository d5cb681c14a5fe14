//! The proxy itself: that faults are what they are called, and that the log tells what happened.

use std::time::Duration;

use skillhub_store::Patience;
use skillhub_tests::in_process::{InProcess, TEST_PATIENCE};
use skillhub_tests::proxy::{Call, Chaos, Fault, Operation, every, nth};
use skillhub_tests::skill::Skill;

/// Status as the store gave it, if it was asked; and the attempt.
fn told(calls: &[Call]) -> Vec<(u32, Option<u16>)> {
    calls.iter().map(|call| (call.attempt, call.answer.map(|answer| answer.status))).collect()
}

#[tokio::test]
async fn each_fault_costs_one_attempt_and_is_carried_out_or_not() {
    let registry = InProcess::start().await;
    let skill = registry.publish(&Skill::new("hello", "x")).await.published.unwrap();
    let read = async || registry.table().skill(&skill.skill_id).await;
    let cases = [
        (Fault::Unavailable, None),
        (Fault::Throttled, None),
        (Fault::ResetBefore, None),
        (Fault::FailedAfterwards, Some(200)),
        (Fault::ResetAfterwards, Some(200)),
        (Fault::Truncated, Some(200)),
    ];
    for (fault, status) in cases {
        registry.proxy.inject(nth(Operation::GetItem, 1), fault);
        registry.proxy.take_attempts();
        assert!(read().await.unwrap().is_some(), "{fault:?}");
        let attempts = registry.proxy.take_attempts();
        assert_eq!(told(&attempts), [(1, status), (2, Some(200))], "{fault:?}");
        assert_eq!(attempts[0].fault, Some(fault));
        assert_eq!(attempts[0].invocation, attempts[1].invocation);
        registry.proxy.clear();
    }
    registry.proxy.inject(every(Operation::GetItem), Fault::Throttled);
    let refused = read().await.unwrap_err();
    assert!(refused.is_transient(), "{refused}");
    assert_eq!(told(&registry.proxy.take_attempts()), [(1, None), (2, None), (3, None)]);
}

#[tokio::test]
async fn an_answer_that_comes_after_the_time_out_finds_nobody_and_its_call_is_carried_out_all_the_same() {
    let patience = Patience { attempt: Duration::from_millis(300), ..TEST_PATIENCE };
    let registry = InProcess::start_with(patience).await;
    for fault in [Fault::Late(Duration::from_millis(900)), Fault::AnsweredLate(Duration::from_millis(900))] {
        let (id, _) = registry.upload(&Skill::new("hello", "x")).await;
        registry.proxy.inject(nth(Operation::DeleteObject, 1), fault);
        registry.proxy.take_attempts();
        registry.objects().delete_staging(&id).await.unwrap();
        registry.proxy.idle().await;
        assert_eq!(told(&registry.proxy.take_attempts()), [(1, Some(204)), (2, Some(204))], "{fault:?}");
    }
}

#[tokio::test]
async fn an_upload_that_is_truncated_on_the_way_to_the_validator_is_no_verdict() {
    let registry = InProcess::start().await;
    let (id, _) = registry.upload(&Skill::new("hello", "x")).await;
    registry.proxy.inject(nth(Operation::GetObject, 1), Fault::Truncated);
    let error = registry.validate(&id).await.unwrap_err();
    assert!(error.is_transient(), "{error}");
}

#[tokio::test]
async fn the_same_seed_is_the_same_weather() {
    let registry = InProcess::start().await;
    let mut runs = Vec::new();
    for seed in [1, 1, 2] {
        registry.proxy.rain(Chaos { seed, one_in: 3, faults: vec![Fault::Unavailable, Fault::FailedAfterwards] });
        registry.proxy.take_attempts();
        for _ in 0..12 {
            let _weather = registry.table().due_sessions(registry.clock.now(), 1).await;
        }
        let attempts = registry.proxy.take_attempts();
        runs.push(attempts.iter().map(|call| call.fault).take(12).collect::<Vec<_>>());
        registry.proxy.clear();
    }
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0], runs[2]);
    assert!(runs[0].iter().any(Option::is_some), "{runs:?}");
}
