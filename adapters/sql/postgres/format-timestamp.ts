/** From `2026-11-20 18:00:00.5+00`, as the session's settings make the server print it. */
export function formatTimestamp(text: string): string {
  const end = text.length - '+00'.length;
  if (text.charAt(10) !== ' ' || !text.endsWith('+00'))
    throw new Error(`the timestamp ${text} is not in the expected form`);
  const fraction = end > 19 ? text.slice(20, Math.min(end, 23)).padEnd(3, '0') : '000';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}
