/*
 * What a step's page does with docs/serve: it asks the server, and hands what a run says to those that show it.
 *
 * A script of its own for each concern, loaded behind this one (SCRIPTS in docs/server/web.py):
 *   live.action({ name, label, key, title })   a button in the bar above the editor; name: of ACTIONS in web.py
 *   live.panel({ begins, takes, ends, edited })
 *                                             begins(action): a run begins; takes(event): an object that worker.py
 *                                             wrote; ends(told): {end: status, why}; edited(): the text has changed.
 *                                             Each may be left out.
 *   live.place(element)                       puts an element below the editor
 */
"use strict";
const live = {
    step: one("meta[name=step]").content,
    language: root.lang.slice(0, 2),
    words: {}, panels: [], actions: [], running: null,

    say: (text, values = {}) => Object.entries(values).reduce((made, [name, value]) =>
        made.replaceAll(`{${name}}`, value), live.words[text]?.[live.language] || text),

    panel: panel => live.panels.push(panel),
    action: action => live.actions.push(action),
    place: element => one("#told").append(element),
    all: (what, ...given) => live.panels.forEach(panel => panel[what]?.(...given)),

    /* The answer to a request: {ok, told}, or a stream that the caller reads. */
    async post(what, given, more = {}) {
        return fetch("live/" + what, {
            method: "POST", body: JSON.stringify({ step: live.step, language: live.language, ...given }),
            headers: { "Content-Type": "application/json", "X-Token": localStorage.getItem("cuda-steps token") || "" },
            ...more,
        });
    },
    async ask(what, given, more) {
        try {
            const answer = await live.post(what, given, more), text = await answer.text();
            return { ok: answer.ok, told: live.parsed(text) };
        } catch (error) {
            return { ok: false, told: { error: live.say("The server does not answer: is docs/serve still running?") } };
        }
    },
    parsed(text) {
        try {
            return JSON.parse(text);
        } catch (error) {
            return { error: text.trim() };
        }
    },

    /* Runs an action on what the editor holds; takes(event) of each panel gets what comes. */
    async run(action, given) {
        if (live.running)
            return;
        live.running = { action, ended: null, leave: new AbortController() };
        live.all("begins", action);
        try {
            const answer = await live.post("run", { action, ...given }, { signal: live.running.leave.signal });
            if (answer.ok)
                await live.read(answer.body.getReader());
            else
                live.all("takes", { refused: true, ...live.parsed(await answer.text()) });
        } catch (error) {
            live.all("takes", { error: live.say("The server does not answer: is docs/serve still running?") });
        }
        const ended = live.running.ended || { end: null, why: null };
        live.running = null;
        live.all("ends", ended, action);
    },
    async read(reader) {
        const decoder = new TextDecoder();
        let rest = "";
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
            const lines = (rest + decoder.decode(part.value, { stream: true })).split("\n");
            rest = lines.pop();
            for (const line of lines.filter(line => line)) {
                const event = line.startsWith("{") ? live.parsed(line) : { said: line };
                if ("end" in event)
                    live.running.ended = event;
                else
                    live.all("takes", event);
            }
        }
    },
    stop: what => live.ask("stop", { what }),
};
live.ready = fetch("live/words.json").then(answer => answer.json()).then(words => { live.words = words; }, () => {});
