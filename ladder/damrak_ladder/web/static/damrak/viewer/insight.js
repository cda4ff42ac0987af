// Keeps the graph of winning chances in step with the board: it has a cursor, and a click seeks.

const viewer = document.getElementById("viewer");
let shown = null;

/** Return the graph, which is inserted into the page once it has been computed. */
function graph() {
  return document.querySelector("[data-chances]");
}

function mark() {
  const svg = graph();
  if (!svg || shown === null) return;
  const { left, right, last } = svg.dataset;
  const x = Number(left) + (shown / Math.max(1, Number(last))) * (Number(right) - Number(left));
  const cursor = svg.querySelector(".cursor");
  cursor.setAttribute("x1", x);
  cursor.setAttribute("x2", x);
}

function prepare() {
  graph()?.classList.add("seeks");
  mark();
}

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
