/*
 * Plays a recording: the buttons and keys, the sentence that says what happens, the line in the source. The recording
 * is loaded when it is first asked for. #watch opens it, and #watch-12 at step 12.
 */
"use strict";
const watch = one("#watch");
/* mark(step): marks its line in the source; opener: what has the focus when the player is closed; pane: what stands in
   the source's place then. */
const player = { recording: null, timer: 0, picture: null, mark: markLine, opener: null, pane: "" };
const watchHash = () => watch && location.hash.match(/^#watch(?:-(\d+))?$/);
const part = name => one(`[data-watch="${name}"]`, watch);
const SPEEDS = { slow: 1600, normal: 700, fast: 250, fastest: 60 };
const ACCESS = { /* of shared memory, by one lane and by more; then of global memory */
    load: [word("{lanes} reads shared memory, {place}"), word("{lanes} read shared memory, {place}"),
        word("{lanes} reads global memory, {place}"), word("{lanes} read global memory, {place}")],
    store: [word("{lanes} writes shared memory, {place}"), word("{lanes} write shared memory, {place}"),
        word("{lanes} writes global memory, {place}"), word("{lanes} write global memory, {place}")],
    atomic: [word("{lanes} updates shared memory by an atomic, {place}"), word("{lanes} update shared memory by an atomic, {place}"),
        word("{lanes} updates global memory by an atomic, {place}"), word("{lanes} update global memory by an atomic, {place}")],
    copy: [word("{lanes} begins to copy shared memory, {place}"), word("{lanes} begin to copy shared memory, {place}"),
        word("{lanes} begins to copy global memory, {place}"), word("{lanes} begin to copy global memory, {place}")],
    arrive: [word("{lanes}: copied data arrive in shared memory, {place}"), word("{lanes}: copied data arrive in shared memory, {place}"),
        word("{lanes}: copied data arrive in global memory, {place}"), word("{lanes}: copied data arrive in global memory, {place}")],
    refused: [word("--check stops {lanes} before it touches shared memory, {place}"), word("--check stops {lanes} before they touch shared memory, {place}"),
        word("--check stops {lanes} before it touches global memory, {place}"), word("--check stops {lanes} before they touch global memory, {place}")],
};
const SAID = { /* of one lane and of more */
    wait: [word("{lanes} waits at the barrier of the block"), word("{lanes} wait at the barrier of the block")],
    grid: [word("{lanes} waits at the barrier of the grid"), word("{lanes} wait at the barrier of the grid")],
    cluster: [word("{lanes} waits at the barrier of the cluster"), word("{lanes} wait at the barrier of the cluster")],
    object: [word("{lanes} waits for a barrier object"), word("{lanes} wait for a barrier object")],
    end: [word("{lanes} has ended"), word("{lanes} have ended")],
    fence: [word("{lanes} passes a fence"), word("{lanes} pass a fence")],
    warp: [word("{lanes} takes part in {operation}"), word("{lanes} take part in {operation}")],
};
const OPERATIONS = { sync: "__syncwarp", shfl: "__shfl_sync", shfl_up: "__shfl_up_sync", shfl_down: "__shfl_down_sync",
    shfl_xor: "__shfl_xor_sync", ballot: "__ballot_sync", any: "__any_sync", all: "__all_sync",
    match_any: "__match_any_sync", match_all: "__match_all_sync", tensor: word("mma, ldmatrix or the like"),
    add: word("a sum by the warp"), min: word("a minimum by the warp"), max: word("a maximum by the warp"),
    and: word("an and by the warp"), or: word("an or by the warp"), xor: word("an xor by the warp") };

/* --- what a step is, in words ---------------------------------------------------------------- */

/* "all 32 lanes", "lane 3", "lanes 0 to 15", "16 lanes (0, 2, 4, ...)". */
function lanesText(lanes) {
    if (lanes.length === 32)
        return say("all 32 lanes");
    if (lanes.length === 1)
        return say("lane {lane}", { lane: lanes[0] });
    if (lanes[lanes.length - 1] - lanes[0] === lanes.length - 1)
        return say("lanes {first} to {last}", { first: lanes[0], last: lanes[lanes.length - 1] });
    return say("{count} lanes ({some})", { count: lanes.length,
        some: lanes.slice(0, 4).join(", ") + (lanes.length > 4 ? ", …" : "") });
}

function accessText(recording, step) {
    const shared = step.area.filter(isShared).length, at = rank =>
        recording.place(step, step.area[rank], step.offset[rank]);
    const last = step.lanes.length - 1;
    const place = last && at(0) !== at(last) ? say("{from} to {to}", { from: at(0), to: at(last) }) : at(0);
    const what = say(ACCESS[step.kind][(shared ? 0 : 2) + (last ? 1 : 0)], { lanes: lanesText(step.lanes), place });
    let cost = "";
    if (shared && step.cost)
        cost = step.ideal ? say("{cost} wavefronts where {ideal} would do: a bank conflict",
            { cost: step.cost, ideal: step.ideal }) :
            counted(step.cost, word("1 wavefront"), word("{count} wavefronts"));
    else if (step.cost)
        cost = counted(step.cost, word("1 sector"), word("{count} sectors"));
    return cost ? say("{what}: {cost}", { what, cost }) : what;
}

function stepText(recording, step) {
    if (!step)
        return say("Nothing is done yet.");
    const who = step.warp === undefined ? say("Block {block}", { block: step.block }) :
        say("Warp {warp} of block {block}", { warp: step.warp, block: step.block });
    const what = isPassed(step) ? say(step.kind === "pass" ? word("all threads have come to the barrier and go on") :
        word("all threads of the cluster have come to its barrier")) : SAID[step.kind] ?
        say(SAID[step.kind][step.lanes.length === 1 ? 0 : 1], { lanes: lanesText(step.lanes),
            operation: say(OPERATIONS[step.operation] || "") }) : accessText(recording, step);
    return step.line ? say("{who}, line {line}: {what}.", { who, line: step.line, what }) : say("{who}: {what}.", { who, what });
}

/* What was found at the step: by --check, and an element that was verified and is wrong. */
const marksOf = recording => [...recording.told.findings, ...recording.wrong];
const foundAt = at => marksOf(player.recording).filter(each => each.step === at);

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
    part("said").textContent = say("Step {at} of {count}. {said}", { at: recording.at, count: recording.count,
        said: stepText(recording, step) });
    part("found").textContent = found.map(each => each.text.split("\n")[0]).join(" ");
    part("found").hidden = !found.length;
}

