import type { ClientRequest } from 'node:http';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { inAllowedNetworks, isPublicAddress, readNetworks } from './addresses.js';
import { trustedAuthorities } from './authorities.js';
import { type Resolve, systemNames } from './resolve-host.js';

/** Where requests to addresses that others have chosen may go. */
export interface GuardSettings {
  /** Networks in CIDR notation that may be reached although they are not public. None by default. */
  readonly allowedNetworks?: readonly string[] | undefined;
  /**
   * PEM texts of certificate authorities to trust in addition to the runtime's own. A function is called for each request:
   * it returns the same array until they have changed.
   */
  readonly certificateAuthorities?: readonly string[] | (() => readonly string[]) | undefined;
  /** Looks up the addresses of a name instead of the hosts file and the name servers. */
  readonly lookup?: Resolve;
}

export interface Guard {
  readonly isAllowed: (address: string) => boolean;
  readonly resolve: Resolve;
  readonly secureContext: () => SecureContext;
}

/** Throws if a network or an authority cannot be read. */
export function createGuard(settings: GuardSettings): Guard {
  const { certificateAuthorities = [] } = settings;
  const authorities =
    typeof certificateAuthorities === 'function' ? certificateAuthorities : () => certificateAuthorities;
  if (typeof certificateAuthorities !== 'function') trustedAuthorities(certificateAuthorities);
  let trusted: readonly string[] | undefined;
  let secureContext: SecureContext | undefined;
  return {
    isAllowed: allowedAddresses(settings.allowedNetworks ?? []),
    resolve: settings.lookup ?? systemNames(),
    // Created with the first delivery and when the authorities change, because reading the runtime's own is slow.
    secureContext() {
      const current = authorities();
      if (current !== trusted) secureContext = undefined;
      trusted = current;
      secureContext ??= createSecureContext(trustedAuthorities(current));
      return secureContext;
    },
  };
}

function allowedAddresses(allowedNetworks: readonly string[]): Guard['isAllowed'] {
  const networks = readNetworks(allowedNetworks);
  return (address) => isPublicAddress(address) || inAllowedNetworks(address, networks);
}

/** A request ends with this many interim responses (100, 102, 103 …). */
const MAX_INTERIM_RESPONSES = 10;

/** A server that sends interim responses without end would otherwise keep the process busy with parsing. */
export function limitInterimResponses(request: ClientRequest, refuse: () => void): void {
  let count = 0;
  request.on('information', () => {
    count += 1;
    if (count !== MAX_INTERIM_RESPONSES) return;
    refuse();
    // Destroyed here and not only after the end, so that no further ones are read.
    request.destroy();
  });
}

export const NO_HTTPS_URL = 'not an https URL';
export const DOES_NOT_RESOLVE = 'the name does not resolve';
export const RESOLVES_TO_PRIVATE = 'resolves to a private address';

export function refusalOf(url: URL | null, isAllowed: Guard['isAllowed']): string | null {
  if (url?.protocol !== 'https:') return NO_HTTPS_URL;
  if (url.username !== '' || url.password !== '') return 'the URL holds credentials';
  // got reads this name as the path of a local socket.
  if (url.hostname === 'unix' || url.port === '0') return 'the URL cannot be used';
  const host = hostOf(url);
  return isIP(host) !== 0 && !isAllowed(host) ? 'private address' : null;
}

/** Why the lookup of the URL's name will fail, whatever the name servers answer; null: that is not known. */
export function refusalOfName(url: URL | null, isAllowed: Guard['isAllowed']): string | null {
  const name = url?.hostname.replace(/\.$/, '') ?? '';
  if (/(?:^|\.)localhost$/.test(name) && !isAllowed('127.0.0.1')) return RESOLVES_TO_PRIVATE;
  return /(?:^|\.)(?:alt|invalid|onion)$/.test(name) ? DOES_NOT_RESOLVE : null;
}

export function readUrl(url: string): URL | null {
  return URL.canParse(url) ? new URL(url) : null;
}

/** The host name, or the IP address without brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
