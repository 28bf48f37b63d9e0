import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { decodeText } from './decode-text.js';
import { refuse } from './invalid-value.js';

/** The certificates of a PEM file, each as a PEM text. Throws when there is none, or one cannot be read. */
function readCertificates(file: string): readonly string[] {
  const blocks = decodeText(readFileSync(file)).match(
    /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
  );
  if (blocks === null) throw new Error('the file contains no PEM certificate');
  for (const block of blocks) new X509Certificate(block);
  return blocks;
}

/** Files are looked at again after this time. */
const CHECK_INTERVAL_MS = 5000;

/**
 * Returns the certificates of the files and the further ones, as the same array until a file has changed. A file that
 * cannot be read any more keeps its last certificates. Throws if one cannot be read at first.
 */
export function watchCertificates(
  files: readonly string[],
  {
    further,
    onChange,
    onError,
    intervalMs = CHECK_INTERVAL_MS,
  }: {
    readonly further: readonly string[];
    readonly onChange: (file: string) => void;
    readonly onError: (file: string) => void;
    readonly intervalMs?: number;
  },
): () => readonly string[] {
  const known = new Map(
    files.map((file) => [file, { state: stateOf(file), certificates: readCertificates(file) }]),
  );
  const all = (): readonly string[] => [
    ...[...known.values()].flatMap(({ certificates }) => certificates),
    ...further,
  ];
  let current = all();
  let checkedAt = performance.now();

  const readAgain = (file: string, state: string): void => {
    const { certificates = [] } = known.get(file) ?? {};
    try {
      known.set(file, { state, certificates: readCertificates(file) });
      current = all();
      onChange(file);
    } catch {
      known.set(file, { state, certificates });
      onError(file);
    }
  };
  return () => {
    if (performance.now() - checkedAt < intervalMs) return current;
    checkedAt = performance.now();
    for (const file of files) {
      const state = stateOf(file);
      if (state !== known.get(file)?.state) readAgain(file, state);
    }
    return current;
  };
}

/** Changes when the file is written or replaced, also behind a symbolic link; a file that is away has one too. */
function stateOf(file: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(file);
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return 'away';
  }
}

export function certificateFile(text: string): string {
  const file = resolve(text);
  try {
    readCertificates(file);
  } catch (error) {
    refuse(error instanceof Error ? error.message : undefined);
  }
  return file;
}

/** Null for a file that cannot be read: Node itself warns about it at start. */
export function readableCertificates(file: string | undefined): string | null {
  if (file === undefined || file === '') return null;
  try {
    readCertificates(file);
    return resolve(file);
  } catch {
    return null;
  }
}
