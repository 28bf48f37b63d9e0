import type { WebhookSender } from '@rollcall/core';
import { gotWebhookSender } from '@rollcall/node';
import { watchCertificates } from '../config/certificates.js';
import { type Bindings, type ContainerValues, provide, provideValue } from './bindings.js';

/** Receivers in this process, trusted in addition to the configured networks and certificates. The demo has one. */
export interface LocalReceivers {
  /** CIDR notation. */
  readonly networks: readonly string[];
  /** PEM texts. */
  readonly certificateAuthorities: readonly string[];
}

const noLocalReceivers: LocalReceivers = { networks: [], certificateAuthorities: [] };

export const webhookSenderModule = {
  localReceivers: provideValue(noLocalReceivers),
  webhookSender: provide(['config', 'log', 'localReceivers'], webhookSenderOf),
} satisfies Bindings;

type Needs = Pick<ContainerValues, 'config' | 'log' | 'localReceivers'>;

function webhookSenderOf(needs: Needs): WebhookSender {
  const { config, log, localReceivers } = needs;
  const files = [config.webhookCaFile, config.nodeExtraCaFile].filter((file) => file !== null);
  return gotWebhookSender({
    allowedNetworks: allowedNetworks(needs),
    certificateAuthorities: watchCertificates(files, {
      further: localReceivers.certificateAuthorities,
      onChange: (file) => log.info({ file }, 'Certificate authorities read again'),
      onError: (file) =>
        log.warn({ file }, 'Certificate authorities not read again: the file has no valid certificates'),
    }),
  });
}

function allowedNetworks({
  config,
  localReceivers,
}: Pick<Needs, 'config' | 'localReceivers'>): readonly string[] {
  return [...config.webhookAllowedNetworks, ...localReceivers.networks];
}
