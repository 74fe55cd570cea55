/** Real nodes' fleet parts on a real Redis that is killed, stopped, filled, made read-only, wiped, and locked. */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { monotonicNow } from '../../src/daemon/clock.ts';
import type { FleetConfig } from '../../src/types/fleet-config.ts';
import { millis } from '../../src/types/units.ts';
import { until } from '../support/edge.ts';
import { type FleetMember, openMember } from '../support/fleet-member.ts';
import { fleetConfigAt } from '../../lab/fleet/redis-config.ts';
import { type Redis, startRedis } from '../support/redis.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function redisWith(options: readonly string[] = []): Promise<Redis> {
  const redis = await startRedis(options);
  closers.push(() => redis.stop());
  return redis;
}

async function memberOf(
  name: string,
  config: FleetConfig,
  more: Parameters<typeof openMember>[2] = {},
): Promise<FleetMember> {
  const member = await openMember(name, config, more);
  closers.push(() => member.close());
  return member;
}

function heardBy(member: FleetMember): readonly string[] {
  const nodes = member.fleet.status()?.nodes ?? [];
  return nodes.filter(({ state, self }) => state === 'heard' && !self).map(({ node }) => node);
}

function linkOf(member: FleetMember): string {
  const status = member.fleet.status();
  return `${status?.link} ${status?.text}`;
}

const isReading = (member: FleetMember): true | undefined =>
  member.fleet.status()?.link === 'reading' ? true : undefined;
const mayConsent = (member: FleetMember): true | undefined =>
  member.fleet.status()?.consentInSeconds === 0 ? true : undefined;
const isOut = (member: FleetMember): true | undefined =>
  member.states().every((state) => state === 'withdraw') ? true : undefined;

/** Both uplinks failed, long enough apart that they are judged one by one. */
function failAll(member: FleetMember): void {
  const now = monotonicNow() / 1000;
  member.facts = { cmi: { health: 'failed', since: now - 60 }, pccw: { health: 'failed', since: now - 10 } };
}

test('three nodes hear each other; one whose uplinks all fail leaves with consent, and returns when it is needed', async () => {
  const redis = await redisWith();
  const config = fleetConfigAt(redis.port);
  const [hk1, hk2, hk3] = [
    await memberOf('hk1', config),
    await memberOf('hk2', config),
    await memberOf('hk3', config),
  ];
  await until('all are heard', async () => (heardBy(hk1).length === 2 ? true : undefined));
  failAll(hk1);
  await until('it stays without consent', async () =>
    hk1.wish().announcements.some(({ held }) => held?.guard === 'last-resort') ? true : undefined,
  );
  await until('it has left', async () => isOut(hk1));
  // A consent is for one leaving.
  expect(hk1.fleet.words()?.get('web4')).toMatchObject({ consent: 'refused', announcingNodes: 2 });
  await until('the others see it', async () => {
    const node = hk2.fleet.status()?.nodes.find(({ node: name }) => name === 'hk1');
    return node?.announcements.every(({ state }) => state === 'absent') ? true : undefined;
  });
  hk2.ready = 'not-ready';
  hk3.ready = 'not-ready';
  await until('it returns as the last resort', async () =>
    hk1.wish().announcements.some(({ state, reason }) => state === 'announce' && reason === 'last-resort')
      ? true
      : undefined,
  );
  await until('it asked again and was refused', async () =>
    hk1.fleet.words()?.get('web4')?.text.includes('must remain') ? true : undefined,
  );
  expect(hk1.states()).toContain('announce');
  expect(hk1.returns()).toBe(1);
  // Nobody is left that could let the others leave: they stay, drained.
  expect(hk2.states()).toContain('drain');
  expect(hk3.states()).toContain('drain');
});

test('a service that is not ready is withdrawn with consent, and the last one stays drained', async () => {
  const redis = await redisWith();
  const config = fleetConfigAt(redis.port);
  const [hk1, hk2] = [await memberOf('hk1', config), await memberOf('hk2', config)];
  await until('both may ask', async () => mayConsent(hk1) && mayConsent(hk2));
  hk1.ready = 'not-ready';
  await until('it has left', async () => isOut(hk1));
  hk2.ready = 'not-ready';
  await until('the other one asked and was refused', async () =>
    hk2.fleet.words()?.get('web4')?.text.includes('must remain') ? true : undefined,
  );
  expect(hk2.states()).toEqual(['drain', 'drain']);
  hk1.ready = 'ready';
  await until('it is back, and the other one leaves', async () =>
    hk1.states().includes('announce') ? isOut(hk2) : undefined,
  );
});

