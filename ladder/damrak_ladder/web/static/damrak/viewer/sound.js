// Sounds of a game, synthesised when they are played. They are off until somebody turns them on.

import { remember, remembered } from "./memory.js";

const KEPT = "damrak-sound";
const FAST = 5; // from this speed on, it is quiet
const NOTES = { take: [[520, 0.05]], blind: [[430, 0.05]], offer: [[470, 0.06]], keep: [[470, 0.06]] };
const END = [[523, 0.16], [659, 0.16], [784, 0.3]];
const CART = [130, 0.07];

/** The sounds of one page, with the checkbox that turns them on. */
export class Sound {
  constructor(checkbox) {
    this.isOn = remembered(KEPT) === "on";
    this.audio = null;
    if (!checkbox) return;
    checkbox.checked = this.isOn;
    checkbox.addEventListener("change", () => {
      this.isOn = checkbox.checked;
      remember(KEPT, this.isOn ? "on" : "off");
      if (this.isOn) this.#play([[660, 0.1]]);
    });
  }

  /** Play the sound of an event; `length` is the number of carts of a claim. */
  show(event, length = 1, speed = 1) {
    if (!this.isOn || speed >= FAST) return;
    if (event.event === "claim") this.#play(Array.from({ length }, () => CART));
    else if (event.event === "places") this.#play(END);
    else if (NOTES[event.event]) this.#play(NOTES[event.event]);
  }

  /** Browsers allow sound only after the page was used. */
  #play(notes) {
    if (navigator.userActivation && !navigator.userActivation.hasBeenActive) return;
    this.audio ??= new AudioContext();
    let at = this.audio.currentTime + 0.01;
    for (const [pitch, seconds] of notes) {
      const tone = this.audio.createOscillator();
      const volume = this.audio.createGain();
      tone.type = "triangle";
      tone.frequency.value = pitch;
      volume.gain.setValueAtTime(0.12, at);
      volume.gain.exponentialRampToValueAtTime(0.001, at + seconds);
      tone.connect(volume).connect(this.audio.destination);
      tone.start(at);
      tone.stop(at + seconds);
      at += seconds;
    }
  }
}
