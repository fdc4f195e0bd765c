/* The editor in the source panel: what is edited, its buttons, and when it is saved. */
"use strict";
const work = {
    what: "", mark: "", editor: null, later: 0, open: false, unsaved: false,

    text: () => work.editor.getValue(),
    state(text) { one("#state").textContent = text; },
    file() { return one("#file").textContent.split("/").pop(); },

    /* Shows a line, from 1, to the last one, and what stands below that. */
    reveal(first, last = first) {
        work.editor.scrollIntoView({ from: { line: Math.max(0, first - 2), ch: 0 },
            to: { line: Math.min(last, work.editor.lastLine()), ch: 0 } }, 4);
    },

    /* Goes to a line of the editor, from 1. */
    go(line) {
        work.editor.setCursor(line - 1, 0);
        work.reveal(line);
        work.editor.focus();
    },
    /* A button that goes there. */
    link: line => made("button", { type: "button", className: "to-line", onclick: () => work.go(line) },
        `${work.file()}:${line}`),
};

/* --- what the file holds ------------------------------------------------------------------------ */
function taken(told) {
    work.mark = told.mark;
    if (told.text !== undefined && told.text !== work.text()) {
        work.loading = true;
        work.editor.setValue(told.text);
        work.editor.clearHistory();
        work.loading = false;
    }
}

async function openWork(what) {
    const { ok, told } = await live.ask("open", { what });
    if (!ok) {
        work.state(told.error);
        return false;
    }
    work.what = told.what;
    one("#file").textContent = told.file;
    one("#what").replaceChildren(...told.whats.map(each => made("option", { value: each, selected: each === told.what },
        each === "copy" ? live.say("the whole step, to change") : live.say("{function}: write it", { function: each }))));
    work.editor.setOption("screenReaderLabel", live.say("{file}, editor", { file: told.file }));
    taken(told);
    live.all("begins", "open");
    const at = told.text.split("\n").findIndex(line => /^ {4}\/\*$/.test(line));
    work.editor.setCursor(Math.max(0, at), 0);
    work.editor.scrollIntoView({ line: Math.max(0, at), ch: 0 }, 120);
    return true;
}

/* What is on the disk has changed since: the reader says which of the two stays. */
function conflict(told) {
    const answer = (text, done) => made("button", { type: "button", onclick: () => {
        one("#conflict").hidden = true;
        done();
    } }, text);
    one("#conflict").hidden = false;
    one("#conflict").replaceChildren(live.say("{file} has changed elsewhere.", { file: one("#file").textContent }),
        answer(live.say("Take that one"), () => taken({ text: told.changed, mark: told.mark })),
        answer(live.say("Keep mine"), () => { work.mark = told.mark; save(); }));
}

async function save(more) {
    clearTimeout(work.later);
    work.unsaved = false;
    const { ok, told } = await live.ask("save", { what: work.what, text: work.text(), mark: work.mark }, more);
    if (told.changed !== undefined)
        conflict(told);
    else
        work.state(ok ? live.say("saved") : told.error);
    if (ok)
        work.mark = told.mark;
    return ok;
}

function edited() {
    if (work.loading)
        return;
    live.all("edited");
    work.unsaved = true;
    clearTimeout(work.later);
    work.state("");
    work.later = setTimeout(() => live.running || save(), 1000);
}

/* --- the panel ---------------------------------------------------------------------------------- */
function panel() {
    const buttons = live.actions.map(action => made("button", { type: "button", id: "do-" + action.name,
        title: live.say(action.title), onclick: () => start(action.name) }, live.say(action.label),
        ...(action.key ? [" ", made("kbd", {}, action.key)] : [])));
    const pane = made("div", { id: "yours", className: "pane", hidden: true },
        made("div", { className: "work-bar" },
            made("label", {}, live.say("Yours") + " ", made("select", { id: "what" })),
            made("code", { id: "file" }),
            made("button", { type: "button", id: "again" }, live.say("Begin again"))),
        made("div", { className: "work-bar" }, ...buttons,
            made("button", { type: "button", id: "stop", disabled: true }, live.say("Stop"))),
        made("div", { id: "conflict", hidden: true }),
        made("p", { id: "leave-editor", className: "unseen" }, live.say("Escape, then Tab leaves the editor.")),
        made("div", { id: "editor" }),
        made("div", { id: "told", tabIndex: 0 }, made("p", { id: "state" })));
    pane.dataset.stays = "";
    pane.setAttribute("role", "region");
    pane.setAttribute("aria-label", live.say("Your kernel"));
    one("#told", pane).setAttribute("role", "region");
    one("#told", pane).setAttribute("aria-label", live.say("What came of it"));
    one("#state", pane).setAttribute("role", "status");
    one("#conflict", pane).setAttribute("role", "alert");
    one("#source").append(pane);
    one("#what").addEventListener("change", async event => {
        if (await save())
            openWork(event.target.value);
        else
            event.target.value = work.what;
    });
    one("#stop").addEventListener("click", () => live.stop(work.what));
    one("#again").addEventListener("click", again);
}

