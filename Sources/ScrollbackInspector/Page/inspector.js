"use strict";

// Texts of the client reach the document only as textContent, and never as HTML.

const $ = (id) => document.getElementById(id);

/** Creates an element with a class, and a text or children. */
function el(tag, className, ...content) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...content.filter((part) => part !== null && part !== undefined && part !== ""));
    return element;
}

/** Shows control and direction characters, which could reorder or hide text, as their numbers. */
function visible(text) {
    return String(text ?? "").replace(
        /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/g,
        (mark) => "‹" + mark.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "›");
}

/** A text of the client, isolated from the direction of its surroundings. */
const bdi = (text) => el("bdi", "", visible(text));

const twoDigits = (number) => String(number).padStart(2, "0");

function clock(milliseconds, withMilliseconds) {
    const date = new Date(milliseconds);
    return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":")
        + (withMilliseconds ? "." + String(date.getMilliseconds()).padStart(3, "0") : "");
}

function day(milliseconds) {
    const date = new Date(milliseconds);
    return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

const time = (milliseconds) =>
    milliseconds === null || milliseconds === undefined
        ? "" : `${day(milliseconds)} ${clock(milliseconds).slice(0, 5)}`;

function bytes(count) {
    if (count < 1000) return `${count} B`;
    const units = ["kB", "MB", "GB"];
    let unit = -1;
    let size = count;
    do { size /= 1000; unit += 1; } while (size >= 999.5 && unit < units.length - 1);
    return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

const grouped = (number) => Number(number).toLocaleString("en");
const counted = (number, noun) => `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;

function duration(milliseconds) {
    if (milliseconds < 1000) return `${milliseconds} ms`;
    if (milliseconds < 60000) return `${(milliseconds / 1000).toFixed(1)} s`;
    return `${Math.floor(milliseconds / 60000)} min ${Math.round(milliseconds / 1000) % 60} s`;
}

// MARK: Requests

async function get(name, parameters) {
    // Not URLSearchParams, which writes a space as a plus sign.
    const query = Object.entries(parameters ?? {})
        .filter(([, value]) => value !== null && value !== undefined && value !== "")
        .map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
    const response = await fetch(`${name}?${query}`);
    if (!response.ok) throw new Error(await response.text());
    return response.json();
}

async function act(name, parameters, question) {
    if (question && !confirm(question)) return;
    try {
        const response = await fetch("action", {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ name, ...parameters }),
        });
        if (!response.ok) throw new Error(await response.text());
        toast((await response.json()).result);
    } catch (error) {
        toast(error.message);
    }
    refresh();
}

let toastTimer = null;
function toast(text) {
    $("toast").textContent = visible(text);
    $("toast").hidden = false;
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => { $("toast").hidden = true; }, 6000);
}

function button(label, action, title) {
    const element = el("button", "", label);
    if (title) element.title = title;
    element.addEventListener("click", (event) => {
        event.stopPropagation();
        action();
    });
    return element;
}

// MARK: A list that has elements only for the visible rows

class VirtualList {
    /**
     * @param element The scrolling element.
     * @param make Returns the element of a row for its index; `null` while it is not loaded.
     * @param choose Is called with the index of the row that the user opens.
     * @param scrolled Is called with the first and the last visible index.
     */
    constructor(element, make, choose, scrolled) {
        Object.assign(this, { element, make, choose, scrolled, count: 0, selected: -1 });
        this.space = el("div", "space");
        element.append(this.space);
        element.addEventListener("scroll", () => this.draw(), { passive: true });
        new ResizeObserver(() => this.draw()).observe(element);
        element.addEventListener("click", (event) => {
            const row = event.target.closest(".row");
            if (!row) return;
            this.select(Number(row.dataset.index));
            this.choose(this.selected);
        });
        element.addEventListener("keydown", (event) => this.key(event));
    }

    get rowHeight() {
        return parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row"));
    }

    setCount(count) {
        this.count = count;
        if (this.selected >= count) this.selected = -1;
        this.draw();
    }

    range() {
        const height = this.rowHeight;
        const first = Math.max(0, Math.floor(this.element.scrollTop / height) - 5);
        const last = Math.min(
            this.count - 1, Math.ceil((this.element.scrollTop + this.element.clientHeight) / height) + 5);
        return [first, last];
    }

    draw() {
        const height = this.rowHeight;
        this.space.style.height = `${this.count * height}px`;
        const [first, last] = this.range();
        const rows = [];
        for (let index = first; index <= last; index += 1) {
            const row = this.make(index);
            if (!row) continue;
            row.dataset.index = index;
            row.id = `${this.element.id}-${index}`;
            row.setAttribute("role", "option");
            row.setAttribute("aria-setsize", this.count);
            row.setAttribute("aria-posinset", index + 1);
            row.setAttribute("aria-selected", index === this.selected);
            row.style.top = `${index * height}px`;
            rows.push(row);
        }
        this.space.replaceChildren(...rows);
        if (this.selected >= 0)
            this.element.setAttribute("aria-activedescendant", `${this.element.id}-${this.selected}`);
        else this.element.removeAttribute("aria-activedescendant");
        this.scrolled?.(first, last);
    }

    select(index) {
        if (this.count === 0) return;
        this.selected = Math.min(Math.max(index, 0), this.count - 1);
        const height = this.rowHeight;
        const top = this.selected * height;
        const view = this.element;
        if (top < view.scrollTop) view.scrollTop = top;
        else if (top + height > view.scrollTop + view.clientHeight)
            view.scrollTop = top + height - view.clientHeight;
        this.draw();
    }

    key(event) {
        const page = Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight) - 1);
        const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
        if (event.key in moves) this.select(this.selected + moves[event.key]);
        else if (event.key === "Home") this.select(0);
        else if (event.key === "End") this.select(this.count - 1);
        else if (event.key === "Enter" && this.selected >= 0) this.choose(this.selected);
        else return;
        event.preventDefault();
    }
}

// MARK: The state of the page

let overview = {};
let view = "channels";
let isStreaming = false;

async function showOverview() {
    overview = await get("overview");
    const state = isStreaming ? overview.connection : "the page is not connected to the app";
    const tone = !isStreaming ? "bad" : overview.connection === "online" ? "good" : "wait";
    $("client").replaceChildren(
        ...(overview.userID
            ? [bdi(overview.userID), overview.nickname ? " (" : "",
                overview.nickname ? bdi(overview.nickname) : "", overview.nickname ? ") " : " "]
            : ["no user "]),
        el("span", `badge ${tone}`, state),
        overview.messageCount === undefined ? "" :
            `  ${counted(overview.channelCount, "channel")}, ${counted(overview.messageCount, "message")}`,
        overview.isStored ? "" : ", in memory", overview.masksTexts ? ", texts are masked" : "");
    $("count-channels").textContent =
        overview.channelCount === undefined ? "" : grouped(overview.channelCount);
    $("count-outbox").textContent = overview.outboxCount ? grouped(overview.outboxCount) : "";
    $("warnings").textContent = visible(overview.warnings.join("; "));
    $("client-actions").hidden = !overview.allowsActions;
    if (overview.allowsActions) {
        $("client-actions").replaceChildren(
            overview.canGoOnline
                ? button("Go online", () => act("online"))
                : button("Go offline", () => act("offline")));
    }
}

// MARK: Coverage

/** The weights of the parts: open ends have a fixed width, the rest is proportional to time. */
function barParts(bar, from, to) {
    const weighted = [];
    const low = from ?? bar.oldest;
    const high = to ?? bar.newest;
    const span = low === undefined || low === null ? 0 : high - low;
    for (const part of bar.parts) {
        const lower = part.lower ?? -Infinity;
        const upper = part.upper ?? Infinity;
        let weight;
        if (span > 0) {
            const begin = Math.max(lower, low);
            const end = Math.min(upper, high);
            if (upper < low || lower > high) continue;
            weight = Math.max(0, end - begin) / span;
            const isOpen = (part.lower === undefined && from === undefined)
                || (part.upper === undefined && to === undefined);
            if (isOpen && part.kind !== "known") weight += 0.06;
        } else {
            weight = 1;
        }
        weighted.push({ part, weight });
    }
    return weighted;
}

function describe(part) {
    const ends = [part.lower, part.upper].map((end, index) =>
        end === undefined ? (index === 0 ? "the beginning" : "the newest end") : time(end));
    const inside = part.count === undefined ? "" : `, ${counted(part.count, "message")}`;
    return `${part.kind}: ${ends[0]} to ${ends[1]}${inside}`;
}

function drawBar(element, bar, from, to) {
    element.replaceChildren(...barParts(bar, from, to).map(({ part, weight }) => {
        const block = el("i", part.kind);
        block.style.flexGrow = String(weight);
        block.title = describe(part);
        return block;
    }));
    element.setAttribute("aria-label", bar.parts.map(describe).join("; "));
    return element;
}

// MARK: Channels

const channels = {
    rows: new Map(), version: 0, text: "", filter: "all", sort: "last", order: "descending",
    loading: null, list: null, matching: 0,

    start() {
        this.list = new VirtualList($("channel-list"), (index) => this.row(index), (index) => {
            const row = this.rows.get(index);
            if (row) location.hash = `#channel/${encodeURIComponent(row.url)}`;
        }, (first, last) => this.fill(first, last));
        for (const name of ["filter", "sort"])
            $(name).addEventListener("change", () => { this[name] = $(name).value; this.reset(); });
        $("search").addEventListener("input", () => { this.text = $("search").value; this.reset(); });
        $("search").addEventListener("keydown", (event) => {
            if (event.key === "Enter" || event.key === "ArrowDown") {
                $("channel-list").focus();
                this.list.select(0);
                event.preventDefault();
            }
        });
        $("order").addEventListener("click", () => {
            const isDescending = this.order !== "descending";
            this.order = isDescending ? "descending" : "ascending";
            $("order").textContent = isDescending ? "↓" : "↑";
            $("order").title = isDescending ? "Descending" : "Ascending";
            $("order").setAttribute("aria-pressed", isDescending);
            this.reset();
        });
    },

    reset() {
        $("channel-list").scrollTop = 0;
        this.list.selected = -1;
        return this.refresh();
    },

    async load(offset, limit) {
        const version = ++this.version;
        const page = await get("channels", {
            offset, limit, text: this.text, filter: this.filter, sort: this.sort, order: this.order,
        });
        if (version !== this.version) return;
        this.rows = new Map(page.rows.map((row, index) => [page.offset + index, row]));
        this.matching = page.matching;
        $("channels-total").textContent = page.matching === page.total
            ? counted(page.total, "channel") : `${grouped(page.matching)} of ${counted(page.total, "channel")}`;
        this.list.setCount(page.matching);
        $("channel-list").dataset.loaded = version;
    },

    refresh() {
        const [first] = this.list.range();
        return this.load(Math.max(0, first - 40), 120);
    },

    /** Loads the rows around the visible ones, if one of these is missing. */
    fill(first, last) {
        if (this.loading || last < first) return;
        if (this.rows.has(first) && this.rows.has(last)) return;
        this.loading = this.load(Math.max(0, first - 40), 120)
            .catch((error) => toast(error.message))
            .finally(() => {
                this.loading = null;
                const [nextFirst, nextLast] = this.list.range();
                if (nextFirst !== first || nextLast !== last) this.fill(nextFirst, nextLast);
            });
    },

    row(index) {
        const row = this.rows.get(index);
        if (!row) return el("div", "row loading", "…");
        const bar = el("div", "bar");
        bar.setAttribute("role", "img");
        if (row.bar) drawBar(bar, row.bar);
        const name = el("div", "name", el("b", "", bdi(row.name || row.url)));
        if (row.name && row.name !== row.url) name.append(el("small", "", bdi(row.url)));
        if (row.isKeptInCache) name.append(" ", el("span", "badge plain", "kept"));
        if (row.unsent) name.append(" ", el("span", "badge wait", `${row.unsent} unsent`));
        if (row.error) name.append(" ", el("span", "badge bad", visible(row.error)));
        return el("div", "row channel", name, bar,
            el("div", "number", grouped(row.messages), el("small", "", "messages")),
            el("div", "number bytes", (row.isEstimate ? "≈ " : "") + bytes(row.bytes),
                el("small", "", "stored")),
            el("div", "number", row.unread
                ? el("span", "badge unread", `${grouped(row.unread)} unread`) : ""),
            el("div", "number last", time(row.last), el("small", "", "last activity")));
    },
};

