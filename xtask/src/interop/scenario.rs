//! What a client is told to do, and what must come of it: data alone.

/// A story of one kind of client, in fresh folders.
pub(super) struct Scenario {
    /// What it shows.
    pub(super) title: &'static str,
    /// Whose token the client has been given.
    pub(super) who: Who,
    pub(super) steps: &'static [Step],
}

/// Somebody whom the registry tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// Without a token.
    Nobody,
    /// The administrator, an owner of every namespace.
    Owner,
    /// A person with a token, and no role anywhere.
    Stranger,
}

/// One step of a scenario. What follows a command holds for the versions that carried it out.
pub(super) enum Step {
    /// A command as one would type it, and what each version of the client makes of it. The last one holds for the versions
    /// that follow. `$REGISTRY` and `$TOKEN` stand for what they say; `skillhub` is our command, which the owner runs.
    Run(&'static str, &'static [Gets]),
    /// A file of the project is written with this text, in which `$REGISTRY` stands for what it says.
    Write(&'static str, &'static str),
    /// A folder of the project is removed.
    Remove(&'static str),
    /// A folder has the files of another one, byte for byte, and no more.
    Same(&'static str, &'static str),
    /// As `Same`, with the other folder of each version of the client, where what it leaves out or leaves alone differs. The last
    /// one holds for the versions that follow.
    SameEach(&'static str, &'static [&'static str]),
    /// A file has this text in it.
    Holds(&'static str, &'static str),
    /// The registry has answered a request with this method and on this route with 200, whatever the client makes of that.
    Answered(&'static str, &'static str),
}

/// What must come of a command.
#[derive(Clone, Copy)]
pub(super) enum Gets {
    /// Exit code 0, and each of these texts in the output.
    Done(&'static [&'static str]),
    /// Exit code 0, each of the first texts in the output, and none of the second.
    Without(&'static [&'static str], &'static [&'static str]),
    /// Exit code 1, and each of these texts in the output.
    Refused(&'static [&'static str]),
    /// This version has no such command.
    Lacks,
}

/// It works, and there is nothing to say of it.
pub(super) const DONE: &[Gets] = &[Gets::Done(&[])];

impl Step {
    /// What the version of this index must make of it, if that is told.
    pub(super) fn gets(&self, version: usize) -> Option<Gets> {
        let Self::Run(_, gets) = self else { return None };
        of_version(gets, version)
    }

    /// How the page names it.
    pub(super) fn title(&self) -> String {
        match self {
            Self::Run(words, _) => format!("`{words}`"),
            Self::Write(path, _) => format!("somebody writes `{path}`"),
            Self::Remove(path) => format!("somebody removes `{path}`"),
            Self::Same(folder, source) => format!("`{folder}` is `{source}`, byte for byte"),
            Self::SameEach(folder, _) => format!("`{folder}` is, byte for byte,"),
            Self::Holds(path, text) => format!("`{path}` says `{text}`"),
            Self::Answered(method, route) => format!("the registry has answered `{method} {route}` with 200"),
        }
    }
}

/// What stands in a list for the version of this index.
pub(super) fn of_version<T: Copy>(list: &[T], version: usize) -> Option<T> {
    list.get(version).or(list.last()).copied()
}
