/** A journal that has no entries, and keeps the facts that it got. */
export function recordingJournal<Facts = unknown>() {
  const seen: Facts[] = [];
  const journal = (facts: Facts) => {
    seen.push(facts);
    return [];
  };
  return { seen, journal };
}
