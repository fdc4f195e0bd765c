/*
 * A recording of --record-steps (docs/watch.md says what stands in it), and what is where at each of its steps.
 * Knows nothing of the page: watch-draw.js draws what it tells, watch.js plays it.
 */
"use strict";
const WARP = 32, BANKS = 32, WORD = 4, SECTOR = 32;
const ACCESSES = { load: "read", store: "write", atomic: "update", copy: "read", arrive: "write", refused: "refused" };
const isShared = area => String(area).startsWith("shared");
const isPassed = step => step.kind === "pass" || step.kind === "together"; /* a barrier of the block, or cluster */

class Recording {
    constructor(told) {
        this.told = told;
        this.wrong = told.wrong || []; /* elements that were verified, and are wrong */
        this.steps = told.steps.map((step, at) => this.opened(step, at));
        this.count = this.steps.length;
        this.at = 0; /* so many steps are done; the last of them is shown */
        this.cells = new Map(); /* "area:word" to {value, by}; by: the step that wrote it, or -1 */
        this.warps = new Map(); /* "launch:block:warp" to the state of each lane */
        this.undo = [];
        this.first = this.firstValues();
        this.inParts = new Set([...this.first.keys()].filter(key => key.includes(".", key.indexOf(":")))
            .map(key => key.slice(0, key.indexOf(":"))).map(area => /^\d+$/.test(area) ? Number(area) : area));
        this.kinds = new Map();
    }

    /* A step with what its short form leaves out, lane by lane. */
    opened(short, at) {
        const lanes = [];
        for (let lane = 0; lane < WARP; lane++)
            if ((short.m || 0) >>> lane & 1)
                lanes.push(lane);
        const words = Math.max(1, (short.n || 0) / WORD | 0);
        const value = (list, rank) => !list ? null :
            list.length === words ? list : list.slice(rank * words, (rank + 1) * words);
        return {
            at, kind: short.k, launch: short.l, block: short.b, warp: short.w, lanes, words, bytes: short.n || 0,
            operation: short.op, file: short.p === undefined ? "" : this.told.places[short.p][0],
            line: short.p === undefined ? 0 : this.told.places[short.p][1],
            area: lanes.map((_, rank) => Array.isArray(short.a) ? short.a[rank] : short.a),
            offset: lanes.map((lane, rank) => short.o ? short.o[rank] : short.f + short.d * (lane - lanes[0])),
            before: lanes.map((_, rank) => value(short.v, rank)), after: lanes.map((_, rank) => value(short.r, rank)),
            cost: short.c, ideal: short.i, /* ideal: where there are more wavefronts than that */
            writes: ["store", "atomic", "arrive"].includes(short.k),
        };
    }

    /* The name of a word. */
    key(step, rank, word = 0) {
        const area = this.areaKey(step, step.area[rank]);
        const at = step.offset[rank] / WORD; /* of a byte or two: a part of a word */
        return `${area}:${step.bytes < WORD ? at : Math.floor(at) + word}`;
    }

    /* Shared memory is a block's own, or, as "shared:3", that of another one of the cluster. */
    areaKey(step, area) {
        return isShared(area) ? `s${step.launch}.${area.split(":")[1] || step.block}` : area;
    }

    /* What stood in each word before anything of this was done, as far as the first to touch it has seen it. */
    firstValues() {
        const first = new Map();
        for (const step of this.steps)
            if (step.kind in ACCESSES && step.kind !== "refused")
                step.lanes.forEach((_, rank) => (step.before[rank] || []).forEach((value, word) => {
                    const key = this.key(step, rank, word);
                    if (value !== null && !first.has(key))
                        first.set(key, { value, by: -1 });
                }));
        return first;
    }

    cell(key) {
        return this.cells.get(key) || this.first.get(key);
    }

