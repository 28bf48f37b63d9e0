import { ConfigurationError } from './config/configuration-error.js';
import { Failure } from './failure.js';

export interface Listening {
  readonly port: number;
  readonly host: string;
}

export type Server = 'public' | 'metrics' | 'operator';

/** The variables that say where each server listens, and its usual port. */
const variablesOf = {
  public: { port: 'PORT', host: 'HOST', usualPort: 3000 },
  metrics: { port: 'METRICS_PORT', host: 'METRICS_HOST', usualPort: 9464 },
  operator: { port: 'OPERATOR_PORT', host: 'OPERATOR_HOST', usualPort: 3100 },
} as const satisfies Readonly<Record<Server, object>>;

/**
 * Explains to the operator why a server cannot listen. Returns an unknown error unchanged. Only a port that is taken may
 * become free, so that supervisors start the service again.
 */
export function listenFailure(
  error: unknown,
  { server, port, host }: Listening & { readonly server: Server },
): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const names = variablesOf[server];
  switch (code) {
    case 'EADDRINUSE':
      return new Failure(
        `${names.port}: ${port} on ${host} is taken by another program; stop it, or choose another ${names.port}, for example ${port + 1}`,
      );
    case 'EACCES': {
      const message = `this user may not listen on ${port}; choose one above 1023, for example ${names.usualPort}`;
      return new ConfigurationError([{ name: names.port, message }]);
    }
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN': {
      const message = `${host} is not an address of this machine; it must be one, for example 127.0.0.1`;
      return new ConfigurationError([{ name: names.host, message }]);
    }
    default:
      return error;
  }
}
