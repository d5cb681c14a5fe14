//! From a folder into the registry, and to our own command.

use crate::interop::scenario::Gets::{Done, Lacks, Refused};
use crate::interop::scenario::Step::{Run, Same, SameEach};
use crate::interop::scenario::{DONE, Gets, Scenario, Who};

const PUBLISHED: &[Gets] = &[Done(&["OK. Published"])];
/// For commands that came with 0.20.0.
const PUBLISHED_LATER: &[Gets] = &[Done(&["OK. Published"]), Done(&["OK. Published"]), Lacks];
/// For what was published by such a command.
const DONE_LATER: &[Gets] = &[Done(&[]), Done(&[]), Lacks];

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        title: "Publishing, and installing with skillhub",
        who: Who::Owner,
        steps: &[
            Run("clawhub publish src/v1/letters --version 1.0.0", PUBLISHED),
            Run("skillhub install @global/letters", DONE),
            Same(".agent/skills/letters", "src/v1/letters"),
            Run("clawhub publish src/v1/letters --version 1.0.0", PUBLISHED),
            Run("clawhub publish src/v2/letters --version 1.0.0", &[Refused(&["1.0.0"])]),
            Run("clawhub publish src/v2/letters --version 1.1.0 --tags latest,beta", PUBLISHED),
            Run("skillhub install @global/letters@beta --force", DONE),
            Same(".agent/skills/letters", "src/v2/letters"),
            Run(
                "clawhub publish src/v2/letters",
                &[Done(&["letters@1.1.0 is already published"]), Refused(&["--version must be valid semver"])],
            ),
            Run("clawhub publish src/v1/letters --dry-run", &[Done(&["letters@1.0.0 is already published"]), Lacks]),
            Run("clawhub install letters", &[Done(&["Installed"])]),
            Same("skills/letters", "src/v2/letters"),
        ],
    },
    Scenario {
        title: "Publishing to a namespace",
        who: Who::Owner,
        steps: &[
            Run("clawhub publish src/v1/ledger --slug team-reef--ledger --version 1.0.0", PUBLISHED),
            Run("skillhub install @team-reef/ledger", DONE),
            Same(".agent/skills/ledger", "src/v1/ledger"),
            Run("clawhub publish src/v2/ledger --owner team-reef --version 1.1.0", PUBLISHED_LATER),
            Run("skillhub install @team-reef/ledger --force", DONE_LATER),
            Same(".agent/skills/ledger", "src/v2/ledger"),
            Run("clawhub skill publish src/v1/sketch --owner team-reef --version 1.0.0", PUBLISHED_LATER),
            Run("skillhub install @team-reef/sketch", DONE_LATER),
            Same(".agent/skills/sketch", "src/v1/sketch"),
            Run(
                "clawhub publish src/v1/sketch --owner team-deep --slug team-reef--sketch --version 2.0.0",
                &[Refused(&["team-deep"]), Refused(&["team-deep"]), Lacks],
            ),
        ],
    },
    Scenario {
        title: "Publishing a skill of difficult names",
        who: Who::Owner,
        steps: &[
            Run("clawhub publish src/v1/nasty --slug team-reef--nasty --version 1.0.0", PUBLISHED),
            Run("skillhub install @team-reef/nasty", DONE),
            Same(".agent/skills/nasty", "src/v1/nasty"),
            Run("clawhub publish src/v1/signs --slug team-reef--signs --version 1.0.0", PUBLISHED),
            Run("skillhub install @team-reef/signs", DONE),
            Same(".agent/skills/signs", "src/v1/signs"),
            Run("clawhub publish src/v1/picture --slug team-reef--picture --version 1.0.0", PUBLISHED),
            Run("skillhub install @team-reef/picture", DONE),
            SameEach(".agent/skills/picture", &["src/v1/picture", "src/v1/picture-text"]),
        ],
    },
    Scenario {
        title: "Publishing what is refused",
        who: Who::Owner,
        steps: &[
            Run("clawhub publish src/v1/faulty --version 1.0.0", &[Refused(&["description"])]),
            Run("clawhub publish src/v1/diary --slug another-name --version 1.0.0", &[Refused(&["another-name"])]),
            Run(
                "clawhub publish src/v1/diary --slug no-such-team--diary --version 1.0.0",
                &[Refused(&["no-such-team"])],
            ),
            Run(
                "clawhub publish src/v1/heavy --version 1.0.0",
                &[
                    Done(&["OK. Published"]),
                    Refused(&[
                        "The request has more than 4500000 bytes",
                        "skillhub publish",
                        "clawhub 0.23.3 or newer",
                    ]),
                ],
            ),
            Run("skillhub install @global/heavy", &[Done(&[]), Lacks]),
            Same(".agent/skills/heavy", "src/v1/heavy"),
        ],
    },
    Scenario {
        title: "Publishing without the right to",
        who: Who::Stranger,
        steps: &[
            Run("clawhub publish src/v1/diary --version 1.0.0", &[Refused(&["@global", "--owner", "--slug"])]),
            Run("clawhub publish src/v1/diary --slug team-reef--diary --version 1.0.0", &[Refused(&["team-reef"])]),
            Run("clawhub publish src/v1/diary --slug stranger--diary --version 1.0.0", PUBLISHED),
        ],
    },
    Scenario {
        title: "Publishing without a token",
        who: Who::Nobody,
        steps: &[Run(
            "clawhub publish src/v1/diary --version 1.0.0",
            &[Refused(&["Not logged in. Run: clawhub login"])],
        )],
    },
];
