//! What is installed, and what becomes of it.

use crate::interop::scenario::Gets::{Done, Lacks, Refused};
use crate::interop::scenario::Step::{Holds, Run, Same, Write};
use crate::interop::scenario::{DONE, Gets, Scenario, Who};

const UP_TO_DATE: &[Gets] = &[Done(&["up to date"])];
const UPDATED: &[Gets] = &[Done(&["Updated"]), Done(&["updated"])];

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        title: "Updating what nobody touched",
        who: Who::Nobody,
        steps: &[
            Run("clawhub install notes", DONE),
            Run("clawhub install team-reef--tools", DONE),
            Run("clawhub update notes", UP_TO_DATE),
            Run("clawhub update team-reef--tools", UP_TO_DATE),
            Run("clawhub update --all", UP_TO_DATE),
            Run(
                "clawhub install @team-reef/tools",
                &[Done(&["Installed"]), Refused(&["Invalid slug"]), Done(&["Installed"])],
            ),
            Run("clawhub update @team-reef/tools", &[Done(&["up to date"]), Lacks, Done(&["up to date"])]),
            Same("skills/@team-reef/tools", "src/v1/tools"),
        ],
    },
    Scenario {
        title: "Updating to a new version",
        who: Who::Nobody,
        steps: &[
            Run("skillhub publish src/v1/diary --namespace @global --version 1.0.0", DONE),
            Run("clawhub install diary", DONE),
            Same("skills/diary", "src/v1/diary"),
            Run("skillhub publish src/v2/diary --namespace @global --version 1.1.0", DONE),
            Run("clawhub update diary", UPDATED),
            Same("skills/diary", "src/v2/diary"),
            Run("clawhub update --all", UP_TO_DATE),
            Run("clawhub update diary --version 1.0.0", UPDATED),
            Same("skills/diary", "src/v1/diary"),
            Run("clawhub update --all", UPDATED),
            Same("skills/diary", "src/v2/diary"),
        ],
    },
    Scenario {
        title: "Keeping a version",
        who: Who::Nobody,
        steps: &[
            Run("skillhub publish src/v1/almanac --namespace @team-reef --scope public --version 1.0.0", DONE),
            Run("clawhub install notes@1.0.0", DONE),
            Run("clawhub install team-reef--almanac@1.0.0", DONE),
            Run("skillhub publish src/v2/almanac --namespace @team-reef --scope public --version 2.0.0", DONE),
            Run("clawhub update --all", UP_TO_DATE),
            Same("skills/notes@1.0.0", "src/v1/notes"),
            Same("skills/team-reef--almanac@1.0.0", "src/v1/almanac"),
            Run("clawhub list", &[Done(&["notes@1.0.0  1.0.0", "team-reef--almanac@1.0.0  1.0.0"])]),
            Run("clawhub install notes --version 1.0.0", DONE),
            Run("clawhub pin notes", &[Done(&["Pinned notes"]), Done(&["Pinned notes"]), Lacks]),
            Run(
                "clawhub update --all",
                &[Done(&["Skipped 1 pinned skill: notes"]), Done(&["Skipped 1 pinned skill: notes"]), Lacks],
            ),
            Same("skills/notes", "src/v1/notes"),
            Run("clawhub update notes", &[Refused(&["is pinned"]), Refused(&["is pinned"]), Lacks]),
            Run("clawhub unpin notes", &[Done(&["Unpinned notes"]), Done(&["Unpinned notes"]), Lacks]),
            Run("clawhub update --all", UPDATED),
            Same("skills/notes", "src/v2/notes"),
            Same("skills/notes@1.0.0", "src/v1/notes"),
        ],
    },
    Scenario {
        title: "Updating what somebody edited",
        who: Who::Nobody,
        steps: &[
            Run("clawhub install notes --version 1.0.0", DONE),
            Write("skills/notes/references/guide.md", "My own way to keep them.\n"),
            Run("clawhub update notes", &[Done(&["local changes (no match). Use --force to overwrite."])]),
            Run("clawhub update --all", &[Done(&["local changes (no match). Use --force to overwrite."])]),
            Holds("skills/notes/references/guide.md", "My own way to keep them."),
            Run("clawhub update notes --force", UPDATED),
            Same("skills/notes", "src/v2/notes"),
        ],
    },
    Scenario {
        title: "Updating a skill with a file that is no text",
        who: Who::Nobody,
        steps: &[
            Run("clawhub install picture", DONE),
            Run("clawhub update --all", UP_TO_DATE),
            Same("skills/picture", "src/v1/picture"),
        ],
    },
];
