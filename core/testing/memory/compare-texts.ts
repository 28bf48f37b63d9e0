/** Compares texts in code point order. */
export function compareTexts(one: string, other: string): number {
  const others = [...other].map((character) => character.codePointAt(0) ?? 0);
  const numbers = [...one].map((character) => character.codePointAt(0) ?? 0);
  for (const [index, number] of numbers.entries()) {
    const difference = number - (others[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return numbers.length - others.length;
}