// MARK: A channel

const channel = {
    url: null, rows: [], at: null, older: 200, newer: 0, list: null, bar: null, from: undefined,
    to: undefined, hasPrevious: false, hasNext: false, isGrowing: false, chosen: null, isAtEnd: true,

    start() {
        this.list = new VirtualList($("history-list"), (index) => this.row(index),
            (index) => this.choose(index), (first, last) => this.grow(first, last));
        $("to-newest").addEventListener("click", () => this.goTo(null));
        $("close-details").addEventListener("click", () => this.closeDetails());
        $("zoom-in").addEventListener("click", () => this.zoom(0.5));
        $("zoom-out").addEventListener("click", () => this.zoom(2));
        $("zoom-all").addEventListener("click", () => this.zoom(null));
        $("coverage-bar").addEventListener("click", (event) => {
            const box = $("coverage-bar").getBoundingClientRect();
            const [low, high] = this.shownRange();
            if (low === undefined || !(high > low)) return;
            this.goTo(Math.round(low + (high - low) * (event.clientX - box.left) / box.width));
        });
    },

    open(url) {
        if (this.url === url) return;
        Object.assign(this, {
            url, rows: [], at: null, older: 200, newer: 0, bar: null, from: undefined, to: undefined,
            isAtEnd: true,
        });
        this.closeDetails();
        this.list.selected = -1;
        this.list.setCount(0);
        $("channel-name").textContent = "";
        $("channel-url").textContent = visible(url);
    },

    async refresh() {
        const url = this.url;
        const [report, history] = await Promise.all([
            get("channel", { channel: url }),
            get("history", { channel: url, at: this.at, older: this.older, newer: this.newer }),
        ]);
        if (url !== this.url) return;
        this.showReport(report);
        this.showHistory(history);
        if (this.chosen) await this.showDetails();
    },

    showReport(report) {
        this.bar = report.bar;
        $("channel-name").textContent = visible(report.name || report.url);
        const stale = report.bar.parts.filter((part) => part.kind === "stale");
        $("channel-facts").textContent = [
            counted(report.messageCount, "message"),
            report.gaps.length === 0 ? "no gaps" : counted(report.gaps.length, "gap"),
            stale.length === 0 ? "" : counted(stale.length, "stale range"),
            report.tombstoneCount ? counted(report.tombstoneCount, "tombstone") : "",
            report.isKeptInCache ? "kept" : "", ...report.activity,
        ].filter(Boolean).map(visible).join(" · ");
        this.drawCoverage();
        $("gaps").hidden = report.gaps.length === 0;
        $("gaps").querySelector("summary").textContent = counted(report.gaps.length, "gap");
        $("gaps").querySelector("div").replaceChildren(...report.gaps.map((gap) => el("p", "",
            el("code", "", visible(`${gap.lower} to ${gap.upper}`)),
            gap.inside ? ` · ${counted(gap.inside, "message")} stored individually` : "",
            gap.hasCursor ? " · the backfill has a cursor to continue from" : "",
            gap.hasChanges ? " · a changelog has to be read" : "", " ",
            overview.allowsActions ? this.backfillButton(gap.upper) : "")));
        $("kinds").querySelector("div").replaceChildren(...report.kinds
            .filter((kind) => kind.count !== 0 || kind.missingBelow)
            .map((kind) => el("p", "", [
                kind.name, kind.count ?? "",
                kind.missingBelow ? `at least: complete down to ${kind.missingBelow}` : "",
            ].filter((part) => part !== "").map((part) => visible(`${part}`)).join(" · "))));
        $("channel-actions").hidden = !overview.allowsActions;
        if (overview.allowsActions && !$("channel-actions").childElementCount) {
            $("channel-actions").append(
                button("Fetch newest", () => act("backfill", { channel: this.url })),
                button("Verify", () => act("verify", { channel: this.url })),
                button("Repair", () => act("repair", { channel: this.url })),
                button("Clear messages", () => act("clear", { channel: this.url },
                    "Remove the messages of this channel from the device? They can be fetched again.")));
        }
    },

    backfillButton(upper) {
        const id = upper.includes("/") ? upper.slice(upper.indexOf("/") + 1) : null;
        return button("Fetch a page", () => act("backfill", { channel: this.url, upper: id }));
    },

    shownRange() {
        return [this.from ?? this.bar?.oldest, this.to ?? this.bar?.newest];
    },

    drawCoverage() {
        drawBar($("coverage-bar"), this.bar, this.from, this.to);
        const [low, high] = this.shownRange();
        $("coverage-from").textContent = time(low);
        $("coverage-to").textContent = time(high);
        const shown = this.rows.filter((row) => row.kind === "message");
        if (shown.length && high > low) {
            const middle = this.at ?? shown[shown.length - 1].at;
            const place = el("i", "place");
            place.style.left = `${Math.min(100, Math.max(0, (middle - low) / (high - low) * 100))}%`;
            $("coverage-bar").append(place);
        }
    },

    zoom(factor) {
        if (!this.bar || this.bar.oldest === undefined) return;
        const { oldest, newest } = this.bar;
        if (factor === null) {
            [this.from, this.to] = [undefined, undefined];
        } else {
            const [low, high] = this.shownRange();
            const width = Math.max(1000, (high - low) * factor);
            const center = this.at ?? (factor < 1 && this.from === undefined ? newest : (low + high) / 2);
            const begin = Math.max(oldest, Math.min(center - width / 2, newest - width));
            if (width >= newest - oldest) [this.from, this.to] = [undefined, undefined];
            else [this.from, this.to] = [begin, begin + width];
        }
        this.drawCoverage();
    },

    async goTo(at) {
        Object.assign(this, { at, older: 200, newer: at === null ? 0 : 200, isAtEnd: at === null });
        this.list.selected = -1;
        this.list.setCount(0);
        await this.refresh();
        if (at === null) return;
        const index = this.rows.findIndex((row) => row.kind === "message" && row.at >= at);
        const list = $("history-list");
        list.scrollTop = Math.max(0, (index < 0 ? this.rows.length : index) * this.list.rowHeight
            - list.clientHeight / 2);
        this.drawCoverage();
    },

    showHistory(history) {
        const list = $("history-list");
        const height = this.list.rowHeight;
        const wasAtEnd = this.rows.length === 0
            || list.scrollTop + list.clientHeight >= this.list.count * height - 4;
        const anchorIndex = Math.floor(list.scrollTop / height);
        const anchor = this.rows[anchorIndex];
        const offset = list.scrollTop - anchorIndex * height;
        const selected = this.rows[this.list.selected];
        const same = (row) => (other) => other.kind === row.kind && other.id === row.id
            && other.requestID === row.requestID;
        const hadRows = this.rows.length > 0;
        this.rows = history.rows;
        [this.hasPrevious, this.hasNext] = [history.hasPrevious, history.hasNext];
        this.list.selected = selected ? this.rows.findIndex(same(selected)) : -1;
        this.list.setCount(this.rows.length);
        if (this.at === null && wasAtEnd) {
            list.scrollTop = this.rows.length * height;
        } else if (anchor && hadRows) {
            const index = this.rows.findIndex(same(anchor));
            if (index >= 0) list.scrollTop = index * height + offset;
        }
        $("to-newest").hidden = this.at === null;
        const messages = this.rows.filter((row) => row.kind === "message");
        $("history-range").textContent = this.rows.length === 0 ? "Nothing is stored."
            : `${counted(messages.length, "message")}`
                + (messages.length ? `, ${time(messages[0].at)} to ${time(messages[messages.length - 1].at)}` : "")
                + (this.hasPrevious ? " · older history exists" : " · the beginning of the history");
        list.dataset.count = this.rows.length;
        this.drawCoverage();
    },

    /** Reads more rows when the user is near an end of them. */
    grow(first, last) {
        if (this.isGrowing || this.rows.length === 0) return;
        const oldest = this.rows.find((row) => row.kind === "message");
        let change = null;
        if (first < 20 && $("history-list").scrollTop < this.list.rowHeight * 20) {
            const messages = this.rows.filter((row) => row.kind === "message").length;
            if (messages >= this.older + this.newer || (this.at !== null && this.hasPrevious && messages >= this.older)) {
                if (this.older < 1000) change = { older: this.older + 200 };
                else if (oldest) change = { at: oldest.at, older: 400, newer: 600 };
            }
        }
        if (!change && this.at !== null && this.hasNext && last >= this.rows.length - 20
            && this.newer < 2000) {
            const newest = this.rows.filter((row) => row.kind === "message").pop();
            if (newest && newest.at >= this.at) change = { newer: this.newer + 200 };
        }
        if (!change) return;
        this.isGrowing = true;
        Object.assign(this, change);
        const before = this.rows.length;
        this.refresh().catch((error) => toast(error.message)).finally(() => {
            // If the server does not have this end, do not request it again immediately.
            setTimeout(() => { this.isGrowing = false; }, this.rows.length === before ? 1000 : 0);
        });
    },

    row(index) {
        const row = this.rows[index];
        if (!row) return null;
        if (row.kind === "gap") {
            return el("div", "row gap", el("span", "", "gap"),
                el("span", "code", visible(`${row.lower} to ${row.upper}`)),
                overview.allowsActions ? this.backfillButton(row.upper) : "");
        }
        const head = el("div", "head", el("b", "", bdi(row.sender ?? "")), time(row.at));
        if (row.type && row.type !== "user") head.append(" · ", visible(row.type));
        if (row.source) head.append(" · ", visible(row.source.split(" ")[0]));
        const marks = el("div", "head");
        const add = (tone, text) => marks.append(" ", el("span", `badge ${tone}`, text));
        if (row.kind === "unsent") add(row.status === "failed" ? "bad" : "wait", visible(row.status));
        if (row.updatedAt && row.updatedAt !== row.at) add("plain", "edited");
        if (row.reactionCount) add("plain", counted(row.reactionCount, "reaction"));
        if (row.replyCount) add("plain", counted(row.replyCount, "reply").replace("replys", "replies"));
        if (row.fileCount) add("plain", counted(row.fileCount, "file"));
        const body = el("div", "body");
        body.dir = "auto";
        body.textContent = visible(row.text)
            + (row.length > 300 && row.text.length <= 300 ? `… (${counted(row.length, "character")})` : "");
        const kind = row.kind === "unsent" ? (row.status === "failed" ? "failed" : "unsent") : "";
        return el("div", `row message ${kind}`, head, marks, body);
    },

    choose(index) {
        const row = this.rows[index];
        if (!row || row.kind === "gap") return;
        this.chosen = row.kind === "unsent" ? { request: row.requestID } : { id: row.id };
        this.showDetails().catch((error) => toast(error.message));
    },

    async showDetails() {
        const chosen = this.chosen;
        let report;
        try {
            report = await get("message", { channel: this.url, ...chosen });
        } catch (error) {
            if (chosen === this.chosen) this.closeDetails();
            return;
        }
        if (chosen !== this.chosen) return;
        const panel = $("details");
        panel.querySelector("h3").textContent = visible(chosen.id ?? chosen.request);
        panel.querySelector("dl").replaceChildren(...report.facts.flatMap((fact) =>
            [el("dt", "", fact.label), el("dd", "", visible(fact.value))]));
        panel.querySelector("tbody").replaceChildren(...report.fields.map((field) => {
            const name = el("td", "", "\u00A0\u00A0".repeat(field.depth) + (field.name ?? "unknown field"));
            const value = el("td", "code", bdi(field.value));
            value.dir = "auto";
            return el("tr", field.name === undefined ? "unknown" : "",
                el("td", "", String(field.number)), name, value);
        }));
        panel.hidden = false;
    },

    closeDetails() {
        this.chosen = null;
        $("details").hidden = true;
    },
};

