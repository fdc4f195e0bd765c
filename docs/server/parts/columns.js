/* Columns beside the code: what each line costs, yours against the step's; and tables of both. */
"use strict";
live.action({ name: "counters", label: word("Counters"),
    title: word("What each line costs, beside the step's") });
live.action({ name: "estimate", label: word("Estimate"),
    title: word("How long a GPU would take, beside the step") });

const columns = {
    shown: {}, /* of each column whether something stands in it */
    lit: [], /* the lines with counters */
    NAMES: { found: word("found"), yours: word("yours"), step: word("step") },

    clear(name) {
        work.editor.clearGutter("column-" + name);
        columns.shown[name] = false;
        columns.layout();
    },
    layout() {
        const names = body.classList.contains("watching") ? [] : /* beside the player there is no room */
            Object.keys(columns.NAMES).filter(name => columns.shown[name]);
        work.editor.setOption("gutters", ["CodeMirror-linenumbers", ...names.map(name => "column-" + name)]);
        one("#heads").replaceChildren(...names.map(name =>
            made("span", { className: "column-" + name }, live.say(columns.NAMES[name]))));
        one("#heads").hidden = !one("#heads").children.length;
    },
    /* level: 1 pale to 3 strong. A second entry of a line stands below the first one's title only. */
    put(name, line, text, level, title) {
        if (!columns.shown[name]) {
            columns.shown[name] = true;
            columns.layout();
        }
        const info = work.editor.lineInfo(line - 1), there = info?.gutterMarkers?.["column-" + name];
        if (!info)
            return;
        if (there) {
            there.title += "\n" + title;
            if (level > Number(there.dataset.level) || !there.textContent)
                Object.assign(there, { textContent: text, className: `cell of-${name} level${level}` }).dataset.level = level;
            return;
        }
        const cell = made("div", { className: `cell of-${name} level${level}`, title }, text);
        cell.dataset.level = level;
        work.editor.setGutterMarker(line - 1, "column-" + name, cell);
    },

    UNITS: { atomic: word("lanes on one address"), global: word("sectors"), shared: word("wavefronts") },
    text(cell) {
        if (cell.each === null)
            return String(cell.requests);
        return Number(cell.each.toPrecision(3)).toString();
    },
    title: cell => `${cell.what}: ` + (cell.each === null ? live.say("{count} of warps", { count: cell.requests }) :
        live.say("{count} of warps, {each} {unit} each", { count: cell.requests, each: columns.text(cell),
            unit: live.say(columns.UNITS[Object.keys(columns.UNITS).find(part => cell.what.includes(part))]) })),

    table: (caption, heads, rows) => made("table", {}, made("caption", {}, caption),
        made("thead", {}, made("tr", {}, ...heads.map(head => made("th", { scope: "col" }, head)))),
        made("tbody", {}, ...rows.map(row => made("tr", { className: row.differs ? "differs" : "" },
            ...row.map(cell => made("td", {}, cell ?? "")))))),
    row: (differs, ...cells) => Object.assign(cells, { differs }),

    lines(pairs) {
        for (const { yours, step } of pairs) {
            if (yours)
                columns.put("yours", yours.line, columns.text(yours), yours.level, columns.title(yours));
            if (yours && step)
                columns.put("step", yours.line, columns.text(step), step.level, columns.title(step));
        }
        columns.lit = pairs.filter(({ yours }) => yours).map(({ yours }) => yours.line);
        const each = cell => cell ? `${cell.requests} × ${cell.each === null ? 1 : columns.text(cell)}` : live.say("none");
        one("#tables").append(columns.table(live.say("By line: how often warps do it, and what each costs"),
            [live.say("line"), live.say("what"), live.say("yours"), live.say("the step's")],
            pairs.map(({ yours, step }) => columns.row(each(yours) !== each(step),
                yours ? work.link(yours.line) : "", (yours || step).what, each(yours), each(step)))));
    },
    counters(found) {
        for (const { variant, beside, yours, step } of found)
            one("#tables").append(columns.table(variant === beside ? variant : `${variant}, ${beside}`,
                [live.say("counter"), live.say("yours"), live.say("the step's")],
                Object.keys(yours).filter(name => yours[name] !== step[name] || !["0", "-"].includes(yours[name])).map(name =>
                    columns.row(yours[name] !== step[name], name, yours[name], step[name]))));
    },
    estimates(found) {
        const time = each => `${each.us} (${each.low} – ${each.high})`;
        one("#tables").append(columns.table(
            live.say("Estimated for {device} from counters, not measured: microseconds", { device: found[0]?.yours.device || "" }),
            [live.say("variant"), live.say("yours"), live.say("the step's"), live.say("what yours waits for")],
            found.map(each => columns.row(each.yours.us !== each.step.us, each.variant, time(each.yours), time(each.step),
                each.yours.waits))));
    },
};

live.panel({
    made() {
        one("#editor").before(made("div", { id: "heads", hidden: true }));
        one("#heads").setAttribute("aria-hidden", "true"); /* the tables say it to those that hear the page */
        live.place(made("div", { id: "tables" }));
    },
    begins(action) {
        if (action === "prepare")
            return;
        columns.lit = [];
        one("#told").classList.remove("stale");
        one("#tables").replaceChildren();
        columns.clear("yours");
        columns.clear("step");
    },
    takes(event) {
        if (event.columns)
            columns.lines(event.columns);
        if (event.counters)
            columns.counters(event.counters);
        if (event.estimates)
            columns.estimates(event.estimates);
        if (event.verdict)
            event.verdict.devices.forEach(device => columns.counters((device.counters || []).filter(each =>
                JSON.stringify(each.yours) !== JSON.stringify(each.step))));
    },
    ends() {
        work.editor.refresh(); /* what stands below it has another height now */
        if (columns.lit.length)
            work.reveal(Math.min(...columns.lit), Math.max(...columns.lit));
    },
});
