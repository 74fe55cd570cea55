/** What changes while users come: the ASN database (A3, A4), nginx's config, the process; nobody is dropped for it. */
import { readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeAsnMmdb } from '../../edge/mmdb-writer.ts';
import { asnRows, get, snapshot, startEdge, until, users } from '../support/edge.ts';
import type { Edge } from '../support/edge.ts';
import { flood } from '../support/flood.ts';

const cmiDown = {
  hk1: { carriers: { cmi: false, pccw: true, hkbn: true } },
  hk2: { carriers: { cmi: true, pccw: true } },
};
let last = 0;
/** Another Mobile user each time: nobody's redirects are damped. */
const mobile = (): string => {
  last += 1;
  return `x-forwarded-for: 198.18.2.${last & 255}`;
};
const many = { steering: { redirects: '9999/1min' } };

/** Memory of all workers of an edge in MiB. */
function workersMib(edge: Edge): number {
  const children = readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return (
        readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(edge.child.pid)
      );
    } catch {
      return false;
    }
  });
  const kib = children.map((pid) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0),
  );
  return kib.reduce((a, b) => a + b, 0) / 1024;
}

function database(round: number): Uint8Array {
  // Each round moves Mobile's prefix to another ASN of Mobile and back, in a file of another size.
  const rows = asnRows.map((row) =>
    row.asn === 9808 && round % 2 ? Object.assign({}, row, { asn: 56040 }) : row,
  );
  const filler = Array.from({ length: 500 + round }, (_, i) => ({
    prefix: `11.${i >> 8}.${i & 255}.0/24`,
    asn: 65000 + i,
    organisation: `filler ${i} ${'x'.repeat(100)}`,
  }));
  return writeAsnMmdb([...rows, ...filler], { builtSeconds: round + 2 });
}

/** Under load; the load goes on for about as long. */
const [swaps, loadSeconds] = process.env['CAUSEWAY_TEST_FULL'] === '1' ? [100, 16] : [30, 5];

test('the database is swapped by rename many times under load: no request is lost, every worker takes it, memory stays flat (A3, A6)', async () => {
  const edge = await startEdge(many);
  try {
    await edge.put(snapshot(cmiDown));
    const load = flood(edge.port, {
      path: '/index.html',
      connections: 4,
      seconds: loadSeconds,
      headers: mobile,
    });
    const path = join(edge.dir, 'asn.mmdb');
    let after = 0;
    for (let round = 0; round < swaps; round += 1) {
      writeFileSync(`${path}.new`, database(round));
      renameSync(`${path}.new`, path);
      const taken = async (): Promise<true | undefined> =>
        (await edge.metric('edge_geo_build_epoch_seconds')) === round + 2 ? true : undefined;
      await until('a worker took the new one', taken);
      if (round === 9) after = workersMib(edge);
    }
    expect(workersMib(edge) - after).toBeLessThan(12);
    const { answers } = await load;
    expect(Object.keys(answers)).toEqual(['302']);
    await until(
      'both workers swapped',
      async () => (await edge.metric('edge_geo_swap_total{result="taken"}')) >= swaps + 10 || undefined,
    );
    expect(edge.troubles()).toEqual([]);
    expect(edge.log()).not.toContain('exited on signal');
  } finally {
    await edge.stop();
  }
});

test('a database overwritten in place, cut short or replaced by rubbish kills no worker, and the old one stays in force (A4)', async () => {
  const edge = await startEdge(many);
  try {
    await edge.put(snapshot(cmiDown));
    const load = flood(edge.port, {
      path: '/index.html',
      connections: 4,
      seconds: 3,
      headers: mobile,
    });
    const path = join(edge.dir, 'asn.mmdb');
    const good = database(1);
    for (const content of [
      good.slice(0, 5000),
      new Uint8Array(),
      Buffer.from('<html>not found</html>'),
      good.slice(0, -100),
    ]) {
      const before = edge.troubles().length;
      writeFileSync(path, content);
      await until('it is refused', () => edge.troubles().length > before || undefined);
    }
    expect((await get(edge.port, { client: users.cm })).status).toBe(302);
    writeFileSync(path, good);
    await until(
      'the good one is taken',
      async () => (await edge.metric('edge_geo_build_epoch_seconds')) === 3 || undefined,
    );
    expect(Object.keys((await load).answers)).toEqual(['302']);
    expect(edge.log()).not.toContain('exited on signal');
    expect(edge.troubles().every((line) => line.includes('database not taken, the one in use stays'))).toBe(
      true,
    );
  } finally {
    await edge.stop();
  }
});