// MARK: Outbox

async function showOutbox() {
    const report = await get("outbox");
    const tones = { pending: "wait", "in flight": "good", failed: "bad" };
    $("outbox-list").replaceChildren(...(report.items.length ? report.items.map((item) => {
        const link = el("a", "", bdi(item.channel));
        link.href = `#channel/${encodeURIComponent(item.channel)}`;
        const card = el("div", "card",
            el("p", "", el("span", `badge ${tones[item.state] ?? "plain"}`, visible(item.state)), " ",
                el("b", "", visible(item.operation)), " in ", link,
                item.target ? ` · target ${visible(item.target)}` : "",
                ` · ${counted(item.attempts, "attempt")}`,
                item.retryAt ? ` · next attempt after ${clock(item.retryAt)}` : "",
                item.isDoubtful ? " · the server may have it" : ""),
            el("p", "", bdi(item.text)));
        for (const file of item.files)
            card.append(el("p", "", "file ", bdi(file.name), ` · ${bytes(file.size)}`,
                file.isUploaded ? " · uploaded" : ""));
        if (item.progress) {
            const progress = el("progress");
            progress.max = item.progress.total;
            progress.value = item.progress.bytes;
            card.append(el("p", "", progress,
                ` ${bytes(item.progress.bytes)} of ${bytes(item.progress.total)}`));
        }
        if (item.error) card.append(el("p", "result error", visible(item.error)));
        card.append(el("p", "hint code", visible(`${item.requestID} · ${time(item.createdAt)}`)));
        if (overview.allowsActions) {
            card.append(el("div", "actions",
                item.state === "failed" ? button("Resend", () => act("resend", { requestID: item.requestID })) : "",
                button("Cancel", () => act("cancel", { requestID: item.requestID }, "Cancel this item?"))));
        }
        card.dataset.state = item.state;
        return card;
    }) : [el("p", "empty", "The outbox is empty.")]));
}

