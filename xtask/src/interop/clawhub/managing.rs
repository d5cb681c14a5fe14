//! What happens to skills after their publication, and what this registry has no answer to.

use crate::interop::scenario::Gets::{Done, Lacks, Refused, Without};
use crate::interop::scenario::Step::Run;
use crate::interop::scenario::{DONE, Scenario, Who};

const NO_ROLE: &[&str] = &["Your role does not allow this."];
const NO_VERIFY: &[&str] = &["This registry has no skill cards and no scans to verify."];
const NO_RENAME: &[&str] = &["This registry does not rename skills"];
const NO_MERGE: &[&str] = &["This registry does not merge skills"];
const NO_TRANSFER: &[&str] = &["This registry does not transfer skills"];
const NO_PACKAGES: &[&str] = &["This registry holds skills only"];
const NO_PUBLISHERS: &[&str] = &["Namespaces are made with POST /api/namespaces"];
const NO_SCAN: &[&str] = &["This registry has no scans on demand."];

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        title: "Taking a version away, and back",
        who: Who::Owner,
        steps: &[
            Run("clawhub delete notes --version 1.0.0 --yes", &[Done(&["OK. Deleted notes version 1.0.0"]), Lacks]),
            Run("clawhub install notes@1.0.0", DONE),
            Run("clawhub inspect notes --versions", &[Done(&["1.1.0"])]),
            Run("clawhub undelete notes --version 1.0.0 --yes", &[Done(&["OK. Undeleted notes version 1.0.0"]), Lacks]),
            Run("clawhub delete notes --version 9.9.9 --yes", &[Refused(&["Version not found"]), Lacks]),
            Run("clawhub delete @team-reef/tools --version 1.0.0 --yes", &[Done(&["OK. Deleted"]), Lacks]),
            Run("clawhub undelete @team-reef/tools --version 1.0.0 --yes", &[Done(&["OK. Undeleted"]), Lacks]),
        ],
    },
    Scenario {
        title: "Taking a skill away, and back",
        who: Who::Owner,
        steps: &[
            Run("clawhub delete notes", &[Refused(&["Pass --yes (no input)"])]),
            Run("clawhub delete notes --yes", &[Done(&["OK. Deleted notes"])]),
            Run("clawhub install notes", &[Refused(&["Skill not found"])]),
            // `weekly-notes` stays, so the name alone would not tell.
            Run("clawhub explore --limit 200", &[Without(&["nasty"], &["notes  v1.1.0", "Keeps the notes"])]),
            Run("clawhub search notes", &[Without(&[], &["notes"])]),
            Run("clawhub undelete notes --yes", &[Done(&["OK. Undeleted notes"])]),
            Run("clawhub explore --limit 200", &[Done(&["notes  v1.1.0", "Keeps the notes"])]),
            Run("clawhub search notes", &[Done(&["notes v1.1.0"])]),
            Run("clawhub install notes", DONE),
            Run("clawhub hide nasty --yes", &[Done(&["OK. Hidden nasty"])]),
            Run("clawhub install nasty", &[Refused(&["Skill not found"])]),
            Run("clawhub unhide nasty --yes", &[Done(&["OK. Unhidden nasty"])]),
            Run("clawhub install nasty", DONE),
        ],
    },
    Scenario {
        title: "Tags and stars",
        who: Who::Owner,
        steps: &[
            Run("clawhub skill tag notes 1.0.0 --tag calm --yes", &[Done(&["Set calm for notes to 1.0.0"]), Lacks]),
            Run("clawhub inspect notes --tag calm --files", &[Done(&["references/old.md"]), Lacks]),
            Run("clawhub skill tag notes 1.0.0 --yes", &[Refused(&["latest"]), Lacks]),
            Run(
                "clawhub skill tag notes 9.9.9 --tag calm --yes",
                &[Refused(&["The skill has no such version"]), Lacks],
            ),
            Run("clawhub star notes --yes", &[Done(&["notes"])]),
            Run("clawhub unstar notes --yes", &[Done(&["notes"])]),
            Run("clawhub star nothing --yes", &[Refused(&["Skill not found"])]),
        ],
    },
    Scenario {
        title: "Managing without the right to",
        who: Who::Stranger,
        steps: &[
            Run("clawhub delete notes --version 1.0.0 --yes", &[Refused(NO_ROLE), Lacks]),
            Run("clawhub delete notes --yes", &[Refused(NO_ROLE)]),
            Run("clawhub skill tag notes 1.0.0 --tag mine --yes", &[Refused(NO_ROLE), Lacks]),
            Run("clawhub delete team-reef--plans --version 1.0.0 --yes", &[Refused(&["Skill not found"]), Lacks]),
            Run("clawhub star team-reef--plans --yes", &[Refused(&["Skill not found"])]),
        ],
    },
    Scenario {
        title: "Asking for what is not here",
        who: Who::Owner,
        steps: &[
            Run("clawhub skill verify notes", &[Refused(NO_VERIFY), Refused(NO_VERIFY), Lacks]),
            Run("clawhub skill rename notes jottings --yes", &[Refused(NO_RENAME), Refused(NO_RENAME), Lacks]),
            Run("clawhub skill merge notes nasty --yes", &[Refused(NO_MERGE), Refused(NO_MERGE), Lacks]),
            Run("clawhub transfer list", &[Refused(NO_TRANSFER), Refused(NO_TRANSFER), Lacks]),
            Run("clawhub package explore", &[Refused(NO_PACKAGES), Refused(NO_PACKAGES), Lacks]),
            Run("clawhub publisher create reef", &[Refused(NO_PUBLISHERS), Refused(NO_PUBLISHERS), Lacks]),
            Run("clawhub scan --slug notes", &[Refused(NO_SCAN), Refused(NO_SCAN), Lacks]),
        ],
    },
];