    /* What stands in a word, as text; of a word that is written in parts, these. */
    wordText(area, word, as, narrow) {
        const whole = this.cell(`${area}:${word}`)?.value;
        if (!this.inParts.has(area))
            return this.text(whole, area, as, narrow);
        const parts = [0, 0.25, 0.5, 0.75].map(part => this.cell(`${area}:${word + part}`)?.value);
        return parts.slice(1).every(part => part === undefined) ? this.text(whole, area, "int") :
            parts.map(part => part === undefined ? "·" : part).join(" ");
    }

    lanesOf(launch, block, warp) {
        const key = `${launch}:${block}:${warp}`;
        if (!this.warps.has(key))
            this.warps.set(key, new Array(WARP).fill("runs"));
        return this.warps.get(key);
    }

    /* --- forwards and backwards ----------------------------------------------------------------- */

    forwards() {
        if (this.at === this.count)
            return false;
        const step = this.steps[this.at++], was = { cells: [], lanes: [] };
        const set = (warp, lane, state) => {
            const lanes = this.lanesOf(step.launch, step.block, warp);
            was.lanes.push([lanes, lane, lanes[lane]]);
            lanes[lane] = state;
        };
        const states = { wait: "waits", grid: "waits for the grid", cluster: "waits for the cluster",
            object: "waits for an object", end: "ended", refused: "refused" };
        if (isPassed(step))
            for (let warp = 0; warp < 4; warp++)
                this.lanesOf(step.launch, step.block, warp).forEach((state, lane) => state.startsWith("waits") &&
                    (state === states.cluster) === (step.kind === "together") && set(warp, lane, "runs"));
        step.lanes.forEach(lane => {
            const state = states[step.kind] || "runs";
            if (this.lanesOf(step.launch, step.block, step.warp)[lane] !== state)
                set(step.warp, lane, state);
        });
        if (step.kind in ACCESSES && step.kind !== "refused")
            step.lanes.forEach((_, rank) => {
                const values = step.writes ? step.after[rank] : step.before[rank];
                (values || []).forEach((value, word) => {
                    const key = this.key(step, rank, word), old = this.cell(key);
                    if (value === null || !step.writes && old?.value === value)
                        return;
                    was.cells.push([key, this.cells.get(key)]);
                    this.cells.set(key, { value, by: step.writes ? step.at : -1 });
                });
            });
        this.undo.push(was);
        return true;
    }

    backwards() {
        if (!this.at)
            return false;
        const was = this.undo.pop();
        this.at--;
        was.cells.reverse().forEach(([key, old]) => old ? this.cells.set(key, old) : this.cells.delete(key));
        was.lanes.reverse().forEach(([lanes, lane, state]) => { lanes[lane] = state; });
        return true;
    }

    to(at) {
        while (this.at < Math.min(at, this.count))
            this.forwards();
        while (this.at > Math.max(at, 0))
            this.backwards();
    }

    get step() {
        return this.at ? this.steps[this.at - 1] : null;
    }

    /* --- what an access touches ----------------------------------------------------------------- */

    /* Of shared memory: how many words are asked for in each bank. */
    banks(step) {
        const found = Array.from({ length: BANKS }, () => new Set());
        step.lanes.forEach((_, rank) => {
            for (let word = 0; isShared(step.area[rank]) && word < step.words; word++) {
                const at = Math.floor(step.offset[rank] / WORD) + word;
                found[at % BANKS].add(at);
            }
        });
        return found.map(words => words.size);
    }

    /* Of global memory: which sectors of 32 bytes, "area:number". */
    sectors(step) {
        const found = new Set();
        step.lanes.forEach((_, rank) => {
            if (isShared(step.area[rank]))
                return;
            const last = step.offset[rank] + Math.max(1, step.bytes) - 1;
            for (let at = Math.floor(step.offset[rank] / SECTOR); at <= Math.floor(last / SECTOR); at++)
                found.add(`${step.area[rank]}:${at}`);
        });
        return found;
    }

    /* --- names and values ----------------------------------------------------------------------- */

