const retired = new WeakSet<object>();

/** Marks a connection that must not be used again. The pool replaces it instead of lending it. */
export function retireConnection(connection: object): void {
  retired.add(connection);
}

export function isRetired(connection: object): boolean {
  return retired.has(connection);
}
