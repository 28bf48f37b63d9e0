import { ConfigurationError } from './config/configuration-error.js';
import { Failure } from './failure.js';

export interface Listening {
  readonly port: number;
  readonly host: string;
}

/** Explains to the operator why the public server cannot listen. Returns an unknown error unchanged. */
export function listenFailure(error: unknown, { port, host }: Listening): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return new Failure(
      `PORT: ${port} on ${host} is taken by another program; stop it, or choose another PORT, for example ${port + 1}`,
    );
  }
  if (code === 'EACCES') {
    return new Failure(`PORT: this user may not listen on ${port}; choose one above 1023, for example 3000`);
  }
  if (isUnknownAddress(code))
    return new ConfigurationError([{ name: 'HOST', message: unknownAddress(host) }]);
  return error;
}

/** A private server, by the beginning of the names of its variables. */
export type PrivateServer = 'METRICS' | 'OPERATOR';

/** Explains to the operator why a private server cannot listen. Returns an unknown error unchanged. */
export function privateListenFailure(
  error: unknown,
  { server, port, host }: Listening & { readonly server: PrivateServer },
): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const name = `${server}_PORT`;
  if (code === 'EADDRINUSE') {
    const message = `${port} on ${host} is taken by another program; choose another, for example ${port + 1}`;
    return new ConfigurationError([{ name, message }]);
  }
  if (code === 'EACCES') {
    const message = `this user may not listen on ${port}; choose one above 1023, for example ${usualPorts[server]}`;
    return new ConfigurationError([{ name, message }]);
  }
  if (isUnknownAddress(code))
    return new ConfigurationError([{ name: `${server}_HOST`, message: unknownAddress(host) }]);
  return error;
}

const usualPorts: Readonly<Record<PrivateServer, number>> = { METRICS: 9464, OPERATOR: 3100 };

function isUnknownAddress(code: string | undefined): boolean {
  return code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN';
}

function unknownAddress(host: string): string {
  return `${host} is not an address of this machine; it must be one, for example 127.0.0.1`;
}
