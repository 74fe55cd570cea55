/** What the doctor makes of BIRD's and the daemon's words, where no lab has them all. */
import { describe, expect, test } from 'vitest';
import { birdChecks, type BirdContext } from '../../src/cli/doctor-bird.ts';
import { daemonChecks } from '../../src/cli/doctor-daemon.ts';
import { examine } from '../../src/host/doctor.ts';
import { programCheck } from '../../src/host/host-checks.ts';
import type { BirdSeen, ProtocolSeen } from '../../src/types/bird-view.ts';
import { defaultSession } from '../../src/types/session-options.ts';
import { instant } from '../../src/types/units.ts';
import type { StatusDocument } from '../../src/types/wire/status.ts';
import { nodeConfig, statusOf, uplink } from './host-node.ts';

const config = nodeConfig([uplink('cmi', 1)]);

function seen(more: Partial<BirdSeen> = {}): BirdSeen {
  return {
    kind: 'seen',
    readAt: instant(0),
    version: '2.0.12',
    serverMillis: 0,
    bootMillis: 0,
    configuredMillis: 0,
    running: true,
    protocols: new Map(),
    ...more,
  };
}

function session(name: string, info: string): ProtocolSeen {
  const nothing = { sinceMillis: null, description: null, message: null, channels: [] };
  return { name, proto: 'BGP', state: 'up', info, ...nothing };
}

async function codes(context: Partial<BirdContext>): Promise<readonly string[]> {
  const results = await examine(birdChecks, {
    config,
    bird: seen(),
    restricted: false,
    mark: null,
    ...context,
  });
  return results.flatMap((one) => ('code' in one.finding ? [one.finding.code] : []));
}

describe('BIRD', () => {
  test.each([
    ['1.6.8', 'bird-too-old'],
    ['2.0.11', 'bird-too-old'],
    ['2.13.1', 'bird-untested'],
    ['4.0', 'bird-untested'],
  ])('version %s is %s', async (version, code) => {
    expect(await codes({ bird: seen({ version }) })).toContain(code);
  });

  test.each(['2.0.12', '2.17.2', '3.1.4'])('version %s is supported', async (version) => {
    const found = await codes({ bird: seen({ version }) });
    expect(found.filter((code) => code.startsWith('bird-'))).toEqual([]);
  });

  test('one that lacks what the config asks for is named in words of the config', async () => {
    const [base] = config.uplinks;
    if (base === undefined) throw new Error('there is an uplink');
    const key = { id: 1, secretFile: '/x', algorithm: 'hmac-sha-1-96', sendId: 1, recvId: 1 } as never;
    const peer = { ...base.peer, session: { ...defaultSession, aoKeys: [key] } };
    const withKeys = { ...config, uplinks: [{ ...base, peer }] };
    expect(await codes({ config: withKeys })).toContain('bird-lacks');
    expect(await codes({ config: withKeys, bird: seen({ version: '2.17.1' }) })).not.toContain('bird-lacks');
  });

  test('a restricted socket is wrong where something is to be changed', async () => {
    expect(await codes({ restricted: true })).toContain('bird-restricted');
    expect(await codes({ restricted: null })).not.toContain('bird-restricted');
    expect(await codes({ restricted: true, config: { ...config, mode: 'observe' } })).not.toContain(
      'bird-restricted',
    );
  });

  test('sessions that are not Established are named, and what BIRD does not have is not counted twice', async () => {
    const protocols = new Map([['bgp_cmi4', session('bgp_cmi4', 'Active')]]);
    expect(await codes({ bird: seen({ protocols }) })).toContain('session-down');
    const up = new Map([['bgp_cmi4', session('bgp_cmi4', 'Established')]]);
    expect(await codes({ bird: seen({ protocols: up }) })).not.toContain('session-down');
  });

  test('a node that observes needs neither file nor protocols of ours', async () => {
    const found = await codes({ config: { ...config, mode: 'observe' } });
    expect(found.filter((code) => ['file-missing', 'protocols-missing'].includes(code))).toEqual([]);
    expect(await codes({})).toEqual(expect.arrayContaining(['file-missing', 'protocols-missing']));
  });
});

describe('the daemon', () => {
  const answer = (value: StatusDocument) =>
    ({ kind: 'answer', value, address: { kind: 'socket', path: '/x' } }) as const;
  test.each([
    ['nobody', { kind: 'unreachable', text: '/x: ENOENT' } as const, ['daemon-down']],
    ['a stuck tick', answer(statusOf({ tickAgeMillis: 9000 })), ['daemon-down']],
    [
      'an alarm',
      answer(statusOf({ alarms: [{ code: 'rate', text: 'x', since: '2026-11-30T01:00:00Z' }] })),
      ['daemon-alarm'],
    ],
    ['all well', answer(statusOf()), []],
  ])('%s', async (_name, status, wanted) => {
    const results = await examine(daemonChecks, { config, status });
    expect(results.flatMap((one) => ('code' in one.finding ? [one.finding.code] : []))).toEqual(wanted);
  });
});

test('a program that is not installed is told apart from one that does not run', async () => {
  const check = programCheck('no-such-program-of-anybody', [], 'why', 'apt-get install it');
  const [result] = await examine([check], null);
  expect(result?.finding).toMatchObject({ code: 'program-missing', mend: 'apt-get install it' });
});
