/** The official's page: puts the parts together, sends what a person does, and says what came of it. */

import { byId, button, el, fill, rebuild, set } from "./dom.js";
import { Page } from "./page.js";
import { pauseText } from "./panel_clock.js";
import { AskPanel } from "./panel_ask.js";
import { CallPanel } from "./panel_call.js";
import { DeclarePanel } from "./panel_declare.js";
import { HelpPanel } from "./panel_help.js";
import { NowPanel } from "./panel_now.js";
import { QueuePanel } from "./panel_queue.js";
import { drawScore } from "./panel_score.js";
import { ShotsPanel } from "./panel_shots.js";
import { openSheet } from "./sheet.js";
import { openFacts, openInterference } from "./sheet_facts.js";
import { openFix } from "./sheet_fix.js";
import { openLinks, openSettings } from "./sheet_settings.js";
import { Stage } from "./stage.js";

const TOAST_S = 6;
let justDecided = null; // the shot of the last decision made on this page

const page = new Page(redraw);
const { say, pick, store } = page;
const may = () => store.role === "official";

const stage = new Stage(page, { withCamera: true });
const call = new CallPanel(page, byId("call"), { withWhy: true, mayFix: may, onFix: (shot) => openFix(page, shot, act) });
const declare = new DeclarePanel(page, byId("declare"), {
  may,
  act,
  stage,
  fact: () => openFacts(page, act),
  interference: () => openInterference(page, act),
});
const panels = [
  call,
  declare,
  new AskPanel(page, byId("ask"), { may, act, stage }),
  new NowPanel(page, byId("now"), { may, act }),
  new HelpPanel(page, byId("help"), { may, act, measure: () => declare.measure() }),
  new QueuePanel(page, byId("queue"), { may, act, show: (shot) => look(shot) }),
  new ShotsPanel(page, byId("shots"), {
    may,
    act,
    show: async (number) => look(await wholeShot(number)),
    fix: async (number) => {
      const shot = await wholeShot(number);
      if (shot) openFix(page, shot, act);
    },
  }),
];

stage.onLive = () => look(null);
stage.onPutBack = async ({ number }) => {
  look(null);
  await act("put_back", { on: true, shot: number });
};
store.on(["match", "role"], () => drawScore(page, byId("score")));
store.on(["match", "role"], drawBar);
store.on(["camera", "line", "role", "match", "clock"], drawLamps);
page.hear("changed", showChanges);
page.hear("refused", (message) => message.id === null && toast(say("not_done", { why: pick(message.why) }), "bad"));
page.hear("say", (message) => message.kind === "lost" && toast(pick(message.text), "bad"));
document.addEventListener("keydown", keys);
page.drawTools(byId("tools"));
page.start();

/**
 * Have something done, and say what came of it.
 * @returns {Promise<{done: boolean}>}
 */
async function act(action, fields = {}, { quiet = false } = {}) {
  if (action !== "watch") justDecided = action === "decide" ? fields.shot : null;
  const reply = await page.line.send(action, fields);
  if (!reply.done) {
    const why = reply.why ? pick(reply.why) : say(`refused_${reply.reason}`);
    toast(say("not_done", { why }), "bad");
  } else if (!quiet) toast(say(page.language.has(`did_${action}`) ? `did_${action}` : "did"), "good");
  return reply;
}

function toast(text, tone) {
  const place = byId("toast");
  fill(place, el(`p.${tone}`, {}, text));
  place.classList.add("shown");
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => {
    place.classList.remove("shown");
    fill(place);
  }, TOAST_S * 1000);
}

/**
 * What a correction changed, shot by shot: beside the call, in nobody's way, until it is closed. A decision that changes
 * its own shot only is no news: the call says it.
 */
