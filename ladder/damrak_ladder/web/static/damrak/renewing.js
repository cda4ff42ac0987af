// What renews itself waits while somebody is in it with the keyboard, and stops when told to.

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
