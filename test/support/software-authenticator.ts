import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** What an answer of the device can have wrong. */
export interface AnswerBends {
  readonly challenge?: string;
  readonly origin?: string;
  readonly rpId?: string;
  readonly counter?: number;
  readonly type?: string;
  /** The algorithm that the key says it has (COSE). */
  readonly algorithm?: number;
  readonly isPresent?: boolean;
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const encoded = (data: Buffer): string => data.toString('base64url');

/** A device with one passkey (ES256), for `rpId` and `origin`. It makes answers as a browser sends them. */
export function softwareAuthenticator({
  rpId,
  origin,
  idBytes = 16,
}: {
  readonly rpId: string;
  readonly origin: string;
  readonly idBytes?: number;
}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(idBytes);
  let count = 0;

  const clientData = (type: string, challenge: string, bends: AnswerBends): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: bends.type ?? type,
        ...{ challenge: bends.challenge ?? challenge, origin: bends.origin ?? origin, crossOrigin: false },
      }),
    );
  const authenticatorData = (flags: number, bends: AnswerBends, rest = Buffer.alloc(0)): Buffer => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(bends.counter ?? count);
    const present = bends.isPresent === false ? 0 : 1;
    return Buffer.concat([sha256(bends.rpId ?? rpId), Buffer.of(flags | present), counter, rest]);
  };
  const answer = (response: object): string =>
    JSON.stringify({
      ...{ id: encoded(id), rawId: encoded(id), type: 'public-key', clientExtensionResults: {} },
      response,
    });

  return {
    credentialId: encoded(id),
    register(challenge: string, bends: AnswerBends = {}): string {
      const algorithm = bends.algorithm ?? -7;
      const negative = -1 - algorithm;
      // A map in CBOR: EC2, the algorithm, P-256, and both coordinates.
      const key = Buffer.concat([
        Buffer.of(0xa5, 1, 2, 3, ...(negative < 24 ? [0x20 + negative] : [0x38, negative]), 0x20, 1),
        ...[x, y].flatMap((coordinate, index) => [
          Buffer.of(0x21 + index, 0x58, 32),
          Buffer.from(coordinate, 'base64url'),
        ]),
      ]);
      const credential = Buffer.concat([
        Buffer.alloc(16),
        Buffer.of(id.length >> 8, id.length & 0xff),
        id,
        key,
      ]);
      const data = authenticatorData(0x40, bends, credential);
      const attestation = Buffer.concat([
        Buffer.of(0xa3),
        Buffer.from('cfmtdnone', 'latin1').fill(0x63, 0, 1).fill(0x64, 4, 5),
        Buffer.from('gattStmt', 'latin1').fill(0x67, 0, 1),
        Buffer.of(0xa0),
        Buffer.from('hauthData', 'latin1').fill(0x68, 0, 1),
        Buffer.of(0x59, data.length >> 8, data.length & 0xff),
        data,
      ]);
      return answer({
        clientDataJSON: encoded(clientData('webauthn.create', challenge, bends)),
        attestationObject: encoded(attestation),
        transports: ['internal', 7, 'x'.repeat(99)],
      });
    },
    use(challenge: string, bends: AnswerBends = {}): string {
      count += 1;
      const client = clientData('webauthn.get', challenge, bends);
      const data = authenticatorData(0, bends);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      return answer({
        ...{ clientDataJSON: encoded(client), authenticatorData: encoded(data) },
        signature: encoded(signature),
      });
    },
  };
}
