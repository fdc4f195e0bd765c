/*
 * Draws a step of a recording on a canvas: the lanes of each warp as a row, shared memory as 32 banks, global memory as
 * sectors of 32 bytes, four in a row. What a colour says, a sign or a pattern says too.
 */
"use strict";
/* Okabe and Ito's colours, which those who are colour-blind can tell apart. */
const PAINT = {
    light: { ground: "#ffffff", ink: "#1c1e21", quiet: "#5a6068", line: "#c3c8cf", idle: "#f2f3f5", read: "#bfe0f5",
        write: "#ffd98a", update: "#f1c9e0", warp: "#bfe8d9", refused: "#f4b59a", edge: "#0072b2", strong: "#d55e00" },
    dark: { ground: "#15171b", ink: "#f2f4f7", quiet: "#a3abb5", line: "#454b54", idle: "#1f2227", read: "#0b4a72",
        write: "#6b4a00", update: "#5d2a49", warp: "#0d4f3d", refused: "#7a2f08", edge: "#56b4e9", strong: "#ff9a4d" },
};
const SIGN = { load: "↓", store: "↑", atomic: "⇅", copy: "⇣", arrive: "⇡", warp: "↔", refused: "!" };
const COLOUR = { load: "read", copy: "read", store: "write", arrive: "write", atomic: "update", warp: "warp",
    refused: "refused" };

const ONE_BLOCK = word("lanes 0 to 31; 1 block of {threads} threads"),
    MANY_BLOCKS = word("lanes 0 to 31; {blocks} blocks of {threads} threads");

const HEAD = 26, TALLEST = 40, NARROW = 44; /* pixels: of a title, of a row at most, of a cell for 2 digits */
const EMS = { ".": 0.32, "-": 0.37, " ": 0.32, "·": 0.32, N: 0.75 }, LETTER = 0.64; /* how wide they are */

class Picture {
    constructor(canvas) {
        this.canvas = canvas;
        this.context = canvas.getContext("2d");
    }

    /* settings: {as: how values are shown, theme}. Returns how long it took, in ms. */
    draw(recording, settings) {
        const begun = performance.now(), scale = window.devicePixelRatio || 1;
        const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
        if (this.canvas.width !== Math.round(width * scale) || this.canvas.height !== Math.round(height * scale)) {
            this.canvas.width = Math.round(width * scale);
            this.canvas.height = Math.round(height * scale);
        }
        const c = this.context;
        c.setTransform(scale, 0, 0, scale, 0, 0);
        c.textBaseline = "middle";
        this.font = "";
        this.paint = PAINT[settings.theme] || PAINT.light;
        this.recording = recording;
        this.as = settings.as;
        this.step = recording.step || recording.steps[0];
        this.done = Boolean(recording.step);
        this.left = Math.max(72, Math.min(150, width * 0.11));
        this.cell = (width - this.left - 4) / WARP;
        this.narrow = this.cell < NARROW;
        c.fillStyle = this.paint.ground;
        c.fillRect(0, 0, width, height);
        if (this.step)
            this.drawAll(height);
        return performance.now() - begun;
    }

    drawAll(height) {
        const shared = this.sharedRows(), warps = this.warpsOf();
        let areas, fixed, own;
        for (let most = 8; most >= 2; most--) { /* fewer rows rather than such that show no value */
            areas = this.areas(most);
            fixed = HEAD * (1 + (shared.length ? 1 : 0) + areas.length) + 4;
            own = Math.max(14, Math.min(TALLEST, (height - fixed) * 0.4 / Math.max(1, warps)));
            const rows = shared.length + areas.reduce((sum, area) => sum + area.rows.length, 0);
            this.row = Math.max(2, Math.min(TALLEST, (height - fixed - own * warps) / Math.max(1, rows)));
            if (this.row >= 15)
                break;
        }
        let y = this.drawWarps(2, own, warps);
        if (shared.length)
            y = this.drawShared(y, shared);
        for (const area of areas)
            y = this.drawArea(y, area);
    }

    text(text, x, y, size, colour, align = "left", bold = false, most = undefined) {
        const c = this.context;
        const font = `${bold ? "700 " : ""}${Math.round(size)}px "DejaVu Sans", "Segoe UI", system-ui, sans-serif`;
        if (font !== this.font) /* to set it costs more than the text */
            this.font = c.font = font;
        c.fillStyle = this.paint[colour] || colour;
        c.textAlign = align;
        c.fillText(text, x, y, most);
    }

