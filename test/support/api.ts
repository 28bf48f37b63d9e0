import assert from 'node:assert/strict';

/** Sends JSON to this URL, with a token if there is one. */
export function postJson(url: string, body: unknown, token?: string): Promise<Response> {
  const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...authorization },
    body: JSON.stringify(body),
  });
}

/** Sends an access key to the API of the service at this address. */
export function authenticate(address: string, accessKey: string): Promise<Response> {
  return postJson(`${address}/api/v2/authenticate`, { access_key: accessKey });
}

/** The token for an access key. */
export async function tokenOf(address: string, accessKey: string): Promise<string> {
  const answer = await authenticate(address, accessKey);
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { readonly token: string }).token;
}