    /* The array that a place is in, by the launch's names: {name, index, element, start}. */
    array(step, area, offset) {
        const launch = this.told.launches[step.launch];
        let best = null;
        if (isShared(area)) {
            best = launch.shared.find(part => offset >= part.at && offset < part.at + part.bytes) || null;
        } else {
            for (const array of launch.arrays)
                if (array.area === area && array.at <= offset && (!best || array.at > best.at))
                    best = array;
        }
        const element = best?.element || WORD, start = best?.at || 0;
        return { name: best?.name || (isShared(area) ? "shared" : this.areaName(area)), element, start,
            lengths: best?.lengths || [], index: Math.floor((offset - start) / element) };
    }

    areaName(area) {
        const told = this.told.areas[area];
        return told ? told.name || `allocation ${told.allocation}` : "memory";
    }

    /* s[3], or tile[0][32]; of another block's shared memory that block, too. */
    place(step, area, offset) {
        const { name, index, lengths } = this.array(step, area, offset);
        let rest = index, text = "";
        for (let at = lengths.length - 1; at > 0; at--) {
            text = `[${rest % lengths[at]}]${text}`;
            rest = Math.floor(rest / lengths[at]);
        }
        const place = `${name}[${rest}]${text}`, block = isShared(area) && area.split(":")[1];
        return block ? say("{place} of block {block}", { place, block }) : place;
    }

    /* What most words of an area are that are not 0: "float", "int", or "bits", which as floats would be of any size. */
    kindOf(area) {
        const name = String(area).startsWith("s") ? "shared" : String(area);
        if (!this.kinds.size)
            this.countKinds();
        const { floats = 0, others = 0, wild = 0 } = this.kinds.get(name) || {};
        return floats <= others ? "int" : 2 * wild > Math.max(floats, 32) ? "bits" : "float";
    }

    countKinds() {
        for (const step of this.steps)
            step.lanes.forEach((_, rank) => {
                const name = step.kind === "warp" ? "warp" : String(step.area[rank]).split(":")[0];
                const of = this.kinds.get(name) || { floats: 0, others: 0, wild: 0 };
                for (const value of [...step.before[rank] || [], ...step.after[rank] || []]) {
                    const exponent = value >>> 23 & 255;
                    if (value && value !== 0xffffffff) /* small whole numbers have no exponent, or all of its bits */
                        of[exponent > 0 && exponent < 255 ? "floats" : "others"]++;
                    of.wild += exponent > 0 && Math.abs(exponent - 127) > 32 && exponent < 255;
                }
                this.kinds.set(name, of);
            });
    }

    /* A word as text: as "auto", "float", "int" or "hex". narrow: with fewer digits, so that they can be larger. Bits
       that tell elements apart are told by their first digits, which also tell the order of unsigned keys. */
    text(value, area, as, narrow) {
        if (value === null || value === undefined)
            return "";
        if (as === "hex")
            return (value >>> 0).toString(16);
        const kind = as === "auto" ? this.kindOf(area) : as;
        if (kind === "int")
            return String(value | 0);
        if (kind === "bits" && value && value !== 0xffffffff)
            return (value >>> 20).toString(16).padStart(3, "0");
        Recording.bits.setUint32(0, value);
        return shortNumber(Recording.bits.getFloat32(0), narrow);
    }
}
Recording.bits = new DataView(new ArrayBuffer(8));

/* A number in at most 5 characters or so; narrow: in at most 3, but for a sign or an exponent. */
function shortNumber(value, narrow) {
    if (!Number.isFinite(value))
        return Number.isNaN(value) ? "NaN" : value > 0 ? "inf" : "-inf";
    const size = Math.abs(value);
    if (Number.isInteger(value) && size < 1e5)
        return String(value);
    if (size >= 1e5 || size < 1e-3)
        return value.toExponential(0).replace("e+", "e");
    if (size >= 100)
        return String(Math.round(value));
    const digits = narrow ? (size < 0.1 ? 1 : 2) : size < 1 ? 2 : 3;
    return String(Number(value.toPrecision(digits))).replace(/^(-?)0\./, "$1.");
}