test('whatever happens to Redis changes no announcement, and nobody consents meanwhile', async () => {
  const redis = await redisWith();
  const config = fleetConfigAt(redis.port);
  const [hk1, hk2] = [await memberOf('hk1', config), await memberOf('hk2', config)];
  const other = await redisWith();
  const back = async (): Promise<void> => {
    await until('the view is right again', async () =>
      isReading(hk1) && heardBy(hk1).length === 1 ? true : undefined,
    );
  };
  await until('hk1 may ask', async () => mayConsent(hk1));
  const troubles: readonly (readonly [string, RegExp, () => Promise<unknown>, () => Promise<unknown>])[] = [
    [
      'stopped',
      /timeout/,
      async () => redis.child().kill('SIGSTOP'),
      async () => redis.child().kill('SIGCONT'),
    ],
    ['killed', /unreachable|closed/, () => redis.stop(), () => redis.start()],
    [
      'full',
      /full: OOM/,
      () => redis.command('CONFIG SET maxmemory 1'),
      () => redis.command('CONFIG SET maxmemory 0'),
    ],
    [
      'a replica',
      /read-only/,
      () => redis.command(`REPLICAOF 127.0.0.1 ${other.port}`),
      () => redis.command('REPLICAOF NO ONE'),
    ],
  ];
  for (const [what, text, begin, end] of troubles) {
    await begin();
    await until(`hk1 is silent while Redis is ${what}`, async () =>
      text.test(linkOf(hk1)) ? true : undefined,
    );
    expect(hk1.fleet.words()?.get('web4')).toMatchObject({ consent: 'silent', announcingNodes: null });
    expect(hk1.fleet.alarms().map(({ code }) => code)).toContain('fleet-silent');
    expect([...hk1.states(), ...hk2.states()]).toEqual(Array(4).fill('announce'));
    await end();
    await back();
    expect(hk1.fleet.alarms()).toEqual([]);
  }
  await redis.command('FLUSHALL');
  await until('the wipe is seen', async () => (mayConsent(hk1) ? undefined : true));
  await back();
  expect([...hk1.states(), ...hk2.states()]).toEqual(Array(4).fill('announce'));
});

test('a daemon that hangs is unknown although its fleet part goes on, and frees nobody', async () => {
  const redis = await redisWith();
  const config = fleetConfigAt(redis.port);
  const [hk1, hk2] = [await memberOf('hk1', config), await memberOf('hk2', config)];
  await until('hk2 is heard', async () => (mayConsent(hk1) && heardBy(hk1).length === 1 ? true : undefined));
  hk2.ticking = false;
  await until('it repeats itself', async () =>
    hk1.fleet.status()?.nodes.some(({ why }) => why?.startsWith('it repeats') ?? false) ? true : undefined,
  );
  failAll(hk1);
  await until('the last uplink stays', async () =>
    hk1.wish().announcements.some(({ held }) => held?.guard === 'last-resort') ? true : undefined,
  );
  expect(hk1.fleet.words()?.get('web4')).toMatchObject({ announcingNodes: 0 });
  expect(isOut(hk1)).toBeUndefined();
});

test('a wrong password and a user without rights are named, and a right one is taken from the file at the next try', async () => {
  const redis = await redisWith(['--requirepass', 'secret-of-the-fleet']);
  const file = join(tmpdir(), `causeway-fleet-password-${process.pid}`);
  writeFileSync(file, 'wrong\n');
  const hk1 = await memberOf('hk1', fleetConfigAt(redis.port, { passwordFile: file }));
  await until('the login is refused', async () =>
    /login: .*WRONGPASS|invalid/.test(linkOf(hk1)) ? true : undefined,
  );
  writeFileSync(file, 'secret-of-the-fleet\n');
  await until('it is reading', async () => isReading(hk1));
});

test('it stops within a moment while Redis hangs', async () => {
  const redis = await redisWith();
  redis.child().kill('SIGSTOP');
  closers.push(async () => void redis.child().kill('SIGCONT'));
  const hk1 = await openMember('hk1', fleetConfigAt(redis.port));
  await until('it waits for an answer', async () => (/timeout/.test(linkOf(hk1)) ? true : undefined));
  const began = monotonicNow();
  await hk1.close();
  // A cycle that hangs ends after three seconds by itself.
  expect(monotonicNow() - began).toBeLessThan(2000);
});

test('two daemons of one name are told, and neither is given consent', async () => {
  const redis = await redisWith();
  const config = fleetConfigAt(redis.port, { expireMillis: millis(2000) });
  const [one, two] = [await memberOf('hk1', config), await memberOf('hk1', config)];
  await until('both say so', async () =>
    [one, two].every(({ fleet }) => fleet.alarms().some(({ code }) => code === 'fleet-name-taken'))
      ? true
      : undefined,
  );
});