async function again() {
    if (!await save())
        return;
    const { ok, told } = await live.ask("again", { what: work.what });
    if (ok) {
        taken(told);
        work.state(live.say("What you had is kept as {file}.", { file: told.kept }));
    } else
        work.state(told.error);
}

const script = src => new Promise((done, failed) =>
    document.head.append(made("script", { src, onload: done, onerror: failed })));

async function makeEditor() {
    document.head.append(made("link", { rel: "stylesheet", href: "live/codemirror/lib/codemirror.css" }));
    await script("live/codemirror/lib/codemirror.js");
    for (const name of ["mode/clike/clike", "addon/edit/matchbrackets", "addon/edit/closebrackets"])
        await script(`live/codemirror/${name}.js`);
    CodeMirror.defineMIME("text/x-cuda", { ...CodeMirror.resolveMode("text/x-c++src"), keywords: {
        ...CodeMirror.resolveMode("text/x-c++src").keywords, __global__: true, __device__: true, __shared__: true,
        __restrict__: true, __launch_bounds__: true, __host__: true } });
    const own = { "Ctrl-Enter": () => start("practice"), "Cmd-Enter": () => start("practice"),
        "Ctrl-S": () => { save(); }, "Cmd-S": () => { save(); }, Esc: () => bind(false) };
    /* Behind Escape the next Tab goes on to another button, so that the keyboard is not held. */
    const bind = indents => work.editor.setOption("extraKeys", { ...own, Tab: indents && "indentMore",
        "Shift-Tab": indents && "indentLess" });
    work.editor = CodeMirror(one("#editor"), {
        mode: "text/x-cuda", lineNumbers: true, indentUnit: 4, inputStyle: "contenteditable", matchBrackets: true,
        autoCloseBrackets: true, gutters: ["CodeMirror-linenumbers"], spellcheck: false, lineWrapping: true,
    });
    /* What is longer than the panel goes on below, behind its own indent. */
    work.editor.on("renderLine", (cm, line, shown) => {
        const indent = (CodeMirror.countColumn(line.text, null, 4) + 2) * cm.defaultCharWidth();
        shown.style.textIndent = `${-indent}px`;
        shown.style.paddingLeft = `${4 + indent}px`;
    });
    bind(true);
    work.editor.on("keydown", (cm, event) => {
        if (!["Tab", "Shift", "Escape"].includes(event.key))
            bind(true);
    });
    const input = work.editor.getInputField();
    input.setAttribute("role", "textbox");
    input.setAttribute("aria-multiline", "true");
    input.setAttribute("aria-describedby", "leave-editor");
    work.editor.on("blur", () => bind(true));
    work.editor.on("changes", edited);
}

async function edit() {
    await live.ready;
    if (!work.editor) {
        panel();
        await makeEditor();
        live.all("made");
    }
    show("yours");
    view("source");
    work.editor.refresh();
    if (!work.open && (work.open = await openWork("")))
        live.run("prepare", { what: work.what, text: work.text(), mark: work.mark });
    work.editor.refresh();
    work.editor.focus();
}

/* A button of the bar: the first run that waits is the one that was asked for. */
async function start(action) {
    if (live.running && live.running.action === "prepare") {
        live.stop(work.what);
        while (live.running)
            await new Promise(done => setTimeout(done, 20));
    }
    clearTimeout(work.later);
    work.unsaved = false;
    live.run(action, { what: work.what, text: work.text(), mark: work.mark });
}

live.panel({
    begins(action) {
        work.said = "";
        one("#stop").disabled = action === "open" || action === "prepare";
        for (const each of live.actions)
            one("#do-" + each.name).setAttribute("aria-busy", each.name === action);
    },
    takes(event) {
        if (event.changed !== undefined)
            conflict(event);
        if (event.mark && !event.changed)
            work.mark = event.mark;
        if (event.progress)
            work.state(event.progress);
        if (event.error)
            work.state(work.said = event.error);
    },
    ends(told, action) {
        one("#stop").disabled = true;
        all("[aria-busy=true]").forEach(each => each.setAttribute("aria-busy", "false"));
        if (told.why || !work.said)
            work.state(live.say(told.why || "", told.values));
        if (work.unsaved) /* what was typed while it ran */
            save();
    },
});

const editButton = made("button", { type: "button", id: "edit", onclick: edit }, "Edit");
editButton.dataset.pane = "yours";
editButton.setAttribute("aria-pressed", "false");
one(".tabs").append(editButton);
keys.e = edit;
live.ready.then(() => {
    editButton.replaceChildren(live.say("Edit"), " ", made("kbd", {}, "e"));
    one("#keys dl").append(made("dt", {}, made("kbd", {}, "e")), made("dd", {}, live.say("edit the kernel")),
        made("dt", {}, made("kbd", {}, "Ctrl-Enter")), made("dd", {}, live.say("in the editor: Practice")),
        made("dt", {}, made("kbd", {}, "Esc"), " ", made("kbd", {}, "Tab")),
        made("dd", {}, live.say("leave the editor")));
});
addEventListener("pagehide", () => work.unsaved && save({ keepalive: true }));
