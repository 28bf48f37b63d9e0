/** Turns the server's `2026-11-20 18:00:00.5+00` into `2026-11-20T18:00:00.500Z`. The session's settings fix the former. */
export function formatTimestamp(text: string): string {
  const end = text.length - '+00'.length;
  if (text.charAt(10) !== ' ' || !text.endsWith('+00'))
    throw new Error(`the timestamp ${text} is not in the expected form`);
  const fraction = end > 19 ? text.slice(20, Math.min(end, 23)).padEnd(3, '0') : '000';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}
