/** Checks only the format: 24 digits. */
export function isAccessKey(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9]{24}$/.test(text);
}
