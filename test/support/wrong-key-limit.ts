/** The option of how many wrong access keys an address may send in a minute. 0 is no limit. */
export function wrongKeyLimit(limit: number) {
  return { failedAuthenticateLimit: limit };
}

/** The same for the environment of a process. */
export function wrongKeyLimitVariable(limit: number) {
  return { FAILED_AUTHENTICATE_LIMIT: String(limit) };
}
