/**
 * Loaded before a program, makes it take its pipes for a terminal; what it prints comes as `stdout`, as there. For
 * machines where nothing can make a terminal.
 */
const terminal = { isTTY: true, columns: 80, rows: 24 };
Object.assign(process.stdin, { ...terminal, setRawMode: () => process.stdin });
Object.assign(process.stdout, terminal);
Object.assign(process.stderr, terminal, { write: process.stdout.write.bind(process.stdout) });

export {};
