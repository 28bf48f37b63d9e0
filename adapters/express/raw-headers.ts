/** The values of every header with this name, in lower case. Node itself drops the second one of some headers. */
export function rawValues(rawHeaders: readonly string[], name: string): readonly string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index];
    if (given?.length === name.length && given.toLowerCase() === name)
      values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}
