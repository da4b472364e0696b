/**
 * The stream overlay: a strap of names, score, what is on and the shot clock, and the call above it for a few seconds.
 * Everything else is transparent, for OBS's browser source. `?lang=ru` chooses the language.
 */

import { byId, el, fill, rebuild, set } from "./dom.js";
import { Page } from "./page.js";
import { toneOf } from "./panel_call.js";
import { ClockFace } from "./panel_clock.js";
import { ballIcon } from "./panel_now.js";
import { acting } from "./panel_score.js";

const CALL_S = 9; // how long a call stays; an undecided one stays until it is decided
const PLAYERS = ["A", "B"];

const page = new Page(draw);
const { store, say, pick } = page;
const said = byId("said");
const clock = el("div.clock", { hidden: true });
let timer = null;

store.on(["match"], draw);
page.hear("say", ({ kind, text }) => !["ten", "lost"].includes(kind) && show(pick(text), kind));
page.start();
new ClockFace(page, clock);

function draw() {
  const { match } = store;
  if (!match) return;
  const acts = acting(match);
  rebuild(byId("line"), [page.language.code, match.players, match.score, acts, match.fouls, match.on, match.race, match.status, match.game], () => [
    PLAYERS.map((player) => side(match, player, acts === player)),
    el(
      "div.middle",
      {},
      match.race ? el("span.race", {}, say("race_to", { n: match.race })) : null,
      on(match),
    ),
  ]);
  byId("line").append(clock);
  const { last } = match;
  if (last && toneOf(last) === "undecided") show(pick(last.call), "call", true);
  else if (said.getAttribute("data-kept") === "true") hide();
}

function side(match, player, acts) {
  const onTwo = match.fouls?.[player]?.on_two && !match.game.endsWith("pyramid");
  return el(
    `div.side.side-${player}${acts ? ".acts" : ""}`,
    {},
    el("span.name", {}, match.players[player]),
    onTwo ? el("span.on-two", {}, say("on_two")) : null,
    el("span.points", { "data-score": player }, match.score[player]),
  );
}

function on(match) {
  const balls = match.on?.balls ?? [];
  if (balls.length !== 1) return null;
  return el("span.on", {}, say("on_now"), ballIcon(balls[0]));
}

function show(text, kind, kept = false) {
  clearTimeout(timer);
  fill(said, text);
  said.hidden = false;
  const last = store.match?.last;
  set(said, "data-tone", kind === "call" && last ? toneOf(last) : kind);
  set(said, "data-kept", String(kept));
  if (!kept) timer = setTimeout(hide, CALL_S * 1000);
}

function hide() {
  said.hidden = true;
  set(said, "data-kept", "false");
}
