import { BlockList, isIP } from 'node:net';

/** IPv4 networks in which no receiver can be: IANA's special-purpose registry, multicast and reserved addresses. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8', // this host
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by a provider's customers
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // inside Azure: the platform itself
  '169.254.0.0/16', // link-local, and the clouds' metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
];

/**
 * The only block from which IANA assigns public IPv6 addresses. All others are special: ::, ::1, the old compatible
 * form, NAT64 (64:ff9b::), discard (100::), routing (5f00::), fc00::, fe80::, fec0::, ff00::.
 */
const PUBLIC_IPV6 = ['2000::/3'];

/** Special ranges inside that block. */
const SPECIAL_IPV6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: an IPv4 address in disguise
  '3fff::/20', // documentation
];

/** IPv4 addresses written as IPv6 addresses. */
const MAPPED_IPV4 = ['::ffff:0:0/96'];

/** The networks that `inAllowedNetworks` compares with. */
export type Networks = BlockList;

let known: ReturnType<typeof readAll> | undefined;

function readAll() {
  return {
    special: readNetworks([...SPECIAL_IPV4, ...SPECIAL_IPV6]),
    publicIpv6: readNetworks(PUBLIC_IPV6),
    mappedIpv4: readNetworks(MAPPED_IPV4),
  };
}

/** Whether the text is an IP address of the public internet; false if it is not an address. */
export function isPublicAddress(address: string): boolean {
  // Most commands ask for no address, and reading the networks would be 3 % of what they do.
  known ??= readAll();
  const { special, publicIpv6, mappedIpv4 } = known;
  const isUsual = isIP(address) === 4 || contains(mappedIpv4, address) || contains(publicIpv6, address);
  return isUsual && !contains(special, address);
}

/** Whether an address is in one of the networks. An IPv4 address may be written as mapped (`::ffff:10.0.0.1`). */
export function inAllowedNetworks(address: string, networks: Networks): boolean {
  return contains(networks, address);
}

/** Reads networks in CIDR notation. Throws an error that names the first invalid one. */
export function readNetworks(cidrs: readonly string[]): Networks {
  const networks = new BlockList();
  for (const cidr of cidrs) {
    const [, address = '', bits = ''] = /^([^/%]*)\/(\d{1,3})$/.exec(cidr) ?? [];
    const family = isIP(address);
    if (family === 0 || Number(bits) > (family === 4 ? 32 : 128)) {
      throw new Error(`"${cidr}" is not a network such as 10.0.0.0/8 or fd00::/8.`);
    }
    networks.addSubnet(address, Number(bits), familyName(family));
  }
  return networks;
}

/** Uses only Node's own parser, because others read 010.0.0.1 as 8.0.0.1, or ::10.0.0.1 as 10.0.0.1. */
function contains(networks: Networks, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && networks.check(address.replace(/%.*$/, ''), familyName(family));
}

function familyName(family: number): 'ipv4' | 'ipv6' {
  return family === 4 ? 'ipv4' : 'ipv6';
}
