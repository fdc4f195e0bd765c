/* What a page does by itself. Without it the pages are whole: links, tables, code and figures. */
"use strict";
const one = (what, of = document) => of.querySelector(what);
const all = (what, of = document) => [...of.querySelectorAll(what)];
const body = document.body, root = document.documentElement;
const wide = matchMedia("(min-width: 64rem)");

/* --- what is kept from page to page ------------------------------------------------------------ */
function kept(name, value) {
    try {
        if (value !== undefined)
            localStorage.setItem("cuda-steps " + name, value);
        return localStorage.getItem("cuda-steps " + name) || "";
    } catch (e) { /* a browser that keeps nothing */
        return value || "";
    }
}

const setTheme = theme =>
    (root.dataset.theme = theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
const otherTheme = () => setTheme(kept("theme", root.dataset.theme === "dark" ? "light" : "dark"));
setTheme(kept("theme"));
one("#theme").addEventListener("click", otherTheme);

/* --- text and source --------------------------------------------------------------------------- */
const blocks = all("article [data-lines]");
const made = (name, properties, ...inside) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...inside);
    return element;
};
const linesOf = new Map(blocks.map(block => [block, block.dataset.lines.split(";").flatMap(part => {
    const [file, ranges] = part.split(":");
    return ranges.split(",").flatMap(range => {
        const [first, last] = range.split("-").map(Number);
        return Array.from({ length: last - first + 1 }, (_, at) => `L${file}-${first + at}`);
    });
})]));
let now = null, held = 0, later; /* the block whose lines are lit; until when scrolling does not change it */

function show(pane) {
    for (const each of all(".pane"))
        each.hidden = each.id !== pane;
    for (const button of all(".tabs button"))
        button.setAttribute("aria-pressed", button.dataset.pane === pane);
    body.classList.toggle("comparing", pane === "since" && wide.matches);
}

function view(name) {
    body.dataset.view = name;
    for (const button of all(".views button"))
        button.setAttribute("aria-pressed", button.dataset.view === name);
    if (name === "source" && now)
        light(now);
}

function light(block) {
    for (const old of all(".line.lit, article .now"))
        old.classList.remove("lit", "now");
    now = block;
    if (!block)
        return;
    const lines = linesOf.get(block).map(id => document.getElementById(id)).filter(line => line);
    block.classList.add("now");
    for (const line of lines)
        line.classList.add("lit");
    if (!lines.length || one(".pane[data-stays]:not([hidden])"))
        return;
    const pane = lines[0].closest(".pane");
    if (pane.hidden)
        show(pane.id);
    const top = lines[0].offsetTop, end = lines[lines.length - 1].offsetTop + 20;
    if (!wide.matches) {
        if (body.dataset.view === "source")
            lines[0].scrollIntoView({ block: "center" });
    } else if (top < pane.scrollTop || Math.min(end, top + pane.clientHeight / 2) > pane.scrollTop + pane.clientHeight)
        pane.scrollTo({ top: Math.max(0, top - pane.clientHeight / 4) });
}

function go(block) {
    held = Date.now() + 1000;
    view("text");
    if (body.classList.contains("comparing"))
        show("f0");
    block.closest("details")?.setAttribute("open", "");
    block.scrollIntoView({ block: "center" });
    light(block);
}

/* What the page says of a line: what speaks of the fewest lines first, then round. */
function saidOf(line) {
    const saying = blocks.filter(block => linesOf.get(block).includes(line.id));
    saying.sort((a, b) => linesOf.get(a).length - linesOf.get(b).length);
    return saying[(saying.indexOf(now) + 1) % saying.length];
}

function followScroll() {
    clearTimeout(later);
    if (Date.now() < held)
        later = setTimeout(followScroll, held - Date.now() + 10);
    if (Date.now() < held || !wide.matches && body.dataset.view === "source")
        return;
    const seen = blocks.filter(block => {
        const at = block.getBoundingClientRect();
        return block.offsetParent && at.bottom > 60 && at.top < innerHeight;
    });
    const read = seen.filter(block => block.getBoundingClientRect().top < innerHeight * 0.4).pop() || seen[0];
    if (read && read !== now)
        light(read);
}

for (const block of blocks)
    block.addEventListener("mouseenter", () => {
        held = Date.now() + 400;
        light(block);
    });
