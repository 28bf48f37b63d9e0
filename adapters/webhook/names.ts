import { promises as dns, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Every address of a name, in the order in which to dial them; throws when there are none. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

const underWay = new Map<string, ReturnType<Resolve>>();

/**
 * The system's resolver: hosts file, search domains and all. It has two threads for the whole process, and so a
 * name that hangs may hold one of them only: whoever asks meanwhile waits for the same answer.
 */
export const resolveName: Resolve = (name) => {
  const earlier = underWay.get(name);
  if (earlier !== undefined) return earlier;

  const answer = dns.lookup(name, { all: true, verbatim: true }).finally(() => underWay.delete(name));
  underWay.set(name, answer);
  return answer;
};

/** What became of a name: its addresses may be dialled, one of them may not, or it has none. */
export type Vetting = 'vetted' | 'refused' | 'unknown';

/**
 * A lookup for sockets that hands on addresses only when every one of them may be dialled: Node dials
 * whatever it is given. It answers later, never within the call, and tells `onEnd` before the socket.
 */
export function vettedLookup(
  resolve: Resolve,
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

async function resolveOrNone(resolve: Resolve, name: string): Promise<readonly LookupAddress[]> {
  try {
    return await resolve(name);
  } catch {
    return [];
  }
}