// MARK: Sync

async function showSync() {
    const report = await get("sync");
    const facts = [
        ["connection", report.connection], ["feed", report.isLive ? "live" : "catching up"],
        ["last answer of the feed", report.lastFeed
            ? `${clock(report.lastFeed)}, ${duration(Math.max(0, report.now - report.lastFeed))} ago`
            : "none since a page was opened"],
        ["channels to sync", String(report.channelsLeft)],
    ];
    if (report.failure) facts.push(["failure", report.failure]);
    $("sync-state").replaceChildren(...facts.flatMap(([label, value]) =>
        [el("dt", "", label), el("dd", "", visible(value))]));

    const phases = report.phases;
    $("phases").replaceChildren(...phases.map((phase, index) => {
        const end = phases[index + 1]?.at ?? report.now;
        const part = el("i", `phase-${phase.state}`);
        part.style.flexGrow = String(Math.max(1, end - phase.at));
        part.title = `${phase.state} at ${clock(phase.at)}, for ${duration(Math.max(0, end - phase.at))}`;
        return part;
    }));
    $("phases").setAttribute("aria-label",
        phases.map((phase) => `${phase.state} at ${clock(phase.at)}`).join("; "));

    const names = [...new Set(report.calls.map((call) => call.name))].sort();
    const filter = $("call-filter");
    const chosen = filter.value;
    filter.replaceChildren(...["", ...names].map((name) => {
        const option = el("option", "", name || "all");
        option.value = name;
        return option;
    }));
    filter.value = names.includes(chosen) ? chosen : "";

    const span = Number($("call-span").value) * 1000;
    const calls = report.calls.filter((call) => !filter.value || call.name === filter.value).reverse();
    $("calls").replaceChildren(...(calls.length ? calls.map((call) => {
        const isError = !["done", "running", "canceled", "not followed"].includes(call.result);
        const end = call.ended ?? report.now;
        const bar = el("i", isError ? "error" : call.result === "done" ? "done"
            : call.result === "running" ? "running" : "canceled");
        const position = (at) => Math.min(100, Math.max(0, 100 - (report.now - at) / span * 100));
        bar.style.left = `${Math.min(99.4, position(call.began))}%`;
        bar.style.width = `${Math.max(0, position(end) - position(call.began))}%`;
        const result = [
            call.ended ? duration(call.ended - call.began) : "",
            call.result === "done" ? "" : call.result,
            call.count ? counted(call.count, "record") : "", call.bytes ? bytes(call.bytes) : "",
            call.attempt > 1 ? `attempt ${call.attempt}` : "", call.message ?? "",
        ].filter(Boolean).join(" · ");
        const row = el("div", "call",
            el("div", "", clock(call.began, true)),
            el("div", "name", el("b", "", visible(call.name)), el("small", "",
                call.channel ? bdi(call.channel) : "", call.channel && call.detail ? " · " : "",
                visible(call.detail))),
            el("div", "lane", bar),
            el("div", isError ? "result error" : "result", visible(result)));
        row.dataset.call = call.name;
        return row;
    }) : [el("p", "empty", "No request since a page was opened.")]));

    const notes = [...report.notes].reverse();
    $("notes").replaceChildren(...(notes.length ? notes.map((note) => el("div", "note",
        el("time", "", clock(note.at, true)), el("span", "kind", visible(note.kind)),
        el("span", "", note.channel ? bdi(note.channel) : "", note.channel ? ": " : "", visible(note.text))))
        : [el("p", "empty", "Nothing since a page was opened.")]));
}

