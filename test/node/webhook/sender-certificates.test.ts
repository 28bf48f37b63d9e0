import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { rootCertificates, type TlsOptions } from 'node:tls';
import { promisify } from 'node:util';
import { trustedAuthorities } from '#adapters/node/webhook/authorities.js';
import { createAuthority, type Leaf, selfSigned, testAuthority } from '../../support/certificates.js';
import { startReceiver } from '../../support/receiver.js';
import {
  AUTHORITY,
  checkNothingIsLeftOpen,
  DELIVERED,
  endingOf,
  failed,
  LOOPBACK,
  outcomeOf,
  sender,
  stopAfter,
  withEnvironment,
} from './sending.js';

checkNothingIsLeftOpen();

test('the issuer, name and validity of certificates are checked', async (t) => {
  const authority = await testAuthority();
  const stranger = await createAuthority('Someone else');
  const dayFromNow = (days: number): Date => new Date(Date.now() + days * 86_400_000);
  for (const [certificate, reason] of [
    [await selfSigned(), 'certificate not trusted'],
    [await stranger.issue(), 'certificate not trusted'],
    [await authority.issue({ names: ['elsewhere.test'] }), 'certificate is for another name'],
    [await authority.issue({ notBefore: dayFromNow(-9), notAfter: dayFromNow(-1) }), 'certificate expired'],
    [
      await authority.issue({ notBefore: dayFromNow(1), notAfter: dayFromNow(9) }),
      'certificate not yet valid',
    ],
  ] as const) {
    const receiver = stopAfter(t, await startReceiver({ certificate }));
    assert.deepEqual(await outcomeOf(receiver.url), failed('tls', reason));
    assert.deepEqual(receiver.requests, []);
  }
});

const NODE = Number.parseInt(process.versions.node, 10);
/** What servers need to use weak certificates and old versions of TLS. */
const WEAK = 'DEFAULT:@SECLEVEL=0';
const HANDSHAKE =
  'the receiver refused the TLS handshake: no common cipher, or it asks for a client certificate';

const TLS_REFUSALS: Readonly<
  Record<string, readonly [reason: string, tls: TlsOptions, kind?: Leaf['kind']]>
