import { readSource } from '../design/stylesheet.js';

/**
 * The complete webhook receivers of the folder `receivers`, which need only what their servers bring. Each reads the secret
 * from `WEBHOOK_SECRET`, or two during a rotation, separated by a comma. Without it a program ends with a message, and PHP
 * and Node-RED, which look for each request, answer 500. Each answers 204 to signed requests and prints their body, and 401 to all others.
 * Node, Python, Java and Go listen on 127.0.0.1 at `PORT`.
 */
const programs = [
  { id: 'javascript', language: 'Node', file: 'receiver.mjs', command: 'node receiver.mjs' },
  { id: 'python', language: 'Python', file: 'receiver.py', command: 'python3 receiver.py' },
  { id: 'ruby', language: 'Ruby', file: 'config.ru', command: 'rackup --host 127.0.0.1' },
  { id: 'php', language: 'PHP', file: 'receiver.php', command: 'php -S 127.0.0.1:8080 receiver.php' },
  { id: 'perl', language: 'Perl', file: 'receiver.psgi', command: 'plackup --host 127.0.0.1 receiver.psgi' },
  { id: 'java', language: 'Java', file: 'Receiver.java', command: 'java Receiver.java' },
  { id: 'go', language: 'Go', file: 'receiver.go', command: 'go run receiver.go' },
  { id: 'node-red', language: 'Node-RED', file: 'flows.json', command: 'npx node-red flows.json' },
] as const;

const sources = programs.map(({ file }) => readSource(`docs/receivers/${file}`));

export type Receiver = ReturnType<typeof receivers>[number];

/** The receivers for the signature of a service of this name. CGI, and therefore PHP and Rack, spell its header in their own way. */
export function receivers(serviceName: string) {
  const header = `X-${serviceName.replaceAll(' ', '-')}-Signature`;
  return programs.map(({ command, ...program }, index) => ({
    ...program,
    /** Starts it. */
    command: `WEBHOOK_SECRET='whsec_…' ${command}`,
    code: (sources[index] ?? '')
      .replaceAll('X-Rollcall-Signature', header)
      .replaceAll('x-rollcall-signature', header.toLowerCase())
      .replaceAll('X_ROLLCALL_SIGNATURE', header.toUpperCase().replaceAll('-', '_')),
  }));
}