// MARK: Store

async function showStore() {
    const report = await get("store");
    $("store-facts").replaceChildren(...[
        ["directory", report.directory ?? "in memory"],
        ["encrypted", report.isEncrypted ? "yes" : "no"],
        ["peak memory of the process", bytes(report.peakMemory)],
        ["opening", report.opening.join("; ")],
    ].flatMap(([label, value]) => [el("dt", "", label), el("dd", "", visible(value))]));
    $("databases").replaceChildren(...report.databases.flatMap((database) => [
        el("h2", "", `${database.name}: ${bytes(database.bytes)}`),
        el("p", "hint", database.memory === undefined ? "" : `LevelDB's memory: ${bytes(database.memory)}`),
        el("pre", "", visible(database.levels ?? "")),
    ]));
    $("client-clear")?.remove();
    if (overview.allowsActions) {
        const actions = el("div", "actions",
            button("Evict to the limit", () => act("evict")),
            button("Clear the cache", () => act("clear", {},
                "Remove all data that can be fetched again? The outbox is kept.")));
        actions.id = "client-clear";
        $("store-facts").after(actions);
    }
}

function table(headings, rows, numbers) {
    return el("table", "",
        el("thead", "", el("tr", "", ...headings.map((text, index) =>
            el("th", numbers.includes(index) ? "number" : "", text)))),
        el("tbody", "", ...rows.map((row) => el("tr", "", ...row.map((value, index) =>
            el("td", numbers.includes(index) ? "number" : "", visible(value)))))));
}

