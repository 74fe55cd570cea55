/** Rules over the API's desk: revisions on a real disk, crashes between the steps, and whose answers a change moves. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseAddress } from '../../geodns/address.ts';
import { mmdbOf } from '../../geodns/mmdb/geo.ts';
import { byTraffic, sampleUsers } from '../../geodns/mmdb/users.ts';
import { networksOf } from '../../geodns/mmdb/walk.ts';
import { keptRevisions, RevisionStore } from '../../geodns/service/revisions.ts';
import { finishWriting } from '../../geodns/service/rules-desk.ts';
import { worldMmdbs } from '../../lab/geodns/world.ts';
import { cmToHkbnText, labNetworksText, labRulesText } from '../support/geodns.ts';
import { type GeoDnsWorld, geodnsWorld } from '../support/geodns-world.ts';

const texts = { rules: cmToHkbnText, networks: labNetworksText };
const old = { rules: labRulesText, networks: labNetworksText };

let world: GeoDnsWorld;
let complaints: string[];
beforeEach(async () => {
  complaints = [];
  world = await geodnsWorld({ logError: (error) => complaints.push(String(error)) });
});
afterEach(async () => {
  await world.close();
});

function poolOfMobile(): string | null | undefined {
  const address = parseAddress('120.196.1.1');
  return address === undefined ? null : world.service.decide('www.geo.test', address, 4)?.pool;
}

describe('rules that an operator applies', () => {
  test('are in force, in the file and a revision, with who, why and the serial', async () => {
    const changed = await world.desk.apply(texts, 1, 'ops', 'CMI is full');
    expect(changed).toMatchObject({ kind: 'in-force', revision: { number: 2, author: 'ops' } });
    expect(readFileSync(world.paths.rules, 'utf8')).toBe(cmToHkbnText);
    expect(poolOfMobile()).toBe('hk-hkbn');
    expect(world.desk.list().map(({ number, reason }) => [number, reason])).toEqual([
      [2, 'CMI is full'],
      [1, 'start'],
    ]);
    expect(world.desk.current()?.serial).toBe(world.zones.at(-1)?.revision);
  });

  test('from another revision than the one in force change nothing', async () => {
    await world.desk.apply(texts, 1, 'ops', '');
    const second = await world.desk.apply(old, 1, 'kim', '');
    expect(second).toMatchObject({ kind: 'outdated', current: { number: 2, author: 'ops' } });
    expect(readFileSync(world.paths.rules, 'utf8')).toBe(cmToHkbnText);
  });

  test('that are bad are refused with their places, and nothing is written down', async () => {
    const bad = await world.desk.apply({ ...old, rules: 'version: 1\n' }, 1, 'ops', '');
    expect(bad).toMatchObject({ kind: 'refused' });
    expect(JSON.stringify(bad)).toContain('rules.yaml:1:1: zone');
    expect(world.desk.list()).toHaveLength(1);
    expect(readFileSync(world.paths.rules, 'utf8')).toBe(labRulesText);
  });

  test('do not overwrite what somebody wrote into the file meanwhile', async () => {
    writeFileSync(world.paths.rules, `${labRulesText}# by hand\n`);
    expect(await world.desk.apply(texts, 1, 'ops', '')).toEqual({
      kind: 'edited',
      path: world.paths.rules,
    });
    expect(readFileSync(world.paths.rules, 'utf8')).toContain('# by hand');
  });

  test('that cannot be written to the file are not in force and leave no revision', async () => {
    await world.close();
    // Beside a name of this length there is no room for a longer one that is renamed over it.
    world = await geodnsWorld({ rulesName: `${'r'.repeat(245)}.yaml` });
    const before = world.zones.length;
    expect(await world.desk.apply(texts, 1, 'ops', '')).toMatchObject({
      kind: 'unwritable',
      path: world.paths.rules,
      code: 'ENAMETOOLONG',
    });
    expect(world.zones).toHaveLength(before);
    expect(world.desk.list()).toHaveLength(1);
    expect(poolOfMobile()).toBe('hk-cmi');
  });

  test('are not in force when the journal cannot be written, and the file is as before', async () => {
    await world.service.parts.store.close();
    await expect(world.desk.apply(texts, 1, 'ops', '')).rejects.toThrow();
    expect(readFileSync(world.paths.rules, 'utf8')).toBe(labRulesText);
    expect(world.desk.list()).toHaveLength(1);
    expect(poolOfMobile()).toBe('hk-cmi');
  });

  test('can be brought back, with their networks', async () => {
    const fewer = { rules: labRulesText, networks: labNetworksText.replace(/\b9808, /, '') };
    expect(fewer.networks).not.toBe(labNetworksText);
    await world.desk.apply(fewer, 1, 'ops', 'by mistake');
    expect(readFileSync(world.paths.networks, 'utf8')).toBe(fewer.networks);
    const first = world.desk.get(1);
    if (first === null) throw new Error('revision 1 is gone');
    const back = await world.desk.apply(first.texts, 2, 'kim', 'back to 1', 1);
    expect(back).toMatchObject({ kind: 'in-force', revision: { number: 3, of: 1, author: 'kim' } });
    expect(readFileSync(world.paths.networks, 'utf8')).toBe(labNetworksText);
  });
});

describe('revisions', () => {
  test('of files that somebody edited have the author file, and unchanged files make none', async () => {
    await world.desk.adopt(old, 'again', async () => undefined);
    expect(world.desk.list()).toHaveLength(1);
    writeFileSync(world.paths.rules, cmToHkbnText);
    await world.desk.adopt(texts, 'read again', async () => undefined);
    expect(world.desk.list()[0]).toMatchObject({ number: 2, author: 'file', reason: 'read again' });
  });

  test('beyond those kept are forgotten, the oldest first', async () => {
    const folder = join(world.folder, 'many');
    const store = await RevisionStore.open(folder);
    const one = { serial: 1, author: 'a', reason: '', at: '', of: null, texts, before: null };
    for (let count = 0; count < keptRevisions + 3; count += 1) await store.add(one);
    expect(store.list()[0]?.number).toBe(4);
    expect(readdirSync(folder)).toHaveLength(keptRevisions);
    expect((await RevisionStore.open(folder)).list()).toHaveLength(keptRevisions);
  });

  test('that are damaged are left out and named', async () => {
    const folder = join(world.folder, 'revisions');
    writeFileSync(join(folder, '00000007.json'), '{"schema":1,');
    writeFileSync(join(folder, '00000008.json'), readFileSync(join(folder, '00000001.json')));
    const store = await RevisionStore.open(folder);
    expect(store.damaged).toEqual(['00000007.json', '00000008.json']);
    expect(store.list().map(({ number }) => number)).toEqual([1]);
  });

  /** As a crash leaves it: written down, and the files so far. */
  async function crashed(files: { rules: string; networks: string }, revision: typeof old): Promise<void> {
    const store = await RevisionStore.open(join(world.folder, 'revisions'));
    const stamp = { author: 'ops', reason: 'crash', at: '2026-11-30T00:00:00Z', of: null };
    await store.add({ ...stamp, serial: null, texts: revision, before: old });
    writeFileSync(world.paths.rules, files.rules);
    writeFileSync(world.paths.networks, files.networks);
    await finishWriting(await RevisionStore.open(join(world.folder, 'revisions')), world.paths);
  }

  async function startAgain(): Promise<GeoDnsWorld> {
    await world.service.stop();
    const next = await geodnsWorld({ folder: world.folder });
    const read = {
      rules: readFileSync(world.paths.rules, 'utf8'),
      networks: readFileSync(world.paths.networks, 'utf8'),
    };
    await next.desk.adopt(read, 'start', () => next.service.start());
    return next;
  }

  const moreNetworks = { rules: cmToHkbnText, networks: `${labNetworksText}# more\n` };
  test.each([
    { name: 'before the files', files: old, revision: moreNetworks, head: [1, 'file'], rules: labRulesText },
    {
      name: 'between the files',
      files: { rules: labRulesText, networks: moreNetworks.networks },
      revision: moreNetworks,
      head: [2, 'ops'],
      rules: cmToHkbnText,
    },
    {
      name: 'behind the files',
      files: moreNetworks,
      revision: moreNetworks,
      head: [2, 'ops'],
      rules: cmToHkbnText,
    },
  ])('a crash $name leaves one whole state', async ({ files, revision, head, rules }) => {
    await crashed(files, revision);
    world = await startAgain();
    expect(readFileSync(world.paths.rules, 'utf8')).toBe(rules);
    const current = world.desk.current();
    expect([current?.number, current?.author]).toEqual(head);
    expect(current?.serial).toBeGreaterThan(0);
    expect(current?.texts.rules).toBe(rules);
  });

  test('that cannot be kept do not keep the service from its work', async () => {
    rmSync(join(world.folder, 'revisions'), { recursive: true });
    writeFileSync(world.paths.rules, cmToHkbnText);
    await world.desk.adopt(texts, 'x', async () => undefined);
    expect(world.desk.current()).toMatchObject({ number: 0, texts });
    expect(complaints.join()).toContain('ENOENT');
  });

  test('of files that change while they are read are not adopted', async () => {
    const read = world.desk.adopt(texts, 'x', async () => undefined);
    await expect(read).rejects.toThrow(/changed while they were read/);
  });
});

