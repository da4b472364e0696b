/** Names, score, fouls with the two-foul warning, and whose turn it is. The same on every page. */

import { el, rebuild } from "./dom.js";

const PLAYERS = ["A", "B"];

/** @param {import("./page.js").Page} page */
export function drawScore(page, place) {
  const { match } = page.store;
  if (!match) return;
  const shown = [match.players, match.score, match.shooter, match.deciding, match.fouls, match.race, match.inning, match.winner, match.game];
  rebuild(place, [page.language.code, match.status, ...shown], () => [
    PLAYERS.map((player) => side(page, match, player)),
    el(
      "p.race",
      {},
      match.race ? el("span", {}, page.say("race_to", { n: match.race })) : null,
      match.inning ? el("span", {}, page.say("inning", { n: match.inning })) : null,
    ),
  ]);
}

/** The player who acts now: who decides goes before who shoots. */
export const acting = (match) => (match.status === "over" ? null : (match.deciding ?? match.shooter));

function side(page, match, player) {
  const fouls = match.fouls?.[player];
  const counts = !match.game.endsWith("pyramid");
  const acts = acting(match) === player;
  const role = match.winner === player ? "wins" : acts && match.status !== "waiting" ? (match.deciding ? "to_decide" : "to_shoot") : null;
  return el(
    `div.side.side-${player}${acts ? ".acts" : ""}`,
    { role: "group", "aria-label": match.players[player] },
    el("p.name", { "data-player": player }, match.players[player]),
    el("p.points", { "data-score": player }, match.score[player]),
    el(
      "p.remarks",
      {},
      role ? el(`span.role${match.winner === player ? ".won" : ""}`, {}, page.say(role)) : null,
      counts && fouls && fouls.count > 0 ? foulCount(page, fouls, player) : null,
    ),
  );
}

function foulCount(page, fouls, player) {
  if (!fouls.on_two) return el("span.fouls", { "data-fouls": player }, page.say("fouls_n", { n: fouls.count }));
  return el("strong.on-two", { "data-fouls": player }, page.say(fouls.warned ? "on_two" : "on_two_unwarned"));
}
