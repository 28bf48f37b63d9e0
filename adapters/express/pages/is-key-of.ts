/** Whether a parameter of an address is one of the table's keys. */
export function isKeyOf<Key extends string>(
  table: Readonly<Record<Key, unknown>>,
  parameter: unknown,
): parameter is Key {
  return typeof parameter === 'string' && Object.hasOwn(table, parameter);
}
