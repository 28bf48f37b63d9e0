/** The same values under their names in JSON: `login_links` for `loginLinks`. */
export function withJsonNames<Value>(
  values: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  const named = Object.entries(values).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries(named);
}
