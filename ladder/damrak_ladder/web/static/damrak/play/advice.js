// Help for the person: hints, what planner would do, and taking back the last move.

/** The buttons for help. Advice comes with the stream; `why(text)` shows why there is none. */
export class Advice {
  constructor(root, texts, why) {
    Object.assign(this, { root, texts, why });
    this.says = root.querySelector("[data-advice]");
    this.form = root.querySelector("[data-advise]");
    this.form?.addEventListener("submit", (event) => {
      event.preventDefault();
      this.says.textContent = texts.thinking;
      const body = new URLSearchParams({ kind: event.submitter?.value ?? "hint" });
      this.#post(root.dataset.adviceAt, body, texts.no_advice);
    });
    root.querySelector("[data-back]")?.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#post(root.dataset.backAt, new URLSearchParams(), texts.nothing_back);
    });
  }

  /** Show advice, and mark its button. */
  show({ kind, action, says }) {
    this.clear();
    if (action === null) {
      this.says.textContent = this.texts.thinking;
      return;
    }
    this.says.textContent = this.texts[`advice_${kind}`].replace("%(action)s", says);
    const button = this.root.querySelector(`[data-actions] [data-action="${action}"]`);
    if (!button) return;
    button.classList.add("advised");
    const folded = button.closest("details");
    if (folded) folded.open = true;
  }

  clear() {
    this.says.textContent = "";
    this.root.querySelector(".advised")?.classList.remove("advised");
  }

  /** Advice is given on open questions only. */
  allow(is) {
    for (const button of this.form?.querySelectorAll("button") ?? []) button.disabled = !is;
    if (!is) this.clear();
  }

  async #post(address, body, refusal) {
    try {
      const answer = await fetch(address, { method: "POST", body, headers: { "X-Requested-With": "fetch" } });
      if (answer.ok) return;
      this.says.textContent = "";
      this.why(refusal);
    } catch {
      this.says.textContent = "";
      this.why(this.texts.lost);
    }
  }
}
