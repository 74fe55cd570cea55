/** The supervisor with small children that misbehave in one way each. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { type ProberHandle, type ProberState, startProber } from '../../src/daemon/prober.ts';
import type { ProberMessage } from '../../src/types/outcome.ts';

const folder = mkdtempSync(join(tmpdir(), 'prober-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const states: ProberState[] = [];
const messages: Extract<ProberMessage, { readonly kind: 'samples' }>[] = [];
let prober: ProberHandle | null = null;
afterEach(async () => {
  await prober?.stop();
  states.length = 0;
  messages.length = 0;
});

function start(name: string, source: string): ProberHandle {
  const entry = join(folder, name);
  if (source !== '') writeFileSync(entry, source);
  prober = startProber({
    entry,
    tasks: [],
    onSamples: (message) => messages.push(message),
    onState: (state) => states.push(state),
  });
  return prober;
}

const wait = { timeout: 20_000, interval: 20 };
const beat = `samples: [{ task: 1, sentAt: 1, outcome: { kind: 'lost' } }], strays: 1, lagMillis: 0, rssBytes: 1, cpuMicros: 1, at: 1`;

test('a prober that cannot be started is tried again, ever more slowly, and throws at nobody', async () => {
  const handle = start('missing.cjs', '');
  await vi.waitFor(
    () => expect(states.filter(({ kind }) => kind === 'restarting').length).toBeGreaterThan(2),
    wait,
  );
  const delays = states.flatMap((state) => (state.kind === 'restarting' ? [state.inMillis] : []));
  expect(delays.slice(0, 3)).toEqual([200, 400, 800]);
  handle.setTasks([]);
  handle.linkChanged();
});

test('samples of an earlier plan are not given on, since their ids may mean others now', async () => {
  const handle = start(
    'plans.cjs',
    `process.send({ kind: 'ready', engine: 'test', pid: process.pid });
     process.on('message', (m) => { if (m.kind === 'stop') process.exit();
       if (m.kind === 'plan') for (const plan of [m.plan - 1, m.plan]) process.send({ kind: 'samples', plan, ${beat} }); });`,
  );
  await vi.waitFor(() => expect(messages).toHaveLength(2), wait);
  expect(messages.map((message) => message.samples.length)).toEqual([0, 1]);
  expect(handle.state()).toMatchObject({ kind: 'running', engine: 'test', strays: 2 });
});

test('a prober that is unable stays unable while it beats, until it says that it is ready', async () => {
  const handle = start(
    'unable.cjs',
    `process.send({ kind: 'unable', code: 'EACCES', text: 'why' });
     process.send({ kind: 'samples', ${beat} });
     process.on('message', (m) => { if (m.kind === 'stop') process.exit();
       if (m.kind === 'link-changed') process.send({ kind: 'ready', engine: 'test', pid: process.pid }); });`,
  );
  await vi.waitFor(() => expect(messages).toHaveLength(1), wait);
  expect(handle.state()).toEqual({ kind: 'unable', code: 'EACCES', text: 'why' });
  handle.linkChanged();
  await vi.waitFor(() => expect(handle.state().kind).toBe('running'), wait);
});

test('stop ends a prober that does not obey', async () => {
  const handle = start(
    'deaf.cjs',
    `process.send({ kind: 'ready', engine: 'test', pid: process.pid }); process.on('message', () => 0);`,
  );
  await vi.waitFor(() => expect(handle.state().kind).toBe('running'), wait);
  const state = handle.state();
  await handle.stop();
  expect(() => process.kill(state.kind === 'running' ? state.pid : 0, 0)).toThrow('ESRCH');
});
