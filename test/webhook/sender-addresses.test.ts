import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { inAllowedNetworks, isPublicAddress, readNetworks } from '#adapters/webhook/addresses.js';
import { startReceiver, startTcpListener } from '../support/receiver.js';
import { AUTHORITY, DELIVERED, during, failed, leavesNothingBehind, outcomeOf, sender } from './sending.js';

leavesNothingBehind();

test('what is not an https URL is refused without a connection', async (t) => {
  const connect = t.mock.method(Socket.prototype, 'connect');
  for (const [url, reason] of [
    ['', 'not an https URL'],
    ['no url', 'not an https URL'],
    ['http://127.0.0.1/', 'not an https URL'],
    ['ftp://127.0.0.1/', 'not an https URL'],
    ['file:///etc/passwd', 'not an https URL'],
    ['unix:/var/run/docker.sock:/info', 'not an https URL'],
    ['http://unix/var/run/docker.sock:/info', 'not an https URL'],
    ['https://unix/var/run/docker.sock:/info', 'the URL cannot be used'],
    ['https://UNIX:443/var/run/docker.sock:/info', 'the URL cannot be used'],
    ['data:application/json,{}', 'not an https URL'],
    ['javascript:alert(1)', 'not an https URL'],
    ['https://', 'not an https URL'],
    ['https://127.0.0.1:99999/', 'not an https URL'],
    ['https://[fe80::1%25eth0]/', 'not an https URL'],
    ['https://[fe80::1%eth0]/', 'not an https URL'],
    ['https://[::1%lo]/', 'not an https URL'],
    ['https://256.256.256.256/', 'not an https URL'],
    ['https://name:word@receiver.test/', 'the URL holds credentials'],
    ['https://name@receiver.test/', 'the URL holds credentials'],
    ['https://:word@receiver.test/', 'the URL holds credentials'],
  ] as const) {
    assert.deepEqual(await outcomeOf(url), failed('address', reason), url);
  }
  assert.equal(connect.mock.callCount(), 0);
});

/** Every way to write this machine's own addresses. */
const OWN_ADDRESSES = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0X7F000001',
  '0x7f.1',
  '0x7f.0.0.0x1',
  '0177.0.0.1',
  '0177.1',
  '017700000001',
  '00000000000177.0.0.1',
  '%31%32%37.0.0.1',
  '１２７.０.０.１',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:7F00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
];

/** Addresses that nobody outside can reach, and such as hide one. */
const PRIVATE_ADDRESSES = [
  ...OWN_ADDRESSES,
  '127.0.0.2',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '0x0',
  '00.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '0xa.1',
  '012.0.0.1',
  '167772161',
  '100.64.0.1',
  '100.127.255.254',
  '100.100.100.200',
  '168.63.129.16',
  '169.254.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '169.254.43518',
  '172.16.0.1',
  '172.31.255.254',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.1',
  '198.18.0.1',
  '198.19.255.254',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '4294967295',
  '[::]',
  '[::2]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::10.0.0.1]',
  '[::8.8.8.8]',
  '[::ffff:10.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:192.168.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b::8.8.8.8]',
  '[64:ff9b:1::7f00:1]',
  '[100::1]',
  '[100:0:0:1::1]',
  '[2001::1]',
  '[2001:0:7f00:1::]',
  '[2001:2::1]',
  '[2001:10::1]',
  '[2001:20::1]',
  '[2001:db8::1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
  '[2002:808:808::1]',
  '[3fff::1]',
  '[3fff:fff::1]',
  '[4000::1]',
  '[5f00::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  '[fe80::1]',
  '[febf::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[ff0e::1]',
  '[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]',
];

test(`an address that is not public is refused in each of ${PRIVATE_ADDRESSES.length} spellings, unconnected`, async (t) => {
  const v4 = during(t, await startTcpListener());
  const v6 = during(t, await startTcpListener({ host: '::1', port: v4.port }));
  const connect = t.mock.method(Socket.prototype, 'connect');
  const lookup = t.mock.fn(async () => [{ address: '127.0.0.1', family: 4 }]);
  const one = sender({ allowedNetworks: [], lookup });
  for (const host of PRIVATE_ADDRESSES) {
    for (const url of [`https://${host}:${v4.port}/`, `https://${host}/`]) {
      assert.deepEqual(await outcomeOf(url, one), failed('address', 'private address'), url);
    }
  }
  assert.equal(connect.mock.callCount(), 0);
  assert.equal(lookup.mock.callCount(), 0);
  assert.deepEqual([v4.connections(), v6.connections()], [0, 0]);
});

test('the same spellings of this machine are dialled where the operator has allowed its networks', async (t) => {
  const v4 = during(t, await startTcpListener({ onConnection: (socket) => socket.end() }));
  const v6 = during(
    t,
    await startTcpListener({ onConnection: (socket) => socket.end(), host: '::1', port: v4.port }),
  );
  for (const host of OWN_ADDRESSES) {
    const outcome = await outcomeOf(`https://${host}:${v4.port}/`);
    assert.deepEqual(outcome, failed('tls', 'connection closed without an answer'), host);
  }
  assert.equal(v4.connections() + v6.connections(), OWN_ADDRESSES.length);
  assert.equal(v6.connections(), 3);
});

/** The first and the last address of every block that is not public, and the public ones right beside them. */
const EDGES: readonly (readonly [before: string, first: string, last: string, behind: string])[] = [
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

test('public is what lies beside the special blocks, to the address', () => {
  for (const [before, first, last, behind] of EDGES) {
    const judged = [before, first, last, behind].map((address) => [address, isPublicAddress(address)]);
    assert.deepEqual(judged, [
      [before, before !== ''],
      [first, false],
      [last, false],
      [behind, behind !== ''],
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

test('an allowed network holds the mapped spellings of its addresses, and may be written mapped itself', () => {
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

test('only the allowed networks are open, not those beside them', async (t) => {
  const receiver = during(t, await startReceiver());
  const beside = during(t, await startTcpListener({ host: '127.0.0.2', port: receiver.port }));
  const allowedNetworks = ['127.0.0.1/32'];
  assert.deepEqual(await outcomeOf(receiver.url, sender({ allowedNetworks })), DELIVERED);
  const url = `https://127.0.0.2:${receiver.port}`;
  assert.deepEqual(await outcomeOf(url, sender({ allowedNetworks })), failed('address', 'private address'));
  assert.equal(beside.connections(), 0);
});

test('an authority that is no certificate is refused at once', () => {
  const broken = AUTHORITY.replace(/\n.{20}/, '\n');
  for (const text of ['', 'garbage', broken, `${AUTHORITY}\n${broken}`]) {
    const message = 'A certificate authority cannot be read: PEM text with BEGIN CERTIFICATE is needed.';
    assert.throws(() => sender({ certificateAuthorities: [AUTHORITY, text] }), { message });
  }
});

test('an allowed network that is none is refused at once', () => {
  for (const network of ['', '10.0.0.1', '10.0.0.0/33', 'fd00::/129', 'localhost', '*']) {
    const message = `"${network}" is not a network such as 10.0.0.0/8 or fd00::/8.`;
    assert.throws(() => sender({ allowedNetworks: ['10.0.0.0/8', network] }), { message });
  }
});