function onDemand(id, target, load) {
    $(id).addEventListener("click", async () => {
        $(id).disabled = true;
        $(target).textContent = "Reading…";
        try {
            $(target).replaceChildren(await load());
        } catch (error) {
            $(target).textContent = visible(error.message);
        }
        $(id).disabled = false;
    });
}

onDemand("count-tables", "tables", async () => {
    const tables = await get("tables");
    return table(["database", "table", "rows", "bytes"],
        tables.map((row) => [row.database, row.table, grouped(row.rows), grouped(row.bytes)]), [2, 3]);
});
onDemand("list-app-tables", "app-tables", async () => {
    const tables = await get("app-tables");
    if (tables.length === 0) return el("p", "hint", "The store has no rows in tables of the app.");
    return el("div", "", ...tables.map((row) => {
        const rows = el("div", "");
        const details = el("details", "", el("summary", "", bdi(row.name),
            `: ${row.home}, keys ${row.keys}, ${counted(row.rows, "row")}`), rows);
        details.addEventListener("toggle", async () => {
            if (!details.open) return;
            const first = (await get("app-rows", { table: row.name })).rows;
            rows.replaceChildren(
                table(["key", "value"], first.map((one) => [one.key, one.value]), []),
                first.length < row.rows ? el("p", "hint", `The first ${counted(first.length, "row")}.`) : "");
        });
        return details;
    }));
});
onDemand("find-damage", "damage", async () => {
    const report = await get("damage");
    return el("pre", "", JSON.stringify(report, null, 2));
});
onDemand("plan-eviction", "eviction", async () => {
    const plan = await get("eviction", { size: $("eviction-size").value });
    const total = plan.parts.reduce((sum, part) => sum + part.messages, 0);
    const summary = `${counted(total, "message")}; ${bytes(plan.sizeBefore)} now, about ${bytes(plan.sizeAfter)} after.`;
    return el("div", "", el("p", "", summary), total === 0 ? "" : table(["channel", "messages", "reason"],
        plan.parts.map((part) => [part.channel, grouped(part.messages), part.reason]), [1]));
});

