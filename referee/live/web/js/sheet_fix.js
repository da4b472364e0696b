/** Correct the facts of a shot; everything after it is judged again by the server, and the differences come back. */

import { button, el } from "./dom.js";
import { byNumber } from "./balls.js";
import { choice, closeSheet, field, form, openSheet } from "./sheet.js";
import { POCKETS } from "./table.js";

const SURE = 0.5; // a fact is shown as true when it is likelier than not; only what a person changes is sent

/**
 * @param {import("./page.js").Page} page
 * @param {object} shot a whole shot of the protocol
 * @param {(action: string, fields: object) => Promise<{done: boolean}>} act
 */
export function openFix(page, shot, act) {
  const { say } = page;
  const name = (ball) => say("ball_name", { ball });
  const balls = [...new Set([...Object.keys(shot.before ?? {}), ...page.store.match.balls])].sort(byNumber);
  const { facts } = shot;
  const first = likeliest(facts.first);
  const rail = facts.rail_after === null || facts.rail_after === undefined ? "" : facts.rail_after >= SURE ? "yes" : "no";
  const fell = Object.fromEntries(facts.pocketed ?? []);
  const off = new Set(facts.off_table ?? []);
  const there = balls.filter((ball) => !shot.before || ball in shot.before || ball in fell || off.has(ball));
  const fates = there.map((ball) => [ball, fell[ball] ?? (off.has(ball) ? "off" : "")]);

  const controls = [
    el("p.soft", {}, say("fix_intro")),
    el(
      "div.grid",
      {},
      field(say("fix_cue_ball"), choice("cue_ball", there.map((ball) => [ball, name(ball)]), facts.cue_ball)),
      field(
        say("fix_first"),
        choice("first", [["", say("unknown")], ["none", say("fix_none")], ...there.map((ball) => [ball, name(ball)])], first),
      ),
      field(
        say("fix_rail"),
        choice("rail", [["", say("unknown")], ["yes", say("yes")], ["no", say("no")]], rail),
      ),
    ),
    el(
      "fieldset",
      {},
      el("legend", {}, say("fix_pocketed")),
      el(
        "div.grid",
        {},
        fates.map(([ball, fate]) =>
          field(
            name(ball),
            choice(
              `fate-${ball}`,
              [["", say("in_no_pocket")], ...POCKETS.map((pocket) => [pocket, say(`pocket_${pocket}`)]), ["off", say("fix_off")]],
              fate,
            ),
          ),
        ),
      ),
    ),
  ];

  const body = form(say("fix_save"), controls, async (elements) => {
    const changed = {};
    if (elements.cue_ball.value !== facts.cue_ball) changed.cue_ball = elements.cue_ball.value;
    if (elements.first.value && elements.first.value !== first) changed.first = elements.first.value;
    if (elements.rail.value && elements.rail.value !== rail) changed.rail_after = elements.rail.value === "yes";
    const now = fates.map(([ball]) => [ball, elements[`fate-${ball}`].value]);
    if (JSON.stringify(now) !== JSON.stringify(fates)) {
      changed.pocketed = now.filter(([, fate]) => fate && fate !== "off");
      changed.off_table = now.filter(([, fate]) => fate === "off").map(([ball]) => ball);
    }
    const reply = Object.keys(changed).length ? await act("fix", { shot: shot.number, facts: changed }) : { done: true };
    if (reply.done) closeSheet();
  });

  openSheet(page, say("fix_title", { n: shot.number }), [body, voiding(page, shot, act)]);
}

/** Take the whole shot out: asked twice, because it looks like undo and is not. */
function voiding(page, shot, act) {
  const { say } = page;
  const place = el("div.voiding");
  const ask = () =>
    place.replaceChildren(
      el("p", {}, say("fix_void_sure", { n: shot.number })),
      el(
        "p.row",
        {},
        button(say("fix_void_yes"), async () => (await act("correct", { event: shot.event, void: true })).done && closeSheet(), { kind: "danger" }),
        button(say("cancel"), start),
      ),
    );
  const start = () => place.replaceChildren(el("p.row", {}, button(say("fix_void"), ask, { kind: "quiet" })));
  start();
  return place;
}

function likeliest(first) {
  const known = Object.entries(first ?? {}).filter(([ball]) => ball !== "unknown");
  const unknown = first?.unknown ?? 0;
  const [ball, p] = known.sort((one, two) => two[1] - one[1])[0] ?? ["", 0];
  return p > unknown ? ball : "";
}