test('no database at the start means that everybody is served, and it is taken when it comes', async () => {
  const edge = await startEdge(many, {
    prepare: (dir) => renameSync(join(dir, 'asn.mmdb'), join(dir, 'later.mmdb')),
  });
  try {
    await edge.put(snapshot(cmiDown));
    expect((await get(edge.port, { client: users.cm })).status).toBe(200);
    renameSync(join(edge.dir, 'later.mmdb'), join(edge.dir, 'asn.mmdb'));
    await until('it is taken', async () =>
      (await get(edge.port, { client: users.cm })).status === 302 ? true : undefined,
    );
  } finally {
    await edge.stop();
  }
});

test('the first request after a start is steered by the boot file, an old boot file steers nobody, and a newer word in memory wins', async () => {
  const write = (dir: string, ageSeconds: number): void => {
    const path = join(dir, 'state.json');
    writeFileSync(path, JSON.stringify(snapshot(cmiDown)));
    const then = Date.now() / 1000 - ageSeconds;
    utimesSync(path, then, then);
  };
  const young = await startEdge(many, { prepare: (dir) => write(dir, 1) });
  try {
    expect((await get(young.port, { client: users.cm })).status).toBe(302);
    // A reload reads the file again; what came by the socket since is newer and stays.
    await young.put(snapshot({ ...cmiDown, hk1: { carriers: { cmi: true } } }));
    await young.reload();
    expect((await get(young.port, { client: users.cm })).status).toBe(200);
    expect(young.log()).toContain('the one in memory is newer');
    // The same message in an old file does not make the one in memory old.
    const same = snapshot(cmiDown);
    await young.put(JSON.stringify(same));
    writeFileSync(join(young.dir, 'state.json'), JSON.stringify(same));
    utimesSync(join(young.dir, 'state.json'), 1, 1);
    await young.reload();
    expect((await get(young.port, { client: users.cm })).status).toBe(302);
  } finally {
    await young.stop();
  }
  const old = await startEdge(many, { prepare: (dir) => write(dir, 3600) });
  try {
    expect((await get(old.port, { client: users.cm })).status).toBe(200);
    expect(old.log()).toContain('3600 s old');
    await old.put(snapshot(cmiDown));
    expect((await get(old.port, { client: users.cm })).status).toBe(302);
  } finally {
    await old.stop();
  }
});

test('reloads under load drop nobody, and a broken config leaves the running one in force', async () => {
  const edge = await startEdge(many);
  try {
    await edge.put(snapshot(cmiDown));
    const load = flood(edge.port, {
      path: '/index.html',
      connections: 4,
      seconds: 3,
      headers: mobile,
    });
    for (let i = 0; i < 3; i += 1) await edge.reload();
    writeFileSync(join(edge.dir, 'out/edge.json'), '{ "schema": 1,');
    edge.child.kill('SIGHUP');
    await until('the reload is refused', () => edge.log().includes('edge.json') || undefined);
    expect((await get(edge.port, { client: users.cm })).status).toBe(302);
    const { answers } = await load;
    expect(Object.keys(answers).filter((code) => code !== 'reset')).toEqual(['302']);
    // nginx ends idle connections at a reload, just as the next request may be on its way, and a new one that an old
    // worker still took with it: clients send such a request again. Of thousands of requests that is a handful.
    const reloads = 4;
    const connections = 4;
    expect(answers['reset'] ?? 0).toBeLessThanOrEqual(2 * reloads * connections);
    expect(answers['302']).toBeGreaterThan(100 * (answers['reset'] ?? 0));
  } finally {
    await edge.stop();
  }
});

test('the admin socket stands in a folder that strangers cannot enter', async () => {
  const edge = await startEdge();
  try {
    expect(statSync(join(edge.dir, 'run')).mode & 0o777).toBe(0o750);
  } finally {
    await edge.stop();
  }
});
