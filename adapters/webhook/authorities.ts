import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as tls from 'node:tls';

/**
 * The runtime's own authorities (with those of the file that `NODE_EXTRA_CA_CERTS` names) and the further ones, as options of a
 * secure context. Node takes `ca` in the place of its own, so all are given where one is added. Throws when a
 * text is no certificate: Node would pass over it in silence.
 */
export function trustedAuthorities(
  further: readonly string[],
  runtimeFile: string | null,
): tls.SecureContextOptions {
  if (!further.every(holdsCertificates)) {
    throw new Error('A certificate authority cannot be read: PEM text with BEGIN CERTIFICATE is needed.');
  }
  return further.length === 0 ? {} : { ca: [...runtimeAuthorities(runtimeFile), ...further] };
}

/** One or more of them, each whole. */
function holdsCertificates(text: string): boolean {
  const blocks = text.split(/(?=-----BEGIN )/).filter((block) => block.startsWith('-----BEGIN '));
  try {
    return blocks.length > 0 && blocks.every((block) => new X509Certificate(block));
  } catch {
    return false;
  }
}

/** Newer runtimes can tell; before, they are the bundled ones and the named file, which Node reads for itself only. */
function runtimeAuthorities(file: string | null): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => readonly string[] };
  if (getCACertificates !== undefined) return getCACertificates('default');
  return [...tls.rootCertificates, ...readIfThere(file)];
}

/** Node itself warns at start about a file that it cannot read, and goes on. */
function readIfThere(file: string | null): readonly string[] {
  if (file === null) return [];
  try {
    return [readFileSync(file, 'utf8')];
  } catch {
    return [];
  }
}