for (const pane of all(".pane"))
    pane.addEventListener("click", event => {
        const line = event.target.closest(".line.spoken");
        if (line && String(getSelection()) === "") {
            event.preventDefault();
            go(saidOf(line));
        }
    });
for (const link of all("a.of-code"))
    link.addEventListener("click", event => {
        event.preventDefault();
        view("source");
        held = Date.now() + 1000;
        light(link.closest("[data-lines]") || now);
    });
for (const button of all(".tabs button"))
    button.addEventListener("click", () => show(button.dataset.pane));
for (const button of all(".views button"))
    button.addEventListener("click", () => view(button.dataset.view));
let waiting = false;
addEventListener("scroll", () => {
    if (!waiting && blocks.length)
        requestAnimationFrame(() => { waiting = false; followScroll(); });
    waiting = true;
}, { passive: true });

function nextBlock(step) {
    const shown = blocks.filter(block => block.offsetParent);
    const next = shown[Math.max(0, shown.indexOf(now) + step)];
    if (next)
        go(next);
}

/* Beside the source the same code need not stand in the text as well. */
function fold() {
    for (const block of all("details.codeblock"))
        block.open = !(wide.matches && body.classList.contains("two"));
}
fold();
wide.addEventListener("change", fold);
addEventListener("beforeprint", () => all("details").forEach(each => { each.open = true; }));
addEventListener("afterprint", fold);

/* --- counters per line ------------------------------------------------------------------------- */
const heat = one("#heat");
const setHeat = kind => { /* nothing, where a page has no such counter */
    heat.value = kind;
    body.dataset.heat = heat.value;
};
if (heat) {
    setHeat(kept("heat"));
    heat.addEventListener("change", () => setHeat(kept("heat", heat.value)));
}

/* --- pictures, words of the glossary ----------------------------------------------------------- */
for (const picture of all(".picture"))
    picture.addEventListener("click", () => {
        const from = one("img", picture), to = one("#large img");
        to.src = from.src;
        to.alt = from.alt;
        one("#large").showModal();
    });
for (const dialog of all("dialog"))
    dialog.addEventListener("click", event => event.target === dialog && dialog.close());

function tip(said, link, shown) {
    said.hidden = !shown;
    const at = link.getBoundingClientRect();
    said.style.left = Math.max(8, Math.min(at.left, innerWidth - said.offsetWidth - 16)) + "px";
    said.style.top = (at.bottom + said.offsetHeight + 12 > innerHeight ? at.top - said.offsetHeight - 6
        : at.bottom + 6) + "px";
}
for (const link of all("a.term")) {
    let said = document.getElementById("tip-" + link.dataset.term), first; /* touch: shows it */
    link.setAttribute("aria-describedby", "tip-" + link.dataset.term);
    for (const [event, shown] of [["mouseenter", 1], ["focus", 1], ["mouseleave", 0], ["blur", 0]])
        link.addEventListener(event, () => tip(said, link, shown));
    link.addEventListener("pointerdown", event => { first = event.pointerType === "touch" && said.hidden; });
    link.addEventListener("click", event => { first && event.preventDefault(); first = false; });
}

/* --- commands ----------------------------------------------------------------------------------- */
for (const block of all("pre.command")) {
    const button = made("button", { type: "button", className: "copy" }, body.dataset.copy);
    button.addEventListener("click", () => navigator.clipboard.writeText(one("code", block).textContent.trim())
        .then(() => { button.textContent = body.dataset.copied; }));
    block.prepend(button);
}

/* --- search ------------------------------------------------------------------------------------ */
function openSearch() {
    if (!window.searchData && !one("#search-data"))
        document.head.append(made("script", { id: "search-data", src: root.dataset.search, onload: find }));
    one("#search").showModal();
    one("#words").select();
}

/* What stands around the first word. */
function around(text, words) {
    const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 60);
    return made("small", {}, (at ? "… " : "") + text.slice(at, at + 180));
}

/* What a question has besides its words, and endings. */
const FILLERS = /^(how|do|does|i|you|we|to|a|an|the|what|which|why|when|where|is|are|can|of|in|on|for|my|it|and)$/;
const stem = word => word.length > 4 ? word.replace(/(ing|ed|s|\?)$/, "") : word;

