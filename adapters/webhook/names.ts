import { promises as dns, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { hostsFile } from './hosts.js';

/** Every address of a name, in the order in which to dial them; none, or a throw, where there are none. */
export type Resolve = (name: string, ended: AbortSignal) => Promise<readonly LookupAddress[]>;

/** What to ask in the place of the system's. */
export interface NameSources {
  /** Addresses of name servers, with ports. */
  readonly servers?: readonly string[];
  /** Path of the hosts file. */
  readonly hosts?: string;
}

/** For all name servers together; it leaves time to connect, also where they stay silent about IPv6. */
const LOOKUP_TIMEOUT_MS = 3_000;

/** The second try has twice this time. */
const FIRST_TRY_TIMEOUT_MS = 1_000;

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Asks the hosts file and then the name servers, for 3 s at most or until `ended`. Nothing of it waits in the
 * thread pool: a name whose server is silent would hold up all other names there, the database's too.
 */
export function systemNames({ servers, hosts = '/etc/hosts' }: NameSources = {}): Resolve {
  const ownAddresses = hostsFile(hosts);
  return async (name, ended) => {
    const written = name.replace(/\.$/, '').toLowerCase();
    const own = ownAddresses(written);
    if (own.length > 0) return own;
    if (/(?:^|\.)localhost$/.test(written)) return LOOPBACK;
    return await askServers(name, ended, servers);
  };
}

/** A resolver of its own for each name, so that one name can be given up and nothing is remembered of an earlier answer. */
async function askServers(
  name: string,
  ended: AbortSignal,
  servers: readonly string[] | undefined,
): Promise<readonly LookupAddress[]> {
  if (ended.aborted) return [];
  const resolver = new dns.Resolver({ timeout: FIRST_TRY_TIMEOUT_MS, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const giveUp = (): void => resolver.cancel();
  const tooLong = setTimeout(giveUp, LOOKUP_TIMEOUT_MS);
  ended.addEventListener('abort', giveUp);

  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  clearTimeout(tooLong);
  ended.removeEventListener('abort', giveUp);
  return [...addressesIn(ipv4, 4), ...addressesIn(ipv6, 6)];
}

function addressesIn(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  if (answer.status === 'rejected') return [];
  return answer.value.map((address) => ({ address, family }));
}

/** What became of a name: its addresses may be dialled, one of them may not, or it has none. */
export type Vetting = 'vetted' | 'refused' | 'unknown';

/**
 * A lookup for sockets. It fails unless every address of the name is allowed, because Node connects to any address
 * that it is given. It always answers asynchronously, and calls `onEnd` before the socket's callback.
 */
export function vettedLookup(
  resolve: (name: string) => ReturnType<Resolve>,
  mayDial: (address: string) => boolean,
  onEnd: (vetting: Vetting) => void,
): LookupFunction {
  return async (name, options, callback) => {
    const addresses = await resolveOrNone(resolve, name);
    const [first] = addresses;
    const vetting = vet(addresses, mayDial);
    onEnd(vetting);
    if (first === undefined || vetting !== 'vetted') callback(new Error(`This name is ${vetting}.`), '', 0);
    else if (options.all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

function vet(addresses: readonly LookupAddress[], mayDial: (address: string) => boolean): Vetting {
  if (addresses.length === 0) return 'unknown';
  return addresses.every(({ address }) => mayDial(address)) ? 'vetted' : 'refused';
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