    /* As large as fits the cell, or not at all. */
    value(text, x, y, width, height) {
        const ems = [...text].reduce((sum, each) => sum + (EMS[each] || LETTER), 0);
        const size = Math.min(height * 0.62, 20, width * 0.86 / Math.max(2.5 * LETTER, ems));
        if (text && size >= 6.5)
            this.text(text, x + width / 2, y + height / 2 + 0.5, size, "ink", "center");
    }

    box(x, y, width, height, fill, edge, thick) {
        const c = this.context;
        c.fillStyle = this.paint[fill];
        c.fillRect(x, y, width, height);
        c.strokeStyle = this.paint[edge];
        c.lineWidth = thick;
        c.strokeRect(x + thick / 2, y + thick / 2, width - thick, height - thick);
    }

    stripes(x, y, width, height) {
        const c = this.context;
        c.save();
        c.beginPath();
        c.rect(x, y, width, height);
        c.clip();
        c.strokeStyle = this.paint.quiet;
        c.lineWidth = 1;
        c.beginPath();
        for (let at = -height; at < width; at += 6) {
            c.moveTo(x + at, y + height);
            c.lineTo(x + at + height, y);
        }
        c.stroke();
        c.restore();
    }

    head(text, y, note = "", strong = false) {
        this.text(text, 4, y + 11, 15, "ink", "left", true);
        if (note)
            this.text(note, this.left + WARP * this.cell, y + 11, 15, strong ? "strong" : "quiet", "right", strong);
        return y + 22;
    }

    /* --- lanes ---------------------------------------------------------------------------------- */

    warpsOf() {
        const block = this.recording.told.launches[this.step.launch].block;
        return Math.min(4, Math.ceil(block[0] * block[1] * block[2] / WARP));
    }

    drawWarps(y, height, warps) {
        const { step } = this, launch = this.recording.told.launches[step.launch];
        const threads = launch.block[0] * launch.block[1] * launch.block[2];
        const blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
        y = this.head(say("Block {block}", { block: step.block }), y, say(blocks > 1 ? MANY_BLOCKS : ONE_BLOCK, { blocks, threads }));
        for (let warp = 0; warp < warps; warp++, y += height) {
            const now = this.done && step.warp === warp && step.lanes.length > 0, states = this.recording.lanesOf(
                step.launch, step.block, warp);
            const name = say("warp {warp}", { warp });
            this.text(now ? `▶ ${name} ${SIGN[step.kind] || ""}` : name, 4, y + height / 2,
                Math.min(14, height * 0.6), "ink", "left", now, this.left - 8);
            for (let lane = 0; lane < WARP && warp * WARP + lane < threads; lane++)
                this.drawLane(this.left + lane * this.cell, y, height, states[lane], now ? step.lanes.indexOf(lane) : -1);
        }
        return y + 4;
    }

    drawLane(x, y, height, state, rank) {
        const { step } = this, active = rank >= 0 && COLOUR[step.kind];
        if (active)
            this.box(x, y + 1, this.cell - 1, height - 2, COLOUR[step.kind], "ink", 2);
        else
            this.box(x, y + 1, this.cell - 1, height - 2, state === "ended" ? "ground" : "idle", "line", 1);
        if (state.startsWith("waits"))
            this.stripes(x, y + 1, this.cell - 1, height - 2);
        if (active) {
            const values = step.kind === "warp" ? step.after[rank] || step.before[rank] : step.writes ? step.after[rank] :
                step.before[rank];
            this.value(step.kind === "refused" ? "!" : this.recording.text(values?.[0], this.kindOf(rank), this.as,
                this.narrow), x, y, this.cell, height);
        } else if (state.startsWith("waits")) {
            this.box(x + this.cell * 0.28, y + height * 0.22, this.cell * 0.42, height * 0.56, "ground", "ground", 1);
            this.text("II", x + this.cell / 2, y + height / 2, Math.min(13, height * 0.5), "ink", "center", true);
        } else {
            this.text({ ended: "–", refused: "!" }[state] || "·", x + this.cell / 2, y + height / 2,
                Math.min(14, height * 0.6), "quiet", "center");
        }
    }

