import { readFile } from 'node:fs/promises';

/** The version of the IANA time zone data that this process computes with, such as `2026c`. */
export const timeZoneData = process.versions.tz ?? 'unknown';

/** The version of the machine's own time zone data, which Node.js does not use. Null: it has none, or does not say. */
export async function machineTimeZoneData(folder = '/usr/share/zoneinfo'): Promise<string | null> {
  // Linux and then macOS and BSD.
  for (const name of ['tzdata.zi', '+VERSION']) {
    const text = await readFile(`${folder}/${name}`, 'latin1').catch(() => '');
    const [, version] = /^(?:# version )?(\d{4}[a-z]+)\s/.exec(text) ?? [];
    if (version !== undefined) return version;
  }
  return null;
}
