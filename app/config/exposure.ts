import { BlockList, isIP } from 'node:net';
import { hostname } from 'node:os';
import type { Config } from '../config.js';
import { isSetIn } from './environment.js';
import type { Environment } from './rules.js';

/** What the operator should know about the address on which the service listens. */
export function exposureWarnings(
  environment: Environment,
  { host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>,
): readonly string[] {
  if (isLoopback(host)) {
    const isReachedFromOutside = platforms.some((name) => (environment[name] ?? '') !== '');
    if (!isReachedFromOutside || isSetIn(environment, 'host')) return [];
    return ['HOST is not set, so nothing outside of this container can reach the service: set HOST=0.0.0.0'];
  }
  const warnings: string[] = [];
  if (!isSetIn(environment, 'publicUrl'))
    warnings.push(
      `HOST is ${host} and PUBLIC_URL is not set, so all links lead to ${publicUrl}: set PUBLIC_URL to the address that people use`,
    );
  if (host.toLowerCase() === hostname().toLowerCase())
    warnings.push(
      `HOST is the name of this machine, as some shells set it by themselves: set HOST to the address to listen on`,
    );
  return warnings;
}

/** Variables of platforms that reach the service over their network, and may choose its `PORT`. */
const platforms = [
  'KUBERNETES_SERVICE_HOST',
  'DYNO',
  'K_SERVICE',
  'RAILWAY_ENVIRONMENT_ID',
  'RENDER',
  'FLY_APP_NAME',
];

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Names other than `localhost` are not looked up. */
function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return /^localhost$|\.localhost$/i.test(host);
  return loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
