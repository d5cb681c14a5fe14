//! Vercel's `skills`, which follows the discovery protocol.

use super::scenario::Gets::{Done, Refused};
use super::scenario::Step::{Holds, Remove, Run, Same, SameEach, Write};
use super::scenario::{DONE, Gets, Scenario, Who};

const INSTALLED: &[Gets] = &[Done(&["Installed 1 skill"])];
/// What the first version does not do: its lock file of a project keeps the host alone.
const CANNOT: Gets = Done(&["cannot be updated automatically"]);
/// It says nothing of what is up to date.
const CHECKED: &[Gets] = &[Done(&["Checking 2 skill(s)"]), CANNOT];
/// What each makes of an address without an index.
const NONE: &[Gets] = &[Refused(&["Download failed with HTTP 404"]), Refused(&["No skills found at this URL"])];

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        title: "Adding",
        who: Who::Nobody,
        steps: &[
            Run("skills add $REGISTRY/@global/notes --list", &[Done(&["notes", "Keeps the notes of a voyage."])]),
            Run("skills add $REGISTRY/@global/notes --agent codex --yes", INSTALLED),
            Same(".agents/skills/notes", "src/v2/notes"),
            Run("skills list", &[Done(&["notes"])]),
            Run("skills add $REGISTRY/@global/notes@1.0.0 --agent codex --yes", INSTALLED),
            Same(".agents/skills/notes", "src/v1/notes"),
            Run("skills add $REGISTRY/@team-reef/tools --agent claude-code --yes", INSTALLED),
            Same(".claude/skills/tools", "src/v1/tools"),
            Run("skills add $REGISTRY/@team-reef --skill tools --agent codex --yes", INSTALLED),
            Same(".agents/skills/tools", "src/v1/tools"),
            Run("skills add $REGISTRY/@global/notes --agent codex --global --yes", INSTALLED),
            Same("~/.agents/skills/notes", "src/v2/notes"),
            Run("skills add $REGISTRY/@global/picture --agent codex --yes", INSTALLED),
            Same(".agents/skills/picture", "src/v1/picture"),
            Run("skills add $REGISTRY/@global/nasty --agent codex --yes", INSTALLED),
            Same(".agents/skills/nasty", "src/v1/nasty"),
            Run("skills add $REGISTRY/@global/signs --agent codex --yes", INSTALLED),
            Same(".agents/skills/signs", "src/v1/signs"),
        ],
    },
    Scenario {
        title: "Updating",
        who: Who::Nobody,
        steps: &[
            Run("skillhub publish src/v1/diary --namespace @global --version 1.0.0", DONE),
            Run("skills add $REGISTRY/@global/diary --agent codex --yes", INSTALLED),
            Run("skills add $REGISTRY/@global/notes@1.0.0 --agent codex --yes", INSTALLED),
            Run("skills update --yes", CHECKED),
            Same(".agents/skills/diary", "src/v1/diary"),
            Run("skillhub publish src/v2/diary --namespace @global --version 1.1.0", DONE),
            Run("skills update --yes", &[Done(&["Updated diary"]), CANNOT]),
            SameEach(".agents/skills/diary", &["src/v2/diary", "src/v1/diary"]),
            Same(".agents/skills/notes", "src/v1/notes"),
            Run("skills add $REGISTRY/@global/diary --agent codex --yes", INSTALLED),
            Same(".agents/skills/diary", "src/v2/diary"),
            Run("skills update --yes", CHECKED),
            Same(".agents/skills/diary", "src/v2/diary"),
        ],
    },
    Scenario {
        title: "Updating in the home folder",
        who: Who::Nobody,
        steps: &[
            Run("skillhub publish src/v1/almanac --namespace @global --version 1.0.0", DONE),
            Run("skills add $REGISTRY/@global/almanac --agent codex --global --yes", INSTALLED),
            Run("skills add $REGISTRY/@global/notes@1.0.0 --agent codex --global --yes", INSTALLED),
            Run("skillhub publish src/v2/almanac --namespace @global --version 1.1.0", DONE),
            Run("skills update --global --yes", &[Done(&["Updated almanac"]), Done(&["cannot be"])]),
            SameEach("~/.agents/skills/almanac", &["src/v2/almanac", "src/v1/almanac"]),
            Same("~/.agents/skills/notes", "src/v1/notes"),
        ],
    },
    Scenario {
        title: "Restoring from the lock file",
        who: Who::Nobody,
        steps: &[
            Run("skills add $REGISTRY/@global/notes@1.0.0 --agent codex --yes", INSTALLED),
            Run("skills add $REGISTRY/@team-reef/tools --agent codex --yes", INSTALLED),
            Remove(".agents"),
            Run(
                "skills experimental_install",
                &[Done(&["Installed 1 skill"]), Refused(&["Failed to clone 127.0.0.1"])],
            ),
            Same(".agents/skills/notes", "src/v1/notes"),
            Same(".agents/skills/tools", "src/v1/tools"),
        ],
    },
    Scenario {
        title: "Editing what is added",
        who: Who::Nobody,
        steps: &[
            Run("skills add $REGISTRY/@global/notes --agent codex --yes", INSTALLED),
            Write(".agents/skills/notes/references/guide.md", "My own way to keep them.\n"),
            Run("skills update --yes", &[Done(&["Checking 1 skill(s)"]), CANNOT]),
            Holds(".agents/skills/notes/references/guide.md", "My own way to keep them."),
        ],
    },
    Scenario {
        title: "Adding what is not there, or not for everybody",
        who: Who::Nobody,
        steps: &[
            Run("skills add $REGISTRY/@global/nothing --agent codex --yes", NONE),
            Run("skills add $REGISTRY/@global/notes@9.9.9 --agent codex --yes", NONE),
            Run("skills add $REGISTRY/@global/weekly-notes --agent codex --yes", NONE),
            Run("skills add $REGISTRY/@team-reef/plans --agent codex --yes", NONE),
            Run("skills add $REGISTRY/@team-reef/plans@1.0.0 --agent codex --yes", NONE),
            Run("skills add $REGISTRY/@team-deep --agent codex --yes", NONE),
            Run("skills add $REGISTRY --agent codex --yes", NONE),
            Run("skills add $REGISTRY/@team-reef --list", &[Done(&["tools"])]),
        ],
    },
];