// MARK: Updates

const views = {
    channels: () => channels.refresh(),
    channel: () => channel.refresh(),
    outbox: showOutbox,
    sync: showSync,
    store: showStore,
    help: async () => {},
};

let refreshing = false;
let isRefreshDue = false;
/** Shows the current view again: one request at a time, and at most four times a second. */
async function refresh() {
    if (refreshing) { isRefreshDue = true; return; }
    refreshing = true;
    do {
        isRefreshDue = false;
        try {
            await showOverview();
            await views[view]();
        } catch (error) {
            if (isStreaming) toast(error.message);
        }
        document.body.dataset.refreshed = String(Number(document.body.dataset.refreshed ?? 0) + 1);
        if (isRefreshDue) await new Promise((resume) => setTimeout(resume, 250));
    } while (isRefreshDue);
    refreshing = false;
}

/** Returns whether the current view shows something that has changed. */
function concerns(changes) {
    if (changes.session || changes.isEverything) return true;
    switch (view) {
    case "channels": return changes.channels.length > 0 || changes.outbox;
    case "channel": return changes.channels.includes(channel.url) || changes.sync;
    case "outbox": return changes.outbox;
    case "sync": return changes.sync;
    default: return changes.sync || changes.outbox;
    }
}

function route() {
    const [name, argument] = location.hash.slice(1).split("/");
    view = name in views ? name : "channels";
    if (view === "channel") channel.open(decodeURIComponent(argument ?? ""));
    for (const section of document.querySelectorAll("main > section"))
        section.hidden = section.id !== `view-${view}`;
    for (const link of document.querySelectorAll("nav a")) {
        if (link.dataset.view === (view === "channel" ? "channels" : view)) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
    }
    if (view === "channels") channels.list.draw();
    refresh();
}

