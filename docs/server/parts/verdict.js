/* What a run finds, beside the line that it speaks of: a mistake, findings of --check, a hint; and what it says. */
"use strict";
live.action({ name: "practice", label: word("Practice"), key: "Ctrl-Enter",
    title: word("Builds it, runs it and judges it beside the step") });
live.action({ name: "hint", label: word("Hint"),
    title: word("A question; asked again the place, then the cause") });
live.action({ name: "run", label: word("Run"),
    title: word("Runs it once at a small size") });
live.action({ name: "check", label: word("Check"),
    title: word("Runs it with --check: races, bounds, barriers") });

const verdict = {
    marks: [], widgets: [],

    clear() {
        verdict.widgets.forEach(each => each.clear());
        verdict.marks.forEach(([line, name]) => work.editor.removeLineClass(line, "wrap", name));
        verdict.marks = verdict.widgets = [];
        columns.clear("found");
        one("#verdict").replaceChildren();
        one("#verdict").className = "";
        one("#findings").replaceChildren();
    },
    /* Lights a line, from 1, and says something below the last one. */
    beside(lines, name, ...said) {
        for (const line of lines)
            verdict.marks = [...verdict.marks, [work.editor.addLineClass(line - 1, "wrap", name), name]];
        if (!lines.length)
            return;
        verdict.widgets = [...verdict.widgets, work.editor.addLineWidget(Math.max(...lines) - 1,
            made("div", { className: "beside " + name }, ...said), { noHScroll: true })];
    },
    tell(kind, ...said) {
        one("#verdict").className = kind;
        one("#verdict").replaceChildren(...said);
    },

    mistake(found) {
        const more = [found.advice, found.lines.length ? "" : found.text].filter(text => text).join(" ");
        verdict.beside(found.lines, "wrong", made("b", {}, found.title), " ", found.advice || found.text);
        verdict.tell("wrong", made("b", {}, found.title), more ? " " + more : "", ...found.lines.map(work.link));
    },
    hint(found) {
        const parts = [found.question, found.place, found.cause].filter(text => text);
        verdict.beside(found.lines || [], "hinted", found.cause || found.question);
        verdict.tell("hinted", made("b", {}, live.say("Hint {stage} of {all}", { stage: found.stage, all: 3 })),
            ...parts.map(text => made("p", {}, text)), ...(found.lines || []).map(work.link));
    },
    /* What --check found, a list; and in the column beside the code who does what there. */
    findings(found) {
        one("#findings").replaceChildren(...found.map(each => made("li", {}, made("b", {}, each.title), ": ", each.text,
            ...each.places.map(place => made("div", {}, `${place.does} `, ...(place.file === work.file() ?
                place.lines.map(work.link) : [`${place.file}:${place.lines}`]), ` ${place.who}`)))));
        for (const each of found) {
            const own = each.places.filter(place => place.file === work.file());
            for (const line of new Set(own.flatMap(place => place.lines))) {
                const here = own.filter(place => place.lines.includes(line));
                columns.put("found", line, `${each.kind}: ${here.map(place => place.does).join(", ")}`, 3,
                    `${each.title}: ${each.text}; ${here.map(place => place.who).join(", ")}`);
            }
        }
    },
    judged(told) {
        const device = told.devices[0];
        if (told.hint)
            verdict.hint(told.hint);
        else if (!told.mistake)
            verdict.tell("right", made("b", {}, live.say("{name}: verified", { name: told.practice })), " ",
                ...device.variants.map(each => live.say("{variant}: {right} of {all} launches are right.",
                    { variant: each.variant, right: each.right, all: each.launches })));
    },
};

live.panel({
    made() {
        live.place(made("div", { id: "verdict" }));
        live.place(made("ul", { id: "findings" }));
        live.place(made("details", { id: "said" }, made("summary", {}, live.say("What the terminal says")),
            made("pre", { tabIndex: 0 })));
        one("#verdict").setAttribute("role", "status");
    },
    begins(action) {
        if (action === "prepare")
            return;
        verdict.clear();
        one("#said pre").textContent = "";
        one("#said").open = action === "run";
    },
    takes(event) {
        if (event.said !== undefined)
            one("#said pre").append(event.said + "\n");
        if (event.mistake)
            verdict.mistake(event.mistake);
        if (event.findings)
            verdict.findings(event.findings);
        if (event.verdict)
            verdict.judged(event.verdict);
    },
    ends(told, action) {
        work.editor.refresh(); /* what stands below it has another height now */
        if (verdict.marks.length) {
            const lines = verdict.marks.map(([line]) => work.editor.getLineNumber(line) + 1);
            work.reveal(Math.min(...lines), Math.max(...lines));
        }
        if (["run", "check", "watch"].includes(action) && told.end === 0)
            verdict.tell("right", action === "run" ? live.say("The results are right.") :
                live.say("The results are right, and --check finds nothing."));
        else if (["run", "watch"].includes(action) && told.end === 1 && !one("#verdict").textContent)
            verdict.tell("wrong", live.say("A result is wrong: Practice says where."));
    },
    edited() {
        one("#told").classList.add("stale");
    },
});
