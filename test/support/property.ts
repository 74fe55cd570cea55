/**
 * The door to the property tests, which sets their seed. `npm test` draws the same worlds each time, so that what fails
 * was broken by a change; `npm run test:full` draws others each time, and names the seed in the title of each test.
 * CAUSEWAY_SEED asks for one.
 */
import { fc, test } from '@fast-check/vitest';

const given = process.env['CAUSEWAY_SEED'];
const isFull = process.env['CAUSEWAY_TEST_FULL'] === '1';
if (given !== undefined) fc.configureGlobal({ seed: Number(given) });
else if (!isFull) fc.configureGlobal({ seed: 58_453 });

export { fc, test };