    kindOf(rank) {
        return this.step.kind === "warp" ? "warp" : this.step.area[rank];
    }

    /* --- memory --------------------------------------------------------------------------------- */

    /* {word: rank of the lane} of what this step touches in an area. */
    touched(area) {
        const found = new Map();
        if (this.done && this.step.kind in ACCESSES)
            this.step.lanes.forEach((_, rank) => {
                if (this.step.area[rank] === area)
                    for (let word = 0; word < this.step.words; word++)
                        found.set(Math.floor(this.step.offset[rank] / WORD) + word, rank);
            });
        return found;
    }

    /* The rows of 32 words of an area that the launch touches; those about this step where they are too many. */
    rowsOf(area, most) {
        const key = this.recording.areaKey(this.step, area), name = `${this.step.launch}/${key}`;
        this.known = this.known?.of === this.recording ? this.known : { of: this.recording };
        if (!this.known[name]) {
            const rows = new Set();
            for (const step of this.recording.steps)
                if (step.launch === this.step.launch && step.kind in ACCESSES)
                    step.area.forEach((each, rank) => {
                        if (each === area || isShared(area) && isShared(each))
                            for (let word = 0; word < step.words; word++)
                                rows.add(Math.floor((Math.floor(step.offset[rank] / WORD) + word) / BANKS));
                    });
            for (const each of this.recording.wrong)
                if (each.a === area && each.l === this.step.launch)
                    rows.add(Math.floor(each.o / WORD / BANKS));
            this.known[name] = [...rows].sort((a, b) => a - b);
        }
        const rows = this.known[name], now = [...new Set([...this.touched(area).keys()].map(word => Math.floor(word / BANKS)))];
        if (rows.length <= most)
            return rows;
        if (now.length)
            this.known[name + " shown"] = Math.min(rows.indexOf(Math.min(...now)), Math.max(0, rows.length - most));
        const first = this.known[name + " shown"] || 0, shown = rows.slice(first, first + Math.max(most, 1));
        return now.every(row => shown.includes(row)) ? shown : now.sort((a, b) => a - b).slice(0, 64);
    }

    /* Which shared memory is shown: the block's own, but where the step touches that of another one. */
    shared() {
        return this.step.area.find(isShared) || "shared";
    }

    sharedRows() {
        return this.recording.told.launches[this.step.launch].shared.length ? this.rowsOf(this.shared(), 33) : [];
    }

    areas(most) {
        const found = new Set();
        for (const step of this.recording.steps)
            if (step.launch === this.step.launch && step.kind in ACCESSES)
                step.area.forEach(area => !isShared(area) && found.add(area));
        for (const each of this.recording.wrong)
            if (each.a !== undefined && each.l === this.step.launch)
                found.add(each.a);
        return [...found].sort((a, b) => a - b).map(area => ({ area, rows: this.rowsOf(area, most) }));
    }

    drawShared(y, rows) {
        const { step } = this, now = this.done && step.area.some(isShared) && step.cost;
        const shown = this.shared(), block = shown.split(":")[1];
        y = this.head(block ? say("Shared memory of block {block}: 32 banks", { block }) : say("Shared memory: 32 banks"), y, !now ? "" : step.ideal ?
            say("⚠ bank conflict: {cost} wavefronts, not {ideal}", { cost: step.cost, ideal: step.ideal }) :
            counted(step.cost, word("1 wavefront, no conflict"), word("{count} wavefronts, no conflict")), Boolean(step.ideal));
        const top = y;
        y = this.drawRows(y, shown, rows, this.recording.areaKey(step, shown));
        const c = this.context;
        const banks = now && step.ideal ? this.recording.banks(step) : [], most = Math.max(...banks);
        banks.forEach((words, bank) => { /* those that all others wait for */
            if (words < most)
                return;
            const x = this.left + bank * this.cell;
            c.strokeStyle = this.paint.strong;
            c.lineWidth = 2;
            c.setLineDash([5, 3]);
            c.strokeRect(x - 0.5, top - 1, this.cell, y - top);
            c.setLineDash([]);
        });
        return y + 4;
    }

