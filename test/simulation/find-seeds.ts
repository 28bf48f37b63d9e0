import { plantedFaults } from './faults/planted-faults.js';
import { runSeeds } from './seeds.js';

/** `node test/dist/simulation/find-seeds.js [seeds [words]]` finds the first seed that shows each planted fault. */
const [count = '2000', words = ''] = process.argv.slice(2);
for (const { fault, planted } of plantedFaults) {
  if (!fault.includes(words)) continue;
  const { failed, seeds } = await runSeeds({ from: 1, to: Number(count), maxFailures: 1, planted });
  const [found] = failed;
  const text = found === undefined ? `not found in ${seeds} seeds` : `${found.seed}: ${found.broken[0]}`;
  process.stdout.write(`${fault}\n    ${text.slice(0, 200)}\n`);
}
