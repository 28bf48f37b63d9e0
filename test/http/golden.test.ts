import { goldenSuite } from '../support/http/golden-examples.js';

goldenSuite();