    drawArea(y, { area, rows }) {
        const { step } = this, sectors = this.done && this.step.kind in ACCESSES ?
            [...this.recording.sectors(this.step)].filter(each => each.startsWith(area + ":")) : [];
        const { name } = this.recording.array(this.step, area, rows.length ? rows[0] * BANKS * WORD : 0);
        const bytes = this.recording.told.areas[area]?.bytes || 0;
        const wrong = this.wrongOf(area);
        y = this.head(say("Global memory: {name}", { name }), y, wrong.length ?
            say("✗ wrong: {place}", { place: this.recording.place({ launch: wrong[0].l }, area, wrong[0].o) }) : sectors.length ?
            counted(step.cost || sectors.length, word("1 sector of 32 bytes"), word("{count} sectors of 32 bytes")) :
            say("{bytes} bytes", { bytes }), wrong.length > 0);
        const top = y;
        y = this.drawRows(y, area, rows, area);
        const c = this.context;
        for (const each of sectors) {
            const sector = Number(each.split(":")[1]), row = rows.indexOf(Math.floor(sector / 4));
            if (row < 0)
                continue;
            c.strokeStyle = this.paint.ink;
            c.lineWidth = this.row < 14 ? 1.5 : 3;
            c.strokeRect(this.left + sector % 4 * 8 * this.cell - 1, top + row * this.row - 0.5, 8 * this.cell, this.row);
        }
        for (const each of wrong)
            this.crossOut(each, top, rows);
        return y + 4;
    }

    /* The wrong elements of an area that stand there now: behind the step that wrote them, or all along. */
    wrongOf(area) {
        return this.recording.wrong.filter(each => each.a === area && each.step < this.recording.at);
    }

    /* A frame about the words of a wrong element, with a sign beside it that needs no colour. */
    crossOut(each, top, rows) {
        const c = this.context;
        c.strokeStyle = this.paint.strong;
        c.lineWidth = 3;
        for (let word = Math.floor(each.o / WORD); word * WORD < each.o + each.n; word++) {
            const row = rows.indexOf(Math.floor(word / BANKS)), x = this.left + word % BANKS * this.cell;
            if (row < 0)
                continue;
            c.strokeRect(x, top + row * this.row, this.cell - 1, this.row - 1);
            this.text("✗", x + this.cell - 2, top + row * this.row + Math.min(7, this.row / 2), Math.min(12, this.row), "strong", "right", true);
        }
    }

    /* Cells that nothing touches, at once; every so manieth line between them is a strong one. */
    grid(y, rows, strong) {
        const c = this.context, width = WARP * this.cell, height = rows * this.row;
        c.fillStyle = this.paint.idle;
        c.fillRect(this.left, y, width, height);
        for (const [colour, each] of [["line", 1], ["quiet", strong]]) {
            c.strokeStyle = this.paint[colour];
            c.lineWidth = 1;
            c.beginPath();
            for (let at = 0; at <= WARP; at += each) {
                c.moveTo(this.left + at * this.cell - 0.5, y);
                c.lineTo(this.left + at * this.cell - 0.5, y + height);
            }
            for (let at = 0; at <= rows && each === 1; at++) {
                c.moveTo(this.left, y + at * this.row - 0.5);
                c.lineTo(this.left + width, y + at * this.row - 0.5);
            }
            if (each > 1 || colour === "line")
                c.stroke();
        }
    }

    drawRows(y, area, rows, key) {
        const touched = this.touched(area), { recording, step } = this;
        this.grid(y, rows.length, isShared(area) ? 1 : 8);
        for (const row of rows) {
            if (this.row >= 10)
                this.text(recording.place(step, isShared(area) ? "shared" : area, row * BANKS * WORD), 4, y + this.row / 2,
                    Math.min(14, this.row * 0.7), "quiet", "left", false, this.left - 8);
            for (let at = 0; at < BANKS; at++) {
                const at32 = row * BANKS + at, rank = touched.get(at32), x = this.left + at * this.cell;
                if (rank !== undefined)
                    this.box(x, y, this.cell - 1, this.row - 1, COLOUR[step.kind], "ink", this.row < 8 ? 1 : 2);
                if (this.row >= 10)
                    this.value(recording.wordText(key, at32, this.as, this.narrow), x, y, this.cell, this.row);
            }
            y += this.row;
        }
        return y;
    }
}
