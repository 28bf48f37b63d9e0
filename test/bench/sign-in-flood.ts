import { type Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { formFields, pageClient } from '../support/page/client.js';

/** Floods of sign-ins and of wrong access keys. The server must have `TRUST_PROXY=1`. */

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Returns the attempt with this number. */
export type Attempt = (index: number) => ApiRequest;

export interface FloodClient {
  readonly agent: Agent;
  readonly port: number;
}

/** Each attempt comes from another address. */
export async function signIns(
  site: { readonly url: string; readonly origin: string },
  emailOf: (index: number) => string,
): Promise<Attempt> {
  const client = pageClient(site);
  const { form_token = '' } = formFields((await client.open('/sign-in')).text);
  const cookie = [...client.cookies()].map(([name, value]) => `${name}=${value}`).join('; ');
  return (index) => ({
    method: 'POST',
    path: '/sign-in',
    headers: {
      Accept: 'text/html',
      Cookie: cookie,
      'Content-Type': 'application/x-www-form-urlencoded',
      'X-Forwarded-For': `2001:db8:${(index >> 16).toString(16)}:${(index & 0xffff).toString(16)}::1`,
    },
    body: new URLSearchParams({ form_token, email: emailOf(index), password: 'a wrong one' }).toString(),
  });
}

/** All attempts come from one IPv6 network. */
export function wrongKeys(index: number): ApiRequest {
  return {
    method: 'POST',
    path: '/api/v2/authenticate',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': `2001:db8::${index.toString(16)}` },
    body: '{"access_key":"700100200300400500600700"}',
  };
}

/**
 * Sends attempts at this rate, or as fast as they are answered on all connections if that is slower. Returns the number
 * of answers of each status.
 */
export async function floodWith(
  client: FloodClient,
  { attempt, rate, seconds }: { readonly attempt: Attempt; readonly rate: number; readonly seconds: number },
): Promise<Readonly<Record<number, number>>> {
  const statuses: Record<number, number> = {};
  const start = performance.now();
  const end = start + seconds * 1000;
  let next = 0;
  const onOneConnection = async (): Promise<void> => {
    while (performance.now() < end) {
      const index = next;
      next += 1;
      const dueAt = start + (index * 1000) / rate;
      if (dueAt >= end) return;
      if (dueAt > performance.now()) await pause(dueAt - performance.now());
      const status = await send(client, attempt(index));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: client.agent.maxSockets }, onOneConnection));
  return statuses;
}

export function send({ agent, port }: FloodClient, call: ApiRequest): Promise<number> {
  const { method, path, headers, body } = call;
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: '127.0.0.1', port, method, path, headers });
    sent.on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    // The server may close a kept connection just when it is used again.
    sent.on('error', (error) => (sent.reusedSocket ? resolve(send({ agent, port }, call)) : reject(error)));
    sent.end(body);
  });
}
