/* The course: one step at a time, and moves tried by a tap on a route of the board. All verdicts
   are in the page, because the server has asked the engine about them. */

const course = document.querySelector("[data-course]");
const steps = [...course.querySelectorAll("[data-step]")];

function asked() {
  return steps.find((step) => `#${step.id}` === location.hash) ?? steps[0];
}

function show(step, isAsked) {
  for (const other of steps) other.hidden = other !== step;
  for (const link of course.querySelectorAll("[data-to]")) {
    if (link.dataset.to === step.dataset.step) link.setAttribute("aria-current", "step");
    else link.removeAttribute("aria-current");
  }
  if (!isAsked) return;
  step.querySelector("h2").focus({ preventScroll: true });
  course.scrollIntoView({ block: "start" });
}

function tell(step, text) {
  const told = step.querySelector("[data-told]");
  if (!told) return;
  told.textContent = text;
  told.hidden = !text;
}

function tryRoute(step, route) {
  const listed = step.querySelector(`[data-claims="${route}"]`);
  for (const other of step.querySelectorAll(".try")) other.open = other === listed;
  tell(step, listed ? "" : step.querySelector("[data-verdicts]").children[route].textContent);
}

for (const step of steps) {
  step.addEventListener("click", (event) => {
    const route = event.target.closest("[data-board] [data-route], [data-board] [data-carts]");
    if (route) tryRoute(step, Number(route.dataset.route ?? route.dataset.carts));
  });
  for (const one of step.querySelectorAll(".try")) {
    one.addEventListener("toggle", () => {
      if (!one.open) return;
      tell(step, "");
      // Older browsers do not close the others by their common name.
      for (const other of step.querySelectorAll(".try")) if (other !== one) other.open = false;
    });
  }
}

addEventListener("hashchange", () => show(asked(), true));
course.classList.add("course--live");
show(asked(), false);
