import { X509Certificate } from 'node:crypto';
import * as tls from 'node:tls';

/**
 * Returns the runtime's own certificate authorities and the additional ones as options of a secure context. The
 * runtime's own include those of `NODE_EXTRA_CA_CERTS` if the runtime reports them. Node uses `ca` instead of its own,
 * so all are passed if one is added. Throws if a text is not a certificate, which Node would silently ignore.
 */
export function trustedAuthorities(additional: readonly string[]): tls.SecureContextOptions {
  if (!additional.every(holdsCertificates)) {
    throw new Error('A certificate authority cannot be read: PEM text with BEGIN CERTIFICATE is needed.');
  }
  return additional.length === 0 ? {} : { ca: [...runtimeAuthorities(), ...additional] };
}

/** Whether the text contains at least one certificate and all of its certificates are valid PEM. */
function holdsCertificates(text: string): boolean {
  const blocks = text.split(/(?=-----BEGIN )/).filter((block) => block.startsWith('-----BEGIN '));
  try {
    return blocks.length > 0 && blocks.every((block) => new X509Certificate(block));
  } catch {
    return false;
  }
}

/** Older runtimes report only the bundled authorities. There, those of `NODE_EXTRA_CA_CERTS` must be passed too. */
function runtimeAuthorities(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => readonly string[] };
  return getCACertificates?.('default') ?? tls.rootCertificates;
}
