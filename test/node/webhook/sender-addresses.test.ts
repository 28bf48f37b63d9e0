import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loopbackHosts } from '@rollcall/core/testing';
import { gotWebhookSender } from '#adapters/node/index.js';
import { inAllowedNetworks, isPublicAddress, readNetworks } from '#adapters/node/webhook/addresses.js';
import { startTcpListener } from '../../support/receiver.js';
import { AUTHORITY, checkNothingIsLeftOpen, failed, outcomeOf, sender, stopAfter } from './sending.js';

checkNothingIsLeftOpen();

test('a URL is refused with a reason', async () => {
  for (const [url, reason] of [
    ['no url', 'not an https URL'],
    ['http://unix/var/run/docker.sock:/info', 'not an https URL'],
    ['https://unix/var/run/docker.sock:/info', 'the URL cannot be used'],
    ['https://UNIX:443/var/run/docker.sock:/info', 'the URL cannot be used'],
    ['https://name:word@receiver.test/', 'the URL holds credentials'],
    ['https://127.0.0.1:0/', 'the URL cannot be used'],
  ] as const) {
    assert.deepEqual(await outcomeOf(url), failed('address', reason), url);
  }
});

test('refusalOf knows names that never resolve to an allowed address, unless names are looked up differently', () => {
  const { refusalOf } = gotWebhookSender();
  const known = {
    'https://nowhere.invalid/': 'the name does not resolve',
    'https://NOWHERE.Invalid.:8443/x': 'the name does not resolve',
    'https://invalid/': 'the name does not resolve',
    'https://service.onion/': 'the name does not resolve',
    'https://localhost/': 'resolves to a private address',
    'https://a.localhost.:8443/': 'resolves to a private address',
    'https://receiver.test:0/': 'the URL cannot be used',
    'https://receiver.test/': null,
    'https://notinvalid/': null,
    'https://mylocalhost.test/': null,
  };
  for (const [url, reason] of Object.entries(known)) assert.equal(refusalOf(url), reason, url);
  const local = gotWebhookSender({ allowedNetworks: ['127.0.0.0/8'] });
  assert.equal(local.refusalOf('https://localhost/'), null);
  const withNames = gotWebhookSender({ lookup: async () => [{ address: '8.8.8.8', family: 4 }] });
  assert.equal(withNames.refusalOf('https://nowhere.invalid/'), null);
});

test('every spelling of a loopback address is connected to if the operator has allowed its network', async (t) => {
  const v4 = stopAfter(t, await startTcpListener({ onConnection: (socket) => socket.end() }));
  const v6 = stopAfter(
    t,
    await startTcpListener({ onConnection: (socket) => socket.end(), host: '::1', port: v4.port }),
  );
  for (const host of loopbackHosts) {
    const outcome = await outcomeOf(`https://${host}:${v4.port}/`);
    assert.deepEqual(outcome, failed('tls', 'connection closed without an answer'), host);
  }
  assert.equal(v4.connections() + v6.connections(), loopbackHosts.length);
  assert.equal(v6.connections(), 3);
});

/** The first and last address of every block that is not public, and the public addresses next to them. */
const EDGES: readonly (readonly [before: string, first: string, last: string, after: string])[] = [
  ['', '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17'],
  ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['223.255.255.255', '224.0.0.0', '255.255.255.255', ''],
  ['', '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
  [
    '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001::',
    '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:200::',
  ],
  ['2001:db7:ffff::', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
  ['2001:ffff::', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
  ['3ffe:ffff::', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::'],
  ['3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', ''],
];

test('the public addresses begin exactly where the special blocks end', () => {
  for (const [before, first, last, after] of EDGES) {
    const results = [before, first, last, after].map((address) => [address, isPublicAddress(address)]);
    assert.deepEqual(results, [
      [before, before !== ''],
      [first, false],
      [last, false],
      [after, after !== ''],
    ]);
  }
  for (const address of ['8.8.8.8', '::ffff:8.8.8.8', '2606:4700:4700::1111', '2a00:1450:4001:800::200e']) {
    assert.equal(isPublicAddress(address), true, address);
  }
  for (const address of [
    '010.0.0.1',
    '8.8.8',
    '134744072',
    '0x08.8.8.8',
    ' 8.8.8.8',
    'dns.google',
    '8.8.8.8/32',
  ]) {
    assert.equal(isPublicAddress(address), false, address);
  }
});

test('an allowed network includes the IPv4-mapped form of its addresses, and may be in that form itself', () => {
  const networks = readNetworks(['10.1.0.0/16', 'fd00:1::/32', '::ffff:192.168.7.0/120']);
  const inside = ['10.1.0.0', '10.1.255.255', '::ffff:10.1.2.3', '::ffff:a01:203', 'fd00:1:ffff::1'];
  const outside = [
    '10.0.255.255',
    '10.2.0.0',
    '::10.1.2.3',
    '64:ff9b::10.1.2.3',
    'fd00:2::1',
    '192.168.8.0',
    'x',
    '',
  ];
  for (const address of [...inside, '192.168.7.255', '::ffff:192.168.7.0']) {
    assert.equal(inAllowedNetworks(address, networks), true, address);
  }
  for (const address of outside) assert.equal(inAllowedNetworks(address, networks), false, address);
});

test('an invalid certificate authority is refused at once', () => {
  const broken = AUTHORITY.replace(/\n.{20}/, '\n');
  for (const text of ['', 'garbage', broken, `${AUTHORITY}\n${broken}`]) {
    const message = 'A certificate authority cannot be read: PEM text with BEGIN CERTIFICATE is needed.';
    assert.throws(() => sender({ certificateAuthorities: [AUTHORITY, text] }), { message });
  }
});

test('an invalid allowed network is refused at once', () => {
  for (const network of ['', '10.0.0.1', '10.0.0.0/33', 'fd00::/129', 'localhost', '*']) {
    const message = `"${network}" is not a network such as 10.0.0.0/8 or fd00::/8.`;
    assert.throws(() => sender({ allowedNetworks: ['10.0.0.0/8', network] }), { message });
  }
});
