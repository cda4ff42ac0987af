// Keeps the graph of winning chances in step with the board: it has a cursor, and a click seeks.

const viewer = document.getElementById("viewer");
let shown = null;

/** Return the graph, which is inserted into the page once it has been computed. */
function graph() {
  return document.querySelector("[data-chances]");
}

/** Return the chances of all seats by moment, as a script-readable part of the graph. */
function course(svg) {
  return (svg.course ??= JSON.parse(svg.dataset.course));
}

/** Show the chances at the current moment beside the board. */
function bar(svg) {
  const { moments, seats } = course(svg);
  const root = viewer.querySelector("[data-chance-bar]");
  let at = 0;
  while (at < moments.length - 1 && moments[at + 1] <= shown) at += 1;
  if (root.children.length !== seats.length) {
    const parts = seats.map((_, seat) => {
      const part = document.createElement("span");
      part.className = `chance chance--${seat}`;
      return part;
    });
    root.replaceChildren(...parts);
    root.hidden = false;
  }
  root.dataset.label ??= root.getAttribute("aria-label");
  const percents = seats.map((line) => Math.round(100 * line[at]));
  percents.forEach((percent, seat) => {
    root.children[seat].style.flexGrow = Math.max(percent, 0.5);
    root.children[seat].textContent = percent >= 10 ? percent : "";
  });
  const names = [...viewer.querySelectorAll(".seat__name")].map((name) => name.textContent);
  root.title = percents.map((percent, seat) => `${names[seat]} ${percent} %`).join(", ");
  root.setAttribute("aria-label", `${root.dataset.label}: ${root.title}`);
}

function mark() {
  const svg = graph();
  if (!svg || shown === null) return;
  if (viewer) bar(svg);
  const { left, right, last } = svg.dataset;
  const x = Number(left) + (shown / Math.max(1, Number(last))) * (Number(right) - Number(left));
  const cursor = svg.querySelector(".cursor");
  cursor.setAttribute("x1", x);
  cursor.setAttribute("x2", x);
}

function prepare() {
  const svg = graph();
  svg?.classList.add("seeks");
  if (viewer?.dataset.ready) {
    shown ??= Number(viewer.querySelector("[data-scrub]").value);
    const { turns = [] } = svg ? course(svg) : {};
    if (turns.length) viewer.dispatchEvent(new CustomEvent("highlights", { detail: turns }));
  }
  mark();
}

viewer?.addEventListener("ready", prepare);

viewer?.addEventListener("moment", (event) => {
  shown = event.detail;
  mark();
});

// Seek on click, not on touch: on a phone the graph is wider than the window and is scrolled.
document.addEventListener("click", (event) => {
  const svg = event.target.closest?.("[data-chances]");
  if (!svg) return;
  const box = svg.getBoundingClientRect();
  const at = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
  const { left, right, last } = svg.dataset;
  const share = (at - Number(left)) / (Number(right) - Number(left));
  const moment = Math.round(Math.min(1, Math.max(0, share)) * Number(last));
  location.hash = `#${moment}`;
});

// Links of decisions in a table lead to the board instead of the list of events below it.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("#insight a[href^='#e']");
  if (!link || !viewer?.dataset.ready) return;
  event.preventDefault();
  location.hash = link.hash.replace("#e", "#");
  viewer.scrollIntoView({ block: "start" });
  viewer.querySelector(".viewer__board").focus({ preventScroll: true }); // so that keys work there
});

document.addEventListener("htmx:afterSettle", prepare);
prepare();
