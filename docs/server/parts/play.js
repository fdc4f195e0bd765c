/* Watch: the site's player with a recording of the learner's own program, whose lines are marked in the editor. */
"use strict";
if (typeof player !== "undefined") { /* a page of a step without a recording has none */
    let marked = null;
    const mark = step => {
        if (marked)
            work.editor.removeLineClass(marked, "wrap", "playing");
        const here = step && step.line && step.file === work.file();
        marked = here ? work.editor.addLineClass(step.line - 1, "wrap", "playing") : null;
        if (here)
            work.reveal(step.line);
    };

    live.action({ name: "watch", label: word("Watch"),
        title: word("Plays it step after step; a race leads to its step") });
    addEventListener("hashchange", () => { /* beside the player the editor is narrower */
        if (!work.editor)
            return;
        columns.layout();
        work.editor.refresh();
        if (marked)
            work.reveal(work.editor.getLineNumber(marked) + 1);
    });
    live.panel({ takes: event => event.recording && watchOther(event.recording, mark, one("#do-watch")) });
}
