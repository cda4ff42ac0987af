// The legal actions as buttons: everything can be done with them alone, by keyboard or voice.

import { make } from "../viewer/make.js";

/** Return a button for an action. */
export function actionButton(action, choose) {
  const says = action.says.charAt(0).toLocaleUpperCase() + action.says.slice(1);
  const button = make("button", "button button--quiet button--small", says);
  button.type = "button";
  button.dataset.action = action.id;
  button.addEventListener("click", () => choose(action));
  return button;
}

/** Show these actions; claims are folded, as there may be a hundred. */
export function showActions(root, actions, speaker, choose) {
  const claims = actions.filter(({ event }) => event === "claim");
  const others = actions.filter(({ event }) => event !== "claim");
  const parts = others.map((action) => actionButton(action, choose));
  if (claims.length) {
    const wasOpen = root.querySelector("details")?.open ?? false;
    const inside = make("div", "", ...claims.map((action) => actionButton(action, choose)));
    const title = make("summary", "", speaker.text("claims", { n: claims.length }));
    const folded = make("details", "", title, inside);
    folded.open = wasOpen;
    parts.push(folded);
  }
  root.replaceChildren(...parts);
}
