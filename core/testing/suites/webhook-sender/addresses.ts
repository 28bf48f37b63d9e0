import { type ContractTest, expectEqual, expectTrue } from '../../expect.js';
import {
  delivered,
  expectResult,
  failedAt,
  type MakeSenderTest,
  publicOnly,
  reachable,
  type StartSender,
} from './sender-trial.js';

/** Ways to write the loopback addresses 127.0.0.1 and ::1 in a URL. */
export const loopbackHosts: readonly string[] = [
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

/** Addresses that are not public, by what they are for, and ways to write them. */
const specialAddresses: Readonly<Record<string, string>> = {
  'this network': '0.0.0.0 0 0x0 00.0.0.0 0.1.2.3 [::]',
  'this machine': '127.0.0.2 127.255.255.254',
  'networks of 10.0.0.0/8': '10.0.0.1 10.255.255.255 0xa.1 012.0.0.1 167772161',
  'other private networks': '172.16.0.1 172.31.255.254 192.168.0.1 192.168.1',
  'networks of providers': '100.64.0.1 100.127.255.254',
  'the metadata of a cloud': '169.254.169.254 0xa9fea9fe 2852039166 0251.0376.0251.0376 169.254.43518',
  'services of other clouds': '100.100.100.200 168.63.129.16 192.0.0.192 [fd00:ec2::254] [fd20:ce::254]',
  'one link': '169.254.0.1 [fe80::1] [febf::1]',
  'one site': '[fc00::1] [fec0::1]',
  protocols: '192.0.0.1 [2001:10::1] [2001:20::1] [5f00::1] [100::1] [100:0:0:1::1]',
  documentation: '192.0.2.1 198.51.100.7 203.0.113.7 [2001:db8::1] [3fff::1] [3fff:fff::1]',
  benchmarks: '198.18.0.1 198.19.255.254 [2001:2::1]',
  multicast: '224.0.0.1 239.255.255.250 [ff02::1] [ff0e::1]',
  'nothing yet':
    '240.0.0.1 255.255.255.255 4294967295 [::2] [4000::1] [ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]',
  'IPv4, compatible': '[::127.0.0.1] [::7f00:1] [::10.0.0.1] [::8.8.8.8]',
  'IPv4, mapped': '[::ffff:10.0.0.1] [::ffff:a9fe:a9fe] [::ffff:192.168.0.1] [::ffff:0:127.0.0.1]',
  'IPv4, by NAT64': '[64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b::8.8.8.8] [64:ff9b:1::7f00:1]',
  'IPv4, by Teredo': '[2001::1] [2001:0:7f00:1::]',
  'IPv4, by 6to4': '192.88.99.1 [2002:7f00:1::] [2002:a9fe:a9fe::1] [2002:808:808::1]',
};

/** Hosts of URLs that are addresses, but not public ones: the special-purpose addresses of IANA and ways to write them. */
export const privateHosts: readonly string[] = [
  ...loopbackHosts,
  ...Object.values(specialAddresses).flatMap((addresses) => addresses.split(' ')),
];

/** URLs to which nothing is sent, whatever addresses are allowed. `port` is that of a receiver on 127.0.0.1. */
function refusedUrls(port: number): readonly string[] {
  return [
    '',
    'no url',
    'https://',
    `http://127.0.0.1:${port}/`,
    `ftp://127.0.0.1:${port}/`,
    'file:///etc/passwd',
    'unix:/var/run/docker.sock:/info',
    'http://unix/var/run/docker.sock:/info',
    'data:application/json,{}',
    'https://127.0.0.1:99999/',
    'https://256.256.256.256/',
    'https://[::1%25lo]/',
    `https://name:word@127.0.0.1:${port}/`,
    `https://name@127.0.0.1:${port}/`,
    `https://:word@127.0.0.1:${port}/`,
  ];
}

/** Where a sender connects to. */
export function addressTests(test: MakeSenderTest, start: StartSender): readonly ContractTest[] {
  return [
    test('an address that is not public is refused without a connection, however it is written', async (trial) => {
      const receiver = await trial.receiver();
      const sender = await start(publicOnly);
      for (const host of privateHosts) {
        const result = await trial.sendWith(sender, `https://${host}:${receiver.port}/`);
        expectResult(result, failedAt('address'), host);
        expectTrue(receiver.connections() === 0, `the sender has connected to ${host}`);
      }
    }),

    test('a name that resolves to an address that is not public is refused without a connection', async (trial) => {
      const receiver = await trial.receiver();
      const result = await trial.sendWith(await start(publicOnly), `https://localhost:${receiver.port}`);
      expectResult(result, failedAt('lookup'));
      expectTrue(receiver.connections() === 0, 'the sender has connected to localhost');
    }),

    test('an allowed address is open, however it is written, and those beside it are not', async (trial) => {
      const receiver = await trial.receiver();
      for (const host of ['127.0.0.1', '127.1', '0x7f000001', '2130706433'])
        expectResult(await trial.send(`https://${host}:${receiver.port}`), delivered, host);
      for (const host of ['127.0.0.2', '127.0.0.0', '[::1]'])
        expectResult(await trial.send(`https://${host}:${receiver.port}`), failedAt('address'), host);
    }),

    test('a URL that is not an https URL, or has credentials, is refused without a connection', async (trial) => {
      const receiver = await trial.receiver();
      const plain = await trial.plainReceiver((socket) => socket.end());
      for (const url of [...refusedUrls(receiver.port), `http://127.0.0.1:${plain.port}`])
        expectResult(await trial.send(url), failedAt('address'), url);
      expectEqual([receiver.connections(), plain.connections()], [0, 0]);
    }),

    test('refusalOf gives the reason with which send refuses a URL, before any attempt', async (trial) => {
      const sender = await start(publicOnly);
      const urls = [...refusedUrls(443), 'https://127.0.0.1/', 'https://[::1]:8443/x', 'https://10.0.0.1/'];
      for (const url of urls) {
        const refusal = sender.refusalOf(url);
        expectTrue(refusal !== null && refusal !== '', `no refusal is known for ${JSON.stringify(url)}`);
        expectEqual(refusal, (await trial.sendWith(sender, url)).reason);
      }
    }),

    test('refusalOf is null for a URL to which send may connect', async () => {
      const sender = await start(reachable);
      const urls = ['https://127.0.0.1/', 'https://8.8.8.8:8443/hooks', 'https://partner.example/a?b=c'];
      expectEqual(
        urls.map((url) => sender.refusalOf(url)),
        [null, null, null],
      );
    }),
  ];
}
