import { X509Certificate } from 'node:crypto';
import * as tls from 'node:tls';

/**
 * The runtime's own authorities (with those of `NODE_EXTRA_CA_CERTS` where it tells) and the further ones, as
 * options of a secure context. Node takes `ca` in the place of its own, so all are given where one is added.
 * Throws when a text is no certificate: Node would pass over it in silence.
 */
export function trustedAuthorities(further: readonly string[]): tls.SecureContextOptions {
  if (!further.every(holdsCertificates)) {
    throw new Error('A certificate authority cannot be read: PEM text with BEGIN CERTIFICATE is needed.');
  }
  return further.length === 0 ? {} : { ca: [...runtimeAuthorities(), ...further] };
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

/** Older runtimes tell of the bundled ones only: what `NODE_EXTRA_CA_CERTS` names must then be among the further ones. */
function runtimeAuthorities(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => readonly string[] };
  return getCACertificates?.('default') ?? tls.rootCertificates;
}
