import { stopCoverage } from 'node:v8';

/**
 * Stops measuring the coverage of this process and of those that it starts. Test files import it first if other tests
 * run the same code: browsers, crashes, races, random calls and hostile values. It saves about a tenth of their CPU, and
 * their reports, which are megabytes each.
 */
stopCoverage();
delete process.env.NODE_V8_COVERAGE;
