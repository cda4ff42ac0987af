// A match that is being played: what everybody may see, as it happens.

const LOOK_AGAIN_MS = 8000;

/** Follow the match of this viewer until it is over. The browser itself connects again. */
export function follow(viewer) {
  const source = new EventSource(`${viewer.files}live/`);
  const onAir = viewer.find("[data-on-air]");
  const tell = (name) => {
    onAir.hidden = name !== "live_on";
    viewer.told.textContent = name === "live_on" ? "" : viewer.catalogue[name];
  };
  let match = null;
  let isFull = false;
  // Who comes back to a match that is still known gets what was missed, and no setting.
  source.addEventListener("open", () => tell("live_on"));
  source.addEventListener("setting", (event) => {
    // A new attempt, or the same one after a break: all there is so far follows.
    match = JSON.parse(event.data);
    isFull = false;
    tell("live_on");
  });
  source.addEventListener("moments", (event) => {
    const { first, moments } = JSON.parse(event.data);
    if (!match) return;
    if (first === 0) {
      viewer.forget();
      viewer.start({ ...match, moments }, "table");
      return;
    }
    add(viewer, first, moments);
  });
  source.addEventListener("clocks", (event) => {
    if (!viewer.player) return;
    viewer.film.patch(JSON.parse(event.data));
    if (viewer.player.at === viewer.film.length - 1) viewer.player.go(viewer.player.at);
  });
  source.addEventListener("over", () => {
    tell("live_over");
    source.close();
    awaitReplay(viewer);
  });
  source.addEventListener("recorded", () => location.reload());
  source.addEventListener("void", () => tell("void"));
  source.addEventListener("full", () => {
    isFull = true; // the browser asks again when it was told to
    tell("live_full");
  });
  source.addEventListener("error", () => {
    if (isFull) return;
    if (source.readyState !== EventSource.CLOSED) tell("live_lost");
    else tell("live_over");
  });
}

/** Look now and then whether the other matches of the block are over, too. */
function awaitReplay(viewer) {
  setTimeout(() => {
    const source = new EventSource(`${viewer.files}live/?seen=all`);
    source.addEventListener("recorded", () => location.reload());
    source.addEventListener("over", () => {
      source.close();
      awaitReplay(viewer);
    });
  }, LOOK_AGAIN_MS);
}

function add(viewer, first, moments) {
  const { film, player } = viewer;
  const fresh = moments.slice(film.length - first);
  if (!fresh.length) return;
  const isAtEnd = player.at === film.length - 1;
  film.append(fresh);
  viewer.scrub.max = film.length - 1;
  viewer.list.extend();
  viewer.graph.plot();
  player.go(isAtEnd ? film.length - 1 : player.at);
}