> = {
  'that asks for a client certificate': [
    'the receiver asks for a client certificate',
    { requestCert: true, rejectUnauthorized: true },
  ],
  'that asks for a client certificate with TLS 1.2': [
    HANDSHAKE,
    { requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' },
  ],
  'with TLS 1.1 only': [
    'the receiver supports no TLS 1.2 or later',
    { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: WEAK },
  ],
  'with other ciphers only': [HANDSHAKE, { maxVersion: 'TLSv1.2', ciphers: 'NULL-SHA256:@SECLEVEL=0' }],
  'whose certificate is signed with SHA-1': [
    'certificate signed with a weak algorithm, such as SHA-1',
    { ciphers: WEAK },
    { keyType: 'rsa', algorithm: 'sha1' },
  ],
};

for (const [receives, [reason, tls, kind]] of Object.entries(TLS_REFUSALS)) {
  test(`a receiver ${receives} is reported by its cause, with the code of the error`, async (t) => {
    const authority = await createAuthority('A weak one', kind);
    const certificate = await authority.issue({ ...(kind && { kind }) });
    const receiver = stopAfter(t, await startReceiver({ certificate, tls }));
    const { code, ...outcome } = await endingOf(
      receiver.url,
      sender({ certificateAuthorities: [authority.cert] }),
    );
    assert.deepEqual(outcome, failed('tls', reason));
    assert.match(String(code), /^(?:EPROTO|UNSPECIFIED|ERR_SSL_.*CERTIFICATE_REQUIRED)$/);
    assert.deepEqual(receiver.requests, []);
  });
}

test('a key that this version of Node does not accept is reported by its cause', async (t) => {
  const authority = await createAuthority('One with long keys', { keyType: 'rsa' });
  const certificate = await authority.issue({ kind: { keyType: 'rsa', keySize: 1024 } });
  const receiver = stopAfter(t, await startReceiver({ certificate, tls: { ciphers: WEAK } }));
  const tooShort = { ...failed('tls', 'certificate with a key that is too short'), code: 'UNSPECIFIED' };
  const trusting = sender({ certificateAuthorities: [authority.cert] });
  assert.deepEqual(await endingOf(receiver.url, trusting), NODE < 24 ? DELIVERED : tooShort);
});

test('certificates are checked even if the environment turns that off', async (t) => {
  const receiver = stopAfter(t, await startReceiver({ certificate: await selfSigned() }));
  withEnvironment(t, { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
  assert.deepEqual(await outcomeOf(receiver.url), failed('tls', 'certificate not trusted'));
  assert.deepEqual(receiver.requests, []);
});

test('authorities that are renewed are trusted from the next delivery on, and the earlier ones no more', async (t) => {
  const renewed = await createAuthority('A renewed one');
  let authorities = [AUTHORITY];
  const renewing = sender({ certificateAuthorities: () => authorities });
  const [before, after] = [
    await startReceiver(),
    await startReceiver({ certificate: await renewed.issue() }),
  ];
  for (const receiver of [before, after]) stopAfter(t, receiver);
  const refused = failed('tls', 'certificate not trusted');
  assert.deepEqual(
    [await outcomeOf(before.url, renewing), await outcomeOf(after.url, renewing)],
    [DELIVERED, refused],
  );
  authorities = [renewed.cert];
  assert.deepEqual(
    [await outcomeOf(before.url, renewing), await outcomeOf(after.url, renewing)],
    [refused, DELIVERED],
  );
});

test('additional authorities are trusted as well as those of the runtime', async (t) => {
  const additional = await createAuthority('An additional one');
  const { ca } = trustedAuthorities([additional.cert]);
  assert.ok(Array.isArray(ca));
  assert.deepEqual(new Set(ca), new Set([...rootCertificates, ...ca.slice(rootCertificates.length)]));
  assert.ok(ca.includes(additional.cert));
  assert.deepEqual(trustedAuthorities([]), {});

  const folder = await mkdtemp(join(tmpdir(), 'rollcall-authorities-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'extra.pem');
  await writeFile(file, AUTHORITY);
  const byFile = stopAfter(t, await startReceiver());
  const byOption = stopAfter(t, await startReceiver({ certificate: await additional.issue() }));
  const urls = [byFile.url, byOption.url];
  const sendElsewhere = (environment: NodeJS.ProcessEnv, authorities: readonly string[]) =>
    sendFromAnotherProcess(urls, environment, authorities);

  assert.deepEqual(await sendElsewhere({}, [AUTHORITY, additional.cert]), ['answered 200', 'answered 200']);
  const untrusted = 'certificate not trusted';
  assert.deepEqual(await sendElsewhere({ NODE_EXTRA_CA_CERTS: file }, []), ['answered 200', untrusted]);
  assert.deepEqual(await sendElsewhere({}, [additional.cert]), [untrusted, 'answered 200']);
});

async function sendFromAnotherProcess(
  urls: readonly string[],
  environment: NodeJS.ProcessEnv,
  certificateAuthorities: readonly string[],
): Promise<readonly string[]> {
  const settings = JSON.stringify({ allowedNetworks: LOOPBACK, certificateAuthorities });
  const program = `
    import { gotWebhookSender } from ${JSON.stringify(import.meta.resolve('#adapters/node/webhook/sender.js'))};
    const sender = gotWebhookSender(${settings});
    const send = (url) => sender.send({ url, headers: {}, body: '' });
    const endings = await Promise.all(${JSON.stringify(urls)}.map(send));
    console.log(JSON.stringify(endings.map((ending) => ending.reason)));`;
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...env, ...environment },
  });
  return JSON.parse(stdout);
}
