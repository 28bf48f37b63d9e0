import type { Clock, IdentityProvider, WebhookSender } from '@rollcall/core';
import { gotWebhookSender, type Logger, openidProvider } from '@rollcall/node';
import { watchCertificates } from './config/certificates.js';
import type { Config } from './config.js';

/** Receivers in this process, trusted in addition to the configured networks and certificates. The demo has one. */
export interface LocalReceivers {
  /** CIDR notation. */
  readonly networks: readonly string[];
  /** PEM texts. */
  readonly certificateAuthorities: readonly string[];
}

export function createWebhookSender(config: Config, log: Logger, local: LocalReceivers): WebhookSender {
  return gotWebhookSender(reachable(config, log, local));
}

/** Identity providers are reached as guarded as webhooks. */
export function createIdentityProvider(
  config: Config,
  log: Logger,
  local: LocalReceivers,
  clock: Pick<Clock, 'now'>,
): IdentityProvider {
  return openidProvider({ ...reachable(config, log, local), clock });
}

function reachable(
  { webhookAllowedNetworks, webhookCaFile, nodeExtraCaFile }: Config,
  log: Logger,
  local: LocalReceivers,
) {
  const files = [webhookCaFile, nodeExtraCaFile].filter((file) => file !== null);
  return {
    allowedNetworks: [...webhookAllowedNetworks, ...local.networks],
    certificateAuthorities: watchCertificates(files, {
      further: local.certificateAuthorities,
      onChange: (file) => log.info({ file }, 'Certificate authorities read again'),
      onError: (file) =>
        log.warn({ file }, 'Certificate authorities not read again: the file has no valid certificates'),
    }),
  };
}
