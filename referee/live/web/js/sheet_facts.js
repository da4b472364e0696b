/** What no camera sees, stated by the official: touches, faults of the stroke, interference from outside. */

import { button, el } from "./dom.js";
import { byNumber } from "./balls.js";
import { choice, closeSheet, field, form, openSheet } from "./sheet.js";

const FACTS = [
  "touch",
  "no_foot",
  "balls_moving",
  "push",
  "tip_only",
  "illegal_jump",
  "responsibility",
  "deliberate_interference",
  "ball_moved",
  "unsportsmanlike",
  "stalemate",
];
const WITH_BALL = ["touch", "deliberate_interference", "ball_moved", "responsibility"];
const TOUCHED_BY = ["hand", "sleeve", "clothing", "cue_shaft", "cue_stick", "bridge", "other"];

/**
 * @param {import("./page.js").Page} page
 * @param {(action: string, fields: object) => Promise<{done: boolean}>} act
 */
export function openFacts(page, act) {
  const { say, store } = page;
  const { match } = store;
  const balls = [...(match.on_table ?? match.balls)].sort(byNumber);
  const shots = [...match.history].reverse().slice(0, 8);
  const ball = field(say("fact_ball"), choice("ball", balls.map((one) => [one, say("ball_name", { ball: one })]), balls[0]));
  const by = field(say("fact_by"), choice("by", TOUCHED_BY.map((one) => [one, say(`by_${one}`)]), "hand"));
  const actor = field(say("fact_actor"), choice("actor", ["A", "B"].map((player) => [player, match.players[player]]), match.shooter ?? "A"));
  const which = choice("fact", FACTS.map((fact) => [fact, say(`fact_${fact}`)]), "touch");
  const adapt = () => {
    ball.hidden = !WITH_BALL.includes(which.value);
    by.hidden = actor.hidden = which.value !== "touch";
  };
  which.addEventListener("change", adapt);
  adapt();
  const body = form(
    say("fact_send"),
    [
      el("p.soft", {}, say("fact_intro")),
      el(
        "div.grid",
        {},
        field(say("fact_which"), which),
        field(say("fact_shot"), choice("shot", [["", say("fact_this")], ...shots.map(({ number }) => [number, say("shot_n", { n: number })])], "")),
        ball,
        by,
        actor,
      ),
    ],
    async ({ fact, shot, ball: struck, by: with_, actor: who }) => {
      const about = shot.value ? { shot: Number(shot.value) } : {};
      const reply =
        fact.value === "touch"
          ? await act("touch", { ball: struck.value, by: with_.value, actor: who.value, ...about })
          : await act("official", { fact: fact.value, ...(WITH_BALL.includes(fact.value) ? { ball: struck.value } : {}), ...about });
      if (reply.done) closeSheet();
    },
  );
  openSheet(page, say("fact_title"), [body]);
}

/** Interference from outside: restorable shows the ghosts, lost is for the rules. */
export function openInterference(page, act) {
  const { say } = page;
  const send = async (restorable) => (await act("interference", { restorable })).done && closeSheet();
  openSheet(page, say("interference_title"), [
    el("p", {}, say("interference_intro")),
    el(
      "p.row",
      {},
      button(say("interference_restorable"), () => send(true), { kind: "main", key: "restorable" }),
      button(say("interference_lost"), () => send(false), { key: "lost" }),
    ),
  ]);
}