addEventListener("hashchange", route);
for (const id of ["call-filter", "call-span"]) $(id).addEventListener("change", refresh);

addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
        if (!$("details").hidden) { channel.closeDetails(); $("history-list").focus(); }
        else if (view === "channel") location.hash = "#channels";
        else document.activeElement?.blur();
        return;
    }
    if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) return;
    const targets = { 1: "#channels", 2: "#outbox", 3: "#sync", 4: "#store", "?": "#help" };
    if (event.key in targets) location.hash = targets[event.key];
    else if (event.key === "/") { location.hash = "#channels"; $("search").focus(); }
    else if (view === "channel" && (event.key === "+" || event.key === "=")) channel.zoom(0.5);
    else if (view === "channel" && event.key === "-") channel.zoom(2);
    else if (view === "channel" && event.key === "0") channel.zoom(null);
    else return;
    event.preventDefault();
});

channels.start();
channel.start();

const events = new EventSource("events");
events.addEventListener("hello", () => { isStreaming = true; refresh(); });
events.addEventListener("changes", (event) => {
    const changes = JSON.parse(event.data);
    if (concerns(changes)) refresh();
});
events.addEventListener("error", () => {
    isStreaming = false;
    const badge = $("client").querySelector(".badge");
    if (badge) {
        badge.className = "badge bad";
        badge.textContent = "the page is not connected to the app";
    }
});
// Ages grow even if there are no changes.
setInterval(() => { if (view === "sync" && isStreaming && !document.hidden) refresh(); }, 2000);
route();
