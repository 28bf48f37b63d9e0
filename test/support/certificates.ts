import { generate, type SelfsignedOptions } from 'selfsigned';

/** A key and its certificate in PEM format. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate authority. Clients must trust `cert`. */
export interface Authority extends Certificate {
  issue(leaf?: Leaf): Promise<Certificate>;
}

export interface Leaf {
  /** DNS names. The default is `localhost` and `receiver.test`, with the loopback addresses. */
  readonly names?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** The default is an ECDSA key and SHA-256. */
  readonly kind?: Pick<SelfsignedOptions, 'keyType' | 'keySize' | 'algorithm'>;
}

const LOOPBACK = ['127.0.0.1', '127.0.0.2', '::1'];

/** Creates a certificate authority that no client trusts yet. */
export async function createAuthority(
  name = 'Rollcall test authority',
  kind: Leaf['kind'] = {},
): Promise<Authority> {
  const own = await certificate(name, {
    ...kind,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { ...own, issue: (leaf = {}) => issue(leaf, own) };
}

/** The authority of all receivers that have no special certificate. */
export function testAuthority(): Promise<Authority> {
  shared ??= createAuthority();
  return shared;
}

let shared: Promise<Authority> | undefined;

/** Creates a self-signed certificate. */
export function selfSigned(leaf: Leaf = {}): Promise<Certificate> {
  return issue(leaf, null);
}

function issue(leaf: Leaf, authority: Certificate | null): Promise<Certificate> {
  const names = leaf.names ?? ['localhost', 'receiver.test'];
  const addresses = leaf.names === undefined ? LOOPBACK : [];
  return certificate(names[0] ?? 'receiver', {
    ...(leaf.notBefore && { notBeforeDate: leaf.notBefore }),
    ...(leaf.notAfter && { notAfterDate: leaf.notAfter }),
    ...(authority && { ca: authority }),
    ...leaf.kind,
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...names.map((value) => ({ type: 2 as const, value })),
          ...addresses.map((ip) => ({ type: 7 as const, ip })),
        ],
      },
    ],
  });
}

async function certificate(name: string, options: SelfsignedOptions): Promise<Certificate> {
  const generated = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ...options,
  });
  return { key: generated.private, cert: generated.cert };
}
