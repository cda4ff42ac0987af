// Keyboard shortcuts and swipes.

import { remember, remembered } from "./memory.js";

const SWIPE = 40; // pixels
const KEPT = "damrak-single-keys";

/** Connect keys and swipes to the actions of the buttons. */
export function listen(viewer, actions) {
  const singles = viewer.find("[data-single-keys]");
  singles.checked = remembered(KEPT) !== "off";
  singles.addEventListener("change", () => remember(KEPT, singles.checked ? "on" : "off"));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !viewer.player) return;
    // After the list of keys is closed, its element keeps the focus until the next frame.
    const field = event.target.closest("input, select, textarea, dialog");
    if (field && !field.closest("dialog:not([open])")) return;
    if (event.target.matches(".table")) return; // these keys scroll tables
    // Users of speech input, or who hit keys by mistake, can turn single keys off (WCAG 2.1.4).
    if (event.key.length === 1 && !singles.checked) return;
    if (press(viewer, actions, event)) event.preventDefault();
  });
  const board = viewer.find(".viewer__board");
  let start = null;
  board.addEventListener("pointerdown", (event) => {
    start = event.pointerType === "touch" && !viewer.isZoomed ? event : null;
  });
  board.addEventListener("pointerup", (event) => {
    if (!start || !viewer.player) return;
    const across = event.clientX - start.clientX;
    const down = event.clientY - start.clientY;
    if (Math.abs(across) > SWIPE && Math.abs(across) > 2 * Math.abs(down)) {
      viewer.player.step(across < 0 ? 1 : -1);
    }
    start = null;
  });
}

function press(viewer, actions, event) {
  const { player, film } = viewer;
  switch (event.key) {
    case " ":
      if (event.target.closest("button, a, summary")) return false;
      actions.play();
      return true;
    case "ArrowLeft":
    case "ArrowRight": {
      if (viewer.isZoomed && event.target.closest(".viewer__board")) return false;
      const by = event.key === "ArrowLeft" ? -1 : 1;
      player.pause();
      player.go(event.shiftKey ? film.turnFrom(player.at, by) : player.at + by);
      return true;
    }
    case "Home":
      actions.first();
      return true;
    case "End":
      actions.last();
      return true;
    case "+":
    case "-":
      return faster(viewer, event.key === "+" ? 1 : -1);
    case "z":
      actions.zoom();
      return true;
    case "n":
      actions.highlight();
      return true;
    case "f":
      actions.full();
      return true;
    case "?":
      actions.help();
      return true;
    case "a":
      viewer.switchTo("all");
      return true;
    case "t":
      viewer.switchTo("table");
      return true;
    default:
      if (/^[1-4]$/.test(event.key) && Number(event.key) <= film.seats) {
        viewer.switchTo(String(Number(event.key) - 1));
        return true;
      }
      return false;
  }
}

function faster(viewer, by) {
  const choice = viewer.find("[data-speed]");
  const to = choice.selectedIndex + by;
  if (to >= 0 && to < choice.length) {
    choice.selectedIndex = to;
    viewer.player.speed = Number(choice.value);
  }
  return true;
}
