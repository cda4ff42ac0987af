// Pauses self-refreshing parts of a page: by button, and while the keyboard focus is inside.

const button = document.querySelector("[data-pauses]");

function isHeld(part) {
  return button?.getAttribute("aria-pressed") === "true" || part.querySelector(":focus-visible") !== null;
}

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.id === button?.dataset.pauses && isHeld(event.target)) event.preventDefault();
});

if (button) {
  button.hidden = false;
  button.addEventListener("click", () => {
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
  });
}
