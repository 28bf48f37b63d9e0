/** What stands after the question mark of a URL, as it was sent. */
export function rawQuery(url = ''): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}