function showChanges({ shots }) {
  const place = byId("changes");
  const news = (shots ?? []).filter(({ number }) => !(justDecided === number && shots.length === 1));
  place.hidden = !news.length;
  fill(
    place,
    el(
      "div.changes-head",
      {},
      el("h2", {}, say("changed_title")),
      button(say("close"), () => {
        place.hidden = true;
      }, { kind: "quiet", key: "changes-close" }),
    ),
    el(
      "ul",
      {},
      news.map(({ number, was, now }) =>
        el(
          "li",
          { "data-shot": number },
          el("strong", {}, say("shot_n", { n: number })),
          el("span", {}, el("del", {}, pick(was)), " ", el("ins", {}, pick(now))),
        ),
      ),
    ),
  );
}

async function wholeShot(number) {
  const known = store.shot(number);
  if (known) return known;
  const answer = await fetch(`/shots/${number}`).catch(() => null);
  if (answer?.ok) return answer.json();
  toast(say("not_done", { why: say("refused_offline") }), "bad");
  return null;
}

function look(shot) {
  stage.show(shot);
  call.show(shot);
  document.documentElement.classList.toggle("elsewhere", Boolean(shot));
  if (shot) byId("call").scrollIntoView({ block: "nearest" });
}

function drawBar() {
  const { match } = store;
  const bar = byId("bar");
  if (!match) return;
  set(bar, "hidden", !may());
  const paused = match.status === "paused";
  rebuild(bar, [page.language.code, may(), match.can, match.status, match.rack_over, match.players], () => [
    button(say("undo"), () => act("undo"), { key: "undo", disabled: !match.can.undo, title: "Ctrl Z" }),
    button(say("redo"), () => act("redo"), { key: "redo", disabled: !match.can.redo, title: "Ctrl Y" }),
    paused
      ? button(say("resume"), () => act("resume"), { key: "resume", kind: "main" })
      : button(say("pause"), () => act("pause"), { key: "pause", disabled: match.status !== "playing" }),
    button(say("next_rack"), askNextRack, { key: "next-rack", disabled: match.status === "over" }),
    button(say("settings"), () => openSettings(page, act), { key: "settings" }),
    button(say("tablet_link"), () => openLinks(page), { key: "links" }),
  ]);
}

function askNextRack() {
  const { match } = store;
  const sheet = openSheet(page, say("next_question"), [
    el(
      "p.row",
      {},
      ["A", "B"].map((breaker) =>
        button(
          say("breaks", { name: match.players[breaker] }),
          async () => (await act(match.status === "waiting" ? "start" : "next_rack", { breaker })).done && sheet.close(),
          { key: `next-${breaker}`, kind: "main" },
        ),
      ),
    ),
  ]);
}

function drawLamps() {
  const { camera, online, match } = store;
  const place = byId("lamps");
  const cameraState = camera?.status ?? "none";
  const missed = camera && camera.missed > 0.05 ? Math.round(camera.missed * 100) : 0;
  const paused = match?.status === "paused" || store.clock?.timeout ? pauseText(page) : null;
  rebuild(place, [page.language.code, online, cameraState, missed, may(), paused], () => [
    lamp(online ? "good" : "bad", say(online ? "line_ok" : "line_lost"), "line"),
    lamp({ ok: "good", starting: "wait", ended: "wait", none: "wait" }[cameraState] ?? "bad", say(`camera_${cameraState}`), "camera"),
    missed ? lamp("wait", say("missed", { percent: missed }), "missed") : null,
    paused ? lamp("wait", paused, "paused") : null,
    online && !may() ? el("span.reading", {}, say("reading_only")) : null,
  ]);
  document.documentElement.classList.toggle("reader", !may());
}

const lamp = (tone, text, name) => el(`span.lamp.${tone}`, { "data-lamp": name }, text);

function keys(event) {
  if (event.key === "Escape" && stage.picking && !byId("sheet").open) stage.stopAsking();
  if (!(event.ctrlKey || event.metaKey) || !may() || event.target.matches("input, select, textarea") || byId("sheet").open) return;
  const action = event.key === "z" && !event.shiftKey ? "undo" : event.key === "y" || (event.key.toLowerCase() === "z" && event.shiftKey) ? "redo" : null;
  if (action === null || !store.match?.can[action]) return;
  event.preventDefault();
  act(action);
}

function redraw() {
  page.drawTools(byId("tools"));
  stage.redraw();
  for (const panel of panels) panel.draw();
}