/* Titles and the glossary first; among equals the order of the pages. */
function find() {
    const given = one("#words").value.toLowerCase().split(/[\s?]+/).filter(word => word);
    const asked = given.filter(word => !FILLERS.test(word)), words = (asked.length ? asked : given).map(stem);
    const hits = !words.length ? [] : (window.searchData || []).map(hit => {
        const [href, page, title, text] = hit.map(part => part.toLowerCase());
        const phrase = words.join(" "), found = words.filter(word => title.includes(word)).length;
        const has = words.every(word => `${page} ${title} ${text}`.includes(word));
        const entry = found && href.startsWith("glossary."), same = title.split(" ").map(stem).join(" ") === phrase;
        return [has ? 1 + 9 * same + 3 * entry + 2 * title.includes(phrase) + found : 0, ...hit];
    }).filter(hit => hit[0]).sort((a, b) => b[0] - a[0]).slice(0, 30);
    one("#found").replaceChildren(...hits.map(([, href, page, title, text]) => made("li", {},
        made("a", { href }, made("b", {}, page ? `${page}: ${title}` : title), around(text, words)))));
    if (words.length && !hits.length && window.searchData)
        one("#found").textContent = body.dataset.nothing;
}
one("#words").addEventListener("input", find);
one("#words").addEventListener("keydown", event => {
    if (!event.isComposing && (event.key === "Enter" || event.key === "ArrowDown")) {
        event.preventDefault();
        one("#found a")?.[event.key === "Enter" ? "click" : "focus"]();
    }
});
one("#found").addEventListener("click", () => one("#search").close());
one("#find").addEventListener("click", openSearch);
one("#help").addEventListener("click", () => one("#keys").showModal());

/* --- slides ------------------------------------------------------------------------------------ */
const slides = all("#slides .slide");
const slideAt = () => location.hash.match(/^#slides(?:-(\d+))?$/);

function showSlides() {
    const at = slides.length && slideAt();
    body.classList.toggle("showing", Boolean(at));
    if (!slides.length)
        return;
    one("#slides").hidden = !at;
    const shown = Math.min(slides.length, Math.max(1, Number(at && at[1]) || 1));
    slides.forEach((slide, number) => slide.classList.toggle("current", number + 1 === shown));
}
function toSlide(step) {
    const next = Number(slideAt()[1] || 1) + step;
    if (next >= 1 && next <= slides.length)
        location.replace("#slides-" + next);
}
addEventListener("hashchange", showSlides);
showSlides();

/* --- keys -------------------------------------------------------------------------------------- */
const turn = (step, page) => slideAt() ? toSlide(step) : page && location.assign(page);
const keys = {
    ArrowLeft: () => turn(-1, body.dataset.before), ArrowRight: () => turn(1, body.dataset.next),
    PageUp: () => toSlide(-1), PageDown: () => toSlide(1), " ": () => toSlide(1),
    s: () => slides.length && (location.hash = slideAt() ? "#text" : "#slides"),
    Escape: () => slideAt() && (location.hash = "#text"), w: () => one("#watch") && (location.hash = "#watch"),
    j: () => nextBlock(1), k: () => nextBlock(-1), t: otherTheme, "/": openSearch,
    d: () => one("#since") && show(one("#since").hidden ? "since" : "f0"),
    h: () => heat && setHeat(kept("heat", heat.options[(heat.selectedIndex + 1) % heat.options.length].value)),
    "?": () => one("#keys").showModal(),
};
addEventListener("keydown", event => {
    const typing = one("dialog[open]") || event.target.offsetParent && /* null: closed, in focus for a frame more */
        event.target.matches("input, select, textarea, [contenteditable]");
    const scrolls = ["ArrowLeft", "ArrowRight"].includes(event.key) && !slideAt() &&
        event.target.matches(".pane, pre, .wide") && event.target.scrollWidth > event.target.clientWidth;
    const ofSlides = ["PageUp", "PageDown", " "].includes(event.key);
    if (typing || scrolls || event.ctrlKey || event.altKey || event.metaKey || !keys[event.key] || ofSlides && !slideAt())
        return;
    event.preventDefault();
    keys[event.key]();
});
addEventListener("keydown", event => {
    if (event.key === "Escape")
        all(".tip").forEach(each => { each.hidden = true; }), one(".menu").open = false;
});
if (blocks.length)
    followScroll();
