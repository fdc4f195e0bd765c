/*
 * Plays a recording: the buttons and keys, the sentence that says what happens, the line in the source. The recording
 * is loaded when it is first asked for. #watch opens it, and #watch-12 at step 12.
 */
"use strict";
const watch = one("#watch");
/* mark(step): marks its line in the source; opener: what has the focus when the player is closed. */
const player = { recording: null, timer: 0, picture: null, mark: markLine, opener: null };
const watchHash = () => watch && location.hash.match(/^#watch(?:-(\d+))?$/);
const part = name => one(`[data-watch="${name}"]`, watch);
const SPEEDS = { slow: 1600, normal: 700, fast: 250, fastest: 60 };
const KINDS = { load: "read", store: "write", atomic: "update by an atomic", copy: "begin to copy", arrive: "copied data arrive in",
    refused: "are stopped by --check before they touch" };
const OPERATIONS = { sync: "__syncwarp", shfl: "__shfl_sync", shfl_up: "__shfl_up_sync", shfl_down: "__shfl_down_sync",
    shfl_xor: "__shfl_xor_sync", ballot: "__ballot_sync", any: "__any_sync", all: "__all_sync",
    match_any: "__match_any_sync", match_all: "__match_all_sync", tensor: "mma, ldmatrix or the like",
    add: "a sum by the warp", min: "a minimum by the warp",
    max: "a maximum by the warp", and: "an and by the warp", or: "an or by the warp", xor: "an xor by the warp" };

/* --- what a step is, in words ---------------------------------------------------------------- */

/* "all 32 lanes", "lane 3", "lanes 0 to 15", "16 lanes (0, 2, 4, ...)". */
function lanesText(lanes) {
    if (lanes.length === 32)
        return "all 32 lanes";
    if (lanes.length === 1)
        return `lane ${lanes[0]}`;
    if (lanes[lanes.length - 1] - lanes[0] === lanes.length - 1)
        return `lanes ${lanes[0]} to ${lanes[lanes.length - 1]}`;
    return `${lanes.length} lanes (${lanes.slice(0, 4).join(", ")}${lanes.length > 4 ? ", …" : ""})`;
}

function accessText(recording, step) {
    const shared = step.area.filter(area => area === "shared").length, at = rank =>
        recording.place(step, step.area[rank], step.offset[rank]);
    const last = step.lanes.length - 1, where = last && at(0) !== at(last) ? `${at(0)} to ${at(last)}` : at(0);
    const told = [`${KINDS[step.kind]} ${shared ? "shared" : "global"} memory, ${where}`];
    if (shared && step.cost)
        told.push(step.ideal ? `${step.cost} wavefronts where ${step.ideal} would do: a bank conflict` :
            `${step.cost} wavefront${step.cost > 1 ? "s" : ""}`);
    else if (step.cost)
        told.push(`${step.cost} sector${step.cost > 1 ? "s" : ""}`);
    return told.join(": ");
}

function stepText(recording, step) {
    if (!step)
        return "Nothing is done yet.";
    const who = step.warp === undefined ? `Block ${step.block}` : `Warp ${step.warp} of block ${step.block}`;
    const line = step.line ? `, line ${step.line}` : "", lanes = lanesText(step.lanes);
    const one = step.lanes.length === 1;
    const said = {
        wait: `${lanes} wait${one ? "s" : ""} at the barrier of the block`, grid: `${lanes} wait${one ? "s" : ""} at the barrier of the grid`,
        object: `${lanes} wait${one ? "s" : ""} for a barrier object`, end: `${lanes} ha${one ? "s" : "ve"} ended`,
        fence: `${lanes} pass${one ? "es" : ""} a fence`, pass: "all threads have come to the barrier and go on",
        warp: `${lanes} take${one ? "s" : ""} part in ${OPERATIONS[step.operation]}`,
    }[step.kind] || `${lanes} ${accessText(recording, step)}`;
    return `${who}${line}: ${said}.`;
}

/* What --check found at the step. */
const foundAt = at => player.recording.told.findings.filter(each => each.step === at);

/* --- showing --------------------------------------------------------------------------------- */

function markLine(step) {
    for (const old of all(".line.playing"))
        old.classList.remove("playing");
    if (!step || !step.line)
        return;
    const tab = all(".tabs button").find(button => button.textContent.trim() === step.file);
    const line = tab && document.getElementById(`L${tab.dataset.pane.slice(1)}-${step.line}`);
    if (!line)
        return;
    const pane = line.closest(".pane");
    if (pane.hidden)
        show(pane.id);
    line.classList.add("playing");
    const top = line.offsetTop;
    if (top < pane.scrollTop + 20 || top > pane.scrollTop + pane.clientHeight - 60)
        pane.scrollTo({ top: Math.max(0, top - pane.clientHeight / 3), behavior: "instant" });
}

function drawStep() {
    if (player.recording)
        player.took = player.picture.draw(player.recording, { as: part("as").value, theme: root.dataset.theme });
}

function sayStep() {
    const { recording } = player, step = recording.step, found = step ? foundAt(step.at) : [];
    part("said").setAttribute("aria-live", player.timer ? "off" : "polite"); /* too fast to be read out */
    part("said").textContent = `Step ${recording.at} of ${recording.count}. ${stepText(recording, step)}`;
    part("found").textContent = found.map(each => each.text.split("\n")[0]).join(" ");
    part("found").hidden = !found.length;
}

function showStep() {
    const { recording } = player, step = recording.step;
    sayStep();
    drawStep();
    part("slider").value = recording.at;
    part("slider").setAttribute("aria-valuetext", `step ${recording.at} of ${recording.count}`);
    part("count").textContent = `${recording.at} / ${recording.count}`;
    if (step)
        part("launch").value = step.launch;
    player.mark(step);
    part("play").textContent = player.timer ? "❚❚" : "▶";
    part("play").setAttribute("aria-label", player.timer ? "Pause" : "Play");
}

/* --- moving ---------------------------------------------------------------------------------- */

function stop() {
    clearInterval(player.timer);
    player.timer = 0;
}
function toStep(at) {
    stop();
    player.recording.to(Math.max(0, Math.min(player.recording.count, at)));
    showStep();
}
const byStep = by => toStep(player.recording.at + by);
function play() {
    if (player.timer) {
        stop();
    } else {
        if (player.recording.at === player.recording.count)
            player.recording.to(0);
        player.timer = setInterval(() => {
            if (!player.recording.forwards())
                stop();
            showStep();
        }, SPEEDS[part("speed").value]);
    }
    showStep();
}
/* To the next place of a kind, or the one before: a finding, or a barrier that is passed. */
function jump(by, wanted) {
    const { recording } = player, from = recording.at + by;
    for (let at = from; at >= 1 && at <= recording.count; at += by)
        if (wanted(recording.steps[at - 1]))
            return toStep(at);
    return showStep();
}
const hasFinding = step => foundAt(step.at).length > 0;
const isBarrier = step => step.kind === "pass" || step.kind === "warp";
function faster(by) {
    const list = part("speed"), was = player.timer;
    list.selectedIndex = Math.max(0, Math.min(list.options.length - 1, list.selectedIndex + by));
    if (was) {
        stop();
        play();
    }
}

/* --- opening --------------------------------------------------------------------------------- */

function fill(told) {
    const recording = player.recording = new Recording(told), launches = part("launch"), found = part("findings");
    launches.replaceChildren(...told.launches.map((launch, at) => made("option", { value: at },
        `${launch.label ? launch.label + ": " : ""}${launch.kernel} <<<${launch.grid[0] * launch.grid[1] * launch.grid[2]}, ` +
        `${launch.block[0] * launch.block[1] * launch.block[2]}>>>`)));
    part("slider").max = recording.count;
    found.replaceChildren(...told.findings.filter(each => each.step >= 0).map(each => {
        const button = made("button", { type: "button", title: each.text },
            `⚠ ${each.text.replace(/^--check: (\w+):.*/s, "$1")} at step ${each.step + 1}`);
        button.addEventListener("click", () => toStep(each.step + 1));
        return button;
    }));
    found.hidden = !found.children.length;
    part("note").textContent = told.cut ? "The first steps of a longer launch." : "";
    const asked = watchHash();
    recording.to(asked && asked[1] ? Number(asked[1]) : 1);
}

function opened() {
    if (!watchHash())
        return;
    player.picture = player.picture || new Picture(part("canvas"));
    if (!player.recording && window.watchData)
        fill(window.watchData);
    if (player.recording)
        showStep();
    part("play").focus({ preventScroll: true });
}

/* Plays another recording than the page's until the player is closed, from the first finding on. */
function watchOther(told, mark, opener) {
    player.mark(null);
    stop();
    fill(told);
    Object.assign(player, { mark, opener });
    const found = told.findings.map(each => each.step).filter(step => step >= 0);
    player.recording.to(found.length ? 1 + Math.min(...found) : 1);
    if (watchHash())
        opened();
    else
        location.hash = "#watch";
}

function showWatch() {
    const asked = watchHash(), was = body.classList.contains("watching");
    body.classList.toggle("watching", Boolean(asked));
    watch.hidden = !asked;
    if (!asked) {
        stop();
        player.mark(null);
        if (was)
            (player.opener || one("#open-watch")).focus();
        if (player.opener)
            Object.assign(player, { recording: null, mark: markLine, opener: null });
        return;
    }
    if (!player.recording && !window.watchData && !one("#watch-data"))
        document.head.append(made("script", { id: "watch-data", src: watch.dataset.recording, onload: opened }));
    else if (asked[1] && player.recording)
        toStep(Number(asked[1]));
    opened();
}

const watchKeys = {
    ArrowLeft: () => byStep(-1), ArrowRight: () => byStep(1), PageUp: () => byStep(-10), PageDown: () => byStep(10),
    Home: () => toStep(0), End: () => toStep(player.recording.count), " ": play,
    b: () => jump(1, isBarrier), B: () => jump(-1, isBarrier), f: () => jump(1, hasFinding), F: () => jump(-1, hasFinding),
    "+": () => faster(1), "-": () => faster(-1),
    Escape: () => { location.hash = watch.dataset.from || "#text"; },
};
if (watch) {
    for (const [name, does] of Object.entries({ first: () => toStep(0), back: () => byStep(-1), play, next: () => byStep(1),
        last: () => toStep(player.recording.count), close: watchKeys.Escape }))
        part(name).addEventListener("click", () => (player.recording || name === "close") && does());
    part("slider").addEventListener("input", () => toStep(Number(part("slider").value)));
    part("as").addEventListener("change", drawStep);
    part("speed").addEventListener("change", () => player.timer && (stop(), play()));
    part("launch").addEventListener("change", () =>
        toStep(player.recording.steps.findIndex(step => step.launch === Number(part("launch").value)) + 1));
    new ResizeObserver(drawStep).observe(part("canvas"));
    new MutationObserver(drawStep).observe(root, { attributeFilter: ["data-theme"] });
    addEventListener("hashchange", event => {
        if (watchHash())
            watch.dataset.from = (event.oldURL.match(/#slides.*$/) || [watch.dataset.from || "#text"])[0];
        showWatch();
    });
    /* Before the page's own keys: while it is open the arrows are steps. A field keeps the keys that it needs. */
    addEventListener("keydown", event => {
        const field = event.target.matches("select, input:not([type=range]), textarea, [contenteditable]");
        const pressed = event.target.matches("button, a") && event.key === " " && event.target !== part("play");
        if (!watchHash() || one("dialog[open]") || event.ctrlKey || event.altKey || event.metaKey ||
            field && (event.key !== "Escape" || event.target.isContentEditable) || pressed || !watchKeys[event.key] ||
            !player.recording && event.key !== "Escape")
            return;
        event.preventDefault();
        event.stopImmediatePropagation();
        watchKeys[event.key]();
    }, true);
    showWatch();
}
