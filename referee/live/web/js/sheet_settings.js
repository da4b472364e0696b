/** The match itself: names and length, how things stand, shot clock, house rules, the log, links. */

import { button, el } from "./dom.js";
import { choice, field, form, input, openSheet } from "./sheet.js";

const PLAYERS = ["A", "B"];
const PHASES = ["normal", "break", "after_break", "push_out_reply"];
const CUE_STATES = ["position", "hand_anywhere", "hand_kitchen", "hand_house"];

/**
 * @param {import("./page.js").Page} page
 * @param {(action: string, fields: object) => Promise<{done: boolean}>} act
 */
export function openSettings(page, act) {
  const { say } = page;
  openSheet(page, say("settings_title"), [
    el("p.row", {}, button(say("tablet_link"), () => openLinks(page), { key: "links" })),
    players(page, act),
    standing(page, act),
    clock(page, act),
    houseRules(page, act),
    el(
      "section",
      {},
      el("h3", {}, say("settings_log")),
      el("p", {}, el("a", { href: "/log", download: "match.jsonl" }, say("download_log"))),
    ),
  ]);
}

/** The QR codes of both links. */
export function openLinks(page) {
  const { say } = page;
  openSheet(page, say("qr_title"), [
    el("p", {}, say("qr_intro")),
    el("img.qr", { src: "/qr.svg", alt: say("qr_alt") }),
    el("h3", {}, say("qr_public")),
    el("img.qr.small", { src: "/qr-public.svg", alt: say("qr_public_alt") }),
  ]);
}

function players(page, act) {
  const { say, store } = page;
  const { match } = store;
  const body = form(
    say("save"),
    el(
      "div.grid",
      {},
      PLAYERS.map((player) => field(say(`name_${player.toLowerCase()}`), input(`name-${player}`, match.players[player], { maxlength: 40, autocomplete: "off" }))),
      field(say("race"), input("race", match.race, { type: "number", min: 1, max: 999, inputmode: "numeric" })),
    ),
    (elements) => {
      const race = elements.race.value ? { race: Number(elements.race.value) } : {};
      act("setup", { players: Object.fromEntries(PLAYERS.map((player) => [player, elements[`name-${player}`].value.trim()])), ...race });
    },
  );
  return el("section", {}, el("h3", {}, say("settings_players")), body);
}

function standing(page, act) {
  const { say, store } = page;
  const { match } = store;
  const known = (list, value) => (value && !list.includes(value) ? [...list, value] : list);
  const names = (key, list) => list.map((value) => [value, page.language.has(`${key}_${value}`) ? say(`${key}_${value}`) : value.replaceAll("_", " ")]);
  const numbers = (key, values, label) =>
    PLAYERS.map((player) => field(`${label}, ${match.players[player]}`, input(`${key}-${player}`, values[player], { type: "number", inputmode: "numeric" })));
  const fouls = { A: match.fouls?.A?.count ?? 0, B: match.fouls?.B?.count ?? 0 };
  const pool = !match.game.endsWith("pyramid");
  const body = form(
    say("save"),
    [
      el("p.soft", {}, say("settings_state_intro")),
      el(
        "div.grid",
        {},
        field(say("state_shooter"), choice("shooter", PLAYERS.map((player) => [player, match.players[player]]), match.shooter)),
        field(say("state_phase"), choice("phase", names("phase", known(PHASES, match.phase)), match.phase)),
        field(say("state_cue"), choice("cue_state", names("cue", known(CUE_STATES, match.cue?.state)), match.cue?.state)),
        numbers("score", match.score, say("state_score")),
        pool ? numbers("fouls", fouls, say("state_fouls")) : null,
      ),
    ],
    (elements) => {
      const fields = {};
      if (elements.shooter.value !== match.shooter) fields.shooter = elements.shooter.value;
      if (elements.phase.value !== match.phase) fields.phase = elements.phase.value;
      if (elements.cue_state.value !== match.cue?.state) fields.cue_state = elements.cue_state.value;
      const score = pair(elements, "score");
      if (differs(score, match.score)) fields.scores = score;
      if (pool && differs(pair(elements, "fouls"), fouls)) fields.consecutive_fouls = pair(elements, "fouls");
      if (Object.keys(fields).length) act("state", { fields });
    },
  );
  return el("section", {}, el("h3", {}, say("settings_state")), body);
}

/** Whether a house rule is one of this game: its key begins with the game's, or with `pool` for both pool games. */
function concerns(key, game) {
  const [family] = key.split(".");
  if (game.endsWith("pyramid")) return family === "pyr" || !["nine", "s141", "pool"].includes(family);
  return family !== "pyr" && family !== (game === "nine_ball" ? "s141" : "nine");
}

const pair = (elements, key) => Object.fromEntries(PLAYERS.map((player) => [player, Number(elements[`${key}-${player}`].value)]));
const differs = (one, two) => PLAYERS.some((player) => one[player] !== two[player]);

function clock(page, act) {
  const { say, store } = page;
  const known = store.clock ?? {};
  const number = (name, value) => input(name, value ?? 0, { type: "number", min: 0, max: 999, inputmode: "numeric" });
  const off = known.state === "off";
  const body = form(
    say("save"),
    el(
      "div.grid",
      {},
      field(say("clock_limit"), number("limit_s", off ? 0 : known.limit_s)),
      field(say("clock_extension"), number("extension_s", known.extension_s)),
      field(say("clock_each"), number("extensions_each", known.extensions_each)),
    ),
    ({ limit_s, extension_s, extensions_each }) =>
      act("clock", { limit_s: Number(limit_s.value), extension_s: Number(extension_s.value), extensions_each: Number(extensions_each.value) }),
  );
  return el("section", {}, el("h3", {}, say("settings_clock")), body);
}

function houseRules(page, act) {
  const { say, store, language } = page;
  const rules = (store.match.house_rules ?? []).filter(({ key }) => concerns(key, store.match.game));
  const text = (key, fallback) => (language.has(key) ? say(key) : fallback);
  const value = (one) => (one === true ? say("yes") : one === false ? say("no") : text(`value_${one}`, String(one)));
  const control = (rule) => {
    const node = rule.choices
      ? choice(rule.key, rule.choices.map((one) => [JSON.stringify(one), one === rule.default ? `${value(one)} (${say("usual")})` : value(one)]), JSON.stringify(rule.value))
      : input(rule.key, rule.value, { type: "number", step: "any", min: 0 });
    node.addEventListener("change", () => act("house_rule", { key: rule.key, value: rule.choices ? JSON.parse(node.value) : Number(node.value) }));
    return field(text(`rule_${rule.key}`, rule.key), node);
  };
  if (!rules.length) return null;
  return el("section", {}, el("h3", {}, say("settings_rules")), el("p.soft", {}, say("settings_rules_intro")), el("div.grid", {}, rules.map(control)));
}
