//! Who one is, and what the registry has.

use crate::interop::scenario::Gets::{Done, Lacks, Refused, Without};
use crate::interop::scenario::Step::{Holds, Run};
use crate::interop::scenario::{Gets, Scenario, Who};

/// What they make of 401.
const FAILED: Gets = Refused(&["Authentication failed. Run `clawhub login` again."]);
/// Of a search that finds nothing they say nothing; the line of any hit would have one of these in it.
const NO_HIT: &[Gets] = &[Without(&[], &["notes", "nasty", "signs", "picture", "tools", "v1."])];

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        title: "Signing in",
        who: Who::Nobody,
        steps: &[
            Run("clawhub whoami", &[Refused(&["Not logged in. Run: clawhub login"])]),
            Run("clawhub login --token sk_wrong", &[FAILED, FAILED, Refused(&["Unauthorized"])]),
            Run("clawhub login --token $TOKEN", &[Done(&["OK. Logged in as @admin."])]),
            Run("clawhub whoami", &[Done(&["admin"])]),
            Holds("~/clawhub.json", "\"token\""),
            Run("clawhub logout", &[Done(&["OK. Logged out"])]),
            Run("clawhub whoami", &[Refused(&["Not logged in. Run: clawhub login"])]),
            Run("clawhub login --site $REGISTRY", &[Refused(&["login --token"]), Lacks]),
        ],
    },
    Scenario {
        title: "Pointing the client here",
        who: Who::Nobody,
        steps: &[
            Run("CLAWHUB_REGISTRY= clawhub --registry $REGISTRY search notes", &[Done(&["notes"])]),
            Run("CLAWHUB_REGISTRY= clawhub --site $REGISTRY search notes", &[Done(&["notes"])]),
            Run("CLAWHUB_REGISTRY=$REGISTRY clawhub search notes", &[Done(&["notes"])]),
        ],
    },
    Scenario {
        title: "Searching and exploring",
        who: Who::Nobody,
        steps: &[
            Run("clawhub search notes", &[Done(&["notes v1.1.0"])]),
            Run(
                "clawhub search tool",
                &[Done(&["team-reef--tools v1.0.0", "@team-reef"]), Done(&["team-reef--tools v1.0.0"])],
            ),
            Run("clawhub search notes --exact", &[Done(&["notes v1.1.0"]), Lacks]),
            Run("clawhub search no --prefix", &[Done(&["notes  v1.1.0"]), Lacks]),
            Run("clawhub search nothing-of-this-name", NO_HIT),
            Run(
                "clawhub search nothing-of-this-name --prefix",
                &[Without(&["No skills found."], &["notes", "v1."]), Lacks],
            ),
            Run("clawhub explore", &[Done(&["notes  v1.1.0", "team-reef--tools  v1.0.0", "nasty  v1.0.0"])]),
            Run("clawhub explore --sort downloads", &[Refused(&["cannot sort by \"downloads\". Leave --sort out"])]),
            Run("clawhub explore --json", &[Done(&["\"slug\": \"notes\"", "\"nextCursor\": null"])]),
        ],
    },
    Scenario {
        title: "Inspecting",
        who: Who::Nobody,
        steps: &[
            Run("clawhub inspect notes", &[Done(&["Latest   1.1.0"]), Done(&["Latest: 1.1.0"])]),
            Run("clawhub inspect notes --versions", &[Done(&["1.0.0", "1.1.0"])]),
            Run("clawhub inspect notes --version 1.0.0 --files", &[Done(&["references/old.md"])]),
            Run("clawhub inspect notes --tag stable --files", &[Done(&["references/old.md"])]),
            Run("clawhub inspect notes --file references/guide.md", &[Done(&["How to keep them, edition 2."])]),
            Run(
                "clawhub inspect notes --version 1.0.0 --file references/guide.md",
                &[Done(&["How to keep them, edition 1."])],
            ),
            Run(
                "clawhub inspect nasty --file references/日本語の手引き.md",
                &[Done(&["# references/日本語の手引き.md"])],
            ),
            Run("clawhub inspect notes@1.0.0", &[Done(&["Latest   1.0.0"]), Done(&["Latest: 1.0.0"])]),
            Run("clawhub inspect team-reef--tools", &[Done(&["Latest   1.0.0"]), Done(&["Latest: 1.0.0"])]),
            Run("clawhub inspect @team-reef/tools", &[Done(&["Latest   1.0.0"]), Done(&["Latest: 1.0.0"])]),
            Run("clawhub inspect notes --json", &[Done(&["\"version\": \"1.1.0\""])]),
            Run("clawhub inspect notes --file nowhere.md", &[Refused(&["File not found"])]),
            Run("clawhub inspect notes --version 9.9.9", &[Refused(&["Version not found"])]),
            Run("clawhub inspect nothing", &[Refused(&["Skill not found"])]),
        ],
    },
];
