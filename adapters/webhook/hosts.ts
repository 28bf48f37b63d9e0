import type { LookupAddress } from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

/** The addresses that this machine itself gives a name; none where it knows nothing of it. */
export type Hosts = (name: string) => readonly LookupAddress[];

type Entries = ReadonlyMap<string, readonly LookupAddress[]>;

/**
 * The hosts file, read again when it has changed; one that can't be read holds nothing. It is small and read at
 * once: a read in the thread pool could wait there behind other work.
 */
export function hostsFile(path: string): Hosts {
  let readAs = '';
  let entries: Entries = new Map();
  return (name) => {
    const found = versionOf(path);
    if (found !== readAs) {
      entries = entriesIn(path);
      readAs = found;
    }
    return entries.get(name.toLowerCase()) ?? [];
  };
}

/** Changes whenever the file does. */
function versionOf(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs}/${size}/${ino}`;
  } catch {
    return 'none';
  }
}

function entriesIn(path: string): Entries {
  const entries = new Map<string, LookupAddress[]>();
  for (const line of textOf(path).split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map((written) => written.toLowerCase())) {
      entries.set(name, [...(entries.get(name) ?? []), { address, family }]);
    }
  }
  return entries;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