function showStep() {
    const { recording } = player, step = recording.step;
    sayStep();
    drawStep();
    part("slider").value = recording.at;
    part("slider").setAttribute("aria-valuetext", say("step {at} of {count}", { at: recording.at, count: recording.count }));
    part("count").textContent = `${recording.at} / ${recording.count}`;
    if (step)
        part("launch").value = step.launch;
    player.mark(step);
    part("play").textContent = player.timer ? "❚❚" : "▶";
    part("play").setAttribute("aria-label", player.timer ? say("Pause") : say("Play"));
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
const isBarrier = step => isPassed(step) || step.kind === "warp";
function faster(by) {
    const list = part("speed"), was = player.timer;
    list.selectedIndex = Math.max(0, Math.min(list.options.length - 1, list.selectedIndex + by));
    if (was) {
        stop();
        play();
    }
}

/* --- opening --------------------------------------------------------------------------------- */

/* A few words for what was found: "race", or "y[17] is wrong". */
function markText(recording, each) {
    if (!recording.wrong.includes(each))
        return each.text.replace(/^--check: (\w+):.*/s, "$1");
    return each.a === undefined ? say("a result is wrong") :
        say("{place} is wrong", { place: recording.place({ launch: each.l }, each.a, each.o) });
}

function fill(told) {
    const recording = player.recording = new Recording(told), launches = part("launch"), found = part("findings");
    launches.replaceChildren(...told.launches.map((launch, at) => made("option", { value: at },
        `${launch.label ? launch.label + ": " : ""}${launch.kernel} <<<${launch.grid[0] * launch.grid[1] * launch.grid[2]}, ` +
        `${launch.block[0] * launch.block[1] * launch.block[2]}>>>`)));
    part("slider").max = recording.count;
    found.replaceChildren(...marksOf(recording).map(each => {
        const { what, step } = { what: markText(recording, each), step: each.step + 1 };
        if (!step)
            return made("span", { title: each.text }, say("✗ {what}: no step here wrote what stands there", { what }));
        const button = made("button", { type: "button", title: each.text },
            recording.wrong.includes(each) ? say("✗ {what}: written at step {step}", { what, step }) :
                say("⚠ {what} at step {step}", { what, step }));
        button.addEventListener("click", () => toStep(step));
        return button;
    }));
    found.hidden = !found.children.length;
    part("note").textContent = told.cut ? say("The first steps of a longer launch.") : "";
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
    const found = marksOf(player.recording).map(each => each.step).filter(step => step >= 0);
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
    if (asked && !was)
        player.pane = one(".pane:not([hidden])")?.id;
    if (!asked) {
        stop();
        player.mark(null);
        if (was && player.pane) /* the source, or the editor of docs/serve */
            show(player.pane);
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
