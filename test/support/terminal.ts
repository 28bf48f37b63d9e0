/**
 * Preloaded, it makes a program treat its pipes as a terminal, with all output on `stdout`. For machines that cannot
 * create a terminal.
 */
const terminal = { isTTY: true, columns: 80, rows: 24 };
Object.assign(process.stdin, { ...terminal, setRawMode: () => process.stdin });
Object.assign(process.stdout, terminal);
Object.assign(process.stderr, terminal, { write: process.stdout.write.bind(process.stdout) });

export {};
