// Choices that this browser remembers. Frames on other sites may have no storage.

/** Return the stored choice, if any. */
export function remembered(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Store a choice; without storage, it only applies to this page. */
export function remember(name, choice) {
  try {
    localStorage.setItem(name, choice);
  } catch {
    // See above.
  }
}
