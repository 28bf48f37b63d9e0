import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { decodeText } from './decode-text.js';
import { refuse } from './invalid-value.js';

/** The certificates of a PEM file, each as a PEM text. Throws when there is none, or one cannot be read. */
function readCertificates(file: string): readonly string[] {
  const blocks = readBlocks(file);
  for (const block of blocks) new X509Certificate(block);
  return blocks;
}

function readBlocks(file: string): readonly string[] {
  const blocks = decodeText(readFileSync(file)).match(
    /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
  );
  if (blocks === null) throw new Error('the file contains no PEM certificate');
  return blocks;
}

/** Files are looked at again after this time. */
const CHECK_INTERVAL_MS = 5000;

/**
 * Returns the certificates of the files and the further ones, as the same array until a file has changed. The files are read
 * with the first call. A file that cannot be read keeps its last certificates.
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
  const known = new Map<string, { readonly state: string; readonly certificates: readonly string[] }>();
  let current = further;
  let checkedAt = Number.NEGATIVE_INFINITY;

  const read = (file: string, state: string): void => {
    const before = known.get(file);
    try {
      known.set(file, { state, certificates: readCertificates(file) });
      if (before !== undefined) onChange(file);
    } catch {
      known.set(file, { state, certificates: before?.certificates ?? [] });
      onError(file);
    }
  };
  return () => {
    if (performance.now() - checkedAt < intervalMs) return current;
    checkedAt = performance.now();
    let isRead = false;
    for (const file of files) {
      const state = stateOf(file);
      if (state === known.get(file)?.state) continue;
      read(file, state);
      isRead = true;
    }
    if (!isRead) return current;
    current = [...[...known.values()].flatMap(({ certificates }) => certificates), ...further];
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

/**
 * Null for a file that cannot be read: Node itself warns about it at start. Reading the certificates of a whole system takes a
 * tenth of the start, so that is left to the first delivery.
 */
export function readableCertificates(file: string | undefined): string | null {
  if (file === undefined || file === '') return null;
  try {
    readBlocks(file);
    return resolve(file);
  } catch {
    return null;
  }
}
