import { promises as dns, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { hostsFile } from './hosts.js';

/** Returns all addresses of a name, in the order in which to connect. Empty, or rejects, if there are none. */
export type Resolve = (name: string, ended: AbortSignal) => Promise<readonly LookupAddress[]>;

/** Replaces the name servers and the hosts file of the system. */
export interface NameSources {
  /** The addresses of name servers, with ports. */
  readonly servers?: readonly string[];
  /** The path of the hosts file. */
  readonly hosts?: string;
}

/** For all name servers together. Leaves time to connect even if they never answer for IPv6. */
const LOOKUP_TIMEOUT_MS = 3_000;

/** The second try has twice this time. */
const FIRST_TRY_TIMEOUT_MS = 1_000;

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Looks names up in the hosts file and then with the name servers, for at most 3 s or until `ended`. Does not use the
 * thread pool, where a silent name server would delay all other lookups, even that of the database.
 */
export function systemNames({ servers, hosts = '/etc/hosts' }: NameSources = {}): Resolve {
  const addressesInFile = hostsFile(hosts);
  return async (name, ended) => {
    const normalized = name.replace(/\.$/, '').toLowerCase();
    const inFile = addressesInFile(normalized);
    if (inFile.length > 0) return inFile;
    if (/(?:^|\.)localhost$/.test(normalized)) return LOOPBACK;
    return await askServers(name, ended, servers);
  };
}

/** Each lookup has its own resolver, so that it can be canceled alone and does not reuse earlier answers. */
async function askServers(
  name: string,
  ended: AbortSignal,
  servers: readonly string[] | undefined,
): Promise<readonly LookupAddress[]> {
  if (ended.aborted) return [];
  const resolver = new dns.Resolver({ timeout: FIRST_TRY_TIMEOUT_MS, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  const timer = setTimeout(cancel, LOOKUP_TIMEOUT_MS);
  ended.addEventListener('abort', cancel);

  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  clearTimeout(timer);
  ended.removeEventListener('abort', cancel);
  return [...addressesIn(ipv4, 4), ...addressesIn(ipv6, 6)];
}

function addressesIn(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  if (answer.status === 'rejected') return [];
  return answer.value.map((address) => ({ address, family }));
}

/**
 * `vetted`: all addresses of the name are allowed. `refused`: one is not allowed. `unknown`: the name has no address.
 */
export type Vetting = 'vetted' | 'refused' | 'unknown';

/**
 * A lookup for sockets. It fails unless every address of the name is allowed, because Node may connect to any address
 * that the lookup returns. It always answers asynchronously, and calls `onEnd` before the socket's callback.
 */
export function vettedLookup(
  resolve: (name: string) => ReturnType<Resolve>,
  isAllowed: (address: string) => boolean,
  onEnd: (vetting: Vetting) => void,
): LookupFunction {
  return async (name, options, callback) => {
    const addresses = await resolveOrNone(resolve, name);
    const [first] = addresses;
    const vetting = vet(addresses, isAllowed);
    onEnd(vetting);
    if (first === undefined || vetting !== 'vetted') callback(new Error(`This name is ${vetting}.`), '', 0);
    else if (options.all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

function vet(addresses: readonly LookupAddress[], isAllowed: (address: string) => boolean): Vetting {
  if (addresses.length === 0) return 'unknown';
  return addresses.every(({ address }) => isAllowed(address)) ? 'vetted' : 'refused';
}

async function resolveOrNone(
  resolve: (name: string) => ReturnType<Resolve>,
  name: string,
): Promise<readonly LookupAddress[]> {
  try {
    return await resolve(name);
  } catch {
    return [];
  }
}
