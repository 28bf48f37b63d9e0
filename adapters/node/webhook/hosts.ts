import type { LookupAddress } from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

/** Returns the addresses of a name in the hosts file; empty if the file does not have the name. */
export type Hosts = (name: string) => readonly LookupAddress[];

type Entries = ReadonlyMap<string, readonly LookupAddress[]>;

/**
 * Reads the hosts file, again whenever it has changed. A file that cannot be read counts as empty. The file is small
 * and read synchronously, because a read in the thread pool could wait behind other work.
 */
export function hostsFile(path: string): Hosts {
  let readVersion = '';
  let entries: Entries = new Map();
  return (name) => {
    const version = versionOf(path);
    if (version !== readVersion) {
      entries = entriesIn(path);
      readVersion = version;
    }
    return entries.get(name.toLowerCase()) ?? [];
  };
}

/** A text that changes whenever the file changes. */
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
    for (const name of names.map((entry) => entry.toLowerCase())) {
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
