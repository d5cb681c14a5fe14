//! Every command and every kind of error, with all that is printed, against the registry: see the files in `scenarios`.

use crate::support::Scenario;

#[test]
fn installing_updating_and_removing() {
    Scenario::play("install.txt");
}

#[test]
fn the_lock_file() {
    Scenario::play("lock.txt");
}

#[test]
fn what_agents_read() {
    Scenario::play("agents.txt");
}

#[test]
fn publishing() {
    Scenario::play("publish.txt");
}

#[test]
fn asking_the_registry() {
    Scenario::play("query.txt");
}

#[test]
fn managing() {
    Scenario::play("manage.txt");
}

#[test]
fn who_one_is_and_what_is_wrong() {
    Scenario::play("account.txt");
}

#[test]
fn every_kind_of_error() {
    Scenario::play("errors.txt");
}