describe('whose answers a change moves', () => {
  const sizeOf = (length: number): number => 2 ** (32 - length);

  test('is told by policy and family, with who and from where to where', async () => {
    const preview = await world.desk.preview(texts);
    if (preview.kind === 'refused') throw new Error(preview.problems.join());
    const { moved } = preview;
    expect(moved.by).toBe('databases');
    const v4 = moved.policies.find(({ policy, family }) => policy === 'cdn' && family === 4);
    expect(v4?.largest[0]).toMatchObject({ network: 'cm', from: 'hk-cmi', to: 'hk-hkbn', country: 'CN' });
    expect(v4?.largest.every(({ network }) => network === 'cm')).toBe(true);
    const others = moved.policies.filter(({ policy }) => policy === 'static');
    expect(others.map(({ share }) => share)).toEqual([0, 0]);
    expect(moved.share).toBe(Math.max(...moved.policies.map(({ share }) => share)));
    expect(world.desk.list()).toHaveLength(1);
  });

  test('is the share of addresses where nobody tells what users ask', async () => {
    const { asn } = worldMmdbs();
    const mmdb = mmdbOf('asn', asn, 'asn');
    let all = 0;
    let mobile = 0;
    for (const { subnet } of networksOf(mmdb.file, mmdb.reader)) {
      if (subnet.family !== 4) continue;
      all += sizeOf(subnet.length);
      const facts = world.service.parts.lookup(subnet);
      // The office has a rule of its own, above the one that changes.
      const isOffice = subnet.value === parseAddress('198.51.100.0')?.value;
      if (!isOffice && (facts.asn === 9808 || facts.asn === 56040)) mobile += sizeOf(subnet.length);
    }
    const preview = await world.desk.preview(texts);
    if (preview.kind === 'refused') throw new Error(preview.problems.join());
    const v4 = preview.moved.policies.find(({ policy, family }) => policy === 'cdn' && family === 4);
    expect(v4?.share).toBeCloseTo(mobile / all, 3);
  });

  test('is the share of the traffic where it is known', async () => {
    await world.close();
    const traffic = new Map([
      [9808, 30],
      [56040, 10],
      [4134, 60],
      [64999, 500],
    ]);
    world = await geodnsWorld({ traffic: () => traffic });
    const preview = await world.desk.preview(texts);
    if (preview.kind === 'refused') throw new Error(preview.problems.join());
    expect(preview.moved.by).toBe('statistics');
    const v4 = preview.moved.policies.find(({ policy, family }) => policy === 'cdn' && family === 4);
    expect(v4?.share).toBeCloseTo(0.4, 2);
  });

  test('counts each network once, with the whole world adding up to one', async () => {
    const mmdb = mmdbOf('asn', worldMmdbs().asn, 'asn');
    const sample = await sampleUsers(mmdb, new Set());
    for (const family of [4, 6] as const) {
      const sum = sample.users[family].reduce((total, { share }) => total + share, 0);
      expect(sum).toBeCloseTo(1, 6);
    }
    expect(byTraffic(sample, new Map([[1, 5]]))).toBeNull();
  });

  test('counts networks once where a second way leads to them, as MaxMind has for mapped addresses', () => {
    const file = Buffer.from(worldMmdbs().asn);
    const { reader } = mmdbOf('asn', file, 'asn');
    expect(reader.metadata.recordSize).toBe(24);
    let node = 0;
    for (let bit = 0; bit < 96; bit += 1) node = file.readUIntBE(node * 6, 3);
    const before = [...networksOf(file, reader)].length;
    // The half of the tree that begins with a one leads to the IPv4 part as well.
    file.writeUIntBE(node, 3, 3);
    expect([...networksOf(file, reader)].length).toBe(before);
  });

  test('names names that come and go, and answers that would be below normal', async () => {
    const renamed = cmToHkbnText.replace('img: cdn', 'pic: cdn');
    const preview = await world.desk.preview({ ...texts, rules: renamed });
    expect(preview).toMatchObject({
      moved: { names: { added: ['pic.geo.test.'], removed: ['img.geo.test.'] } },
      degraded: 0,
    });
  });
});
