/** DESIGN §4: what each folder may import. One bad import is planted for each row, and each must be refused. */
import { mkdirSync, mkdtempSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

interface Row {
  readonly file: string;
  readonly bad: string;
  readonly good: string;
}

const rows: readonly Row[] = [
  { file: 'src/types/planted.ts', bad: 'zod', good: './units.ts' },
  { file: 'src/types/wire/planted.ts', bad: 'yaml', good: 'zod' },
  { file: 'src/core/planted.ts', bad: 'node:fs/promises', good: '../types/units.ts' },
  { file: 'src/core/decide/planted.ts', bad: '../../config/load.ts', good: '../health/cells.ts' },
  { file: 'src/config/planted.ts', bad: 'node:fs', good: 'yaml' },
  { file: 'src/config/load.ts', bad: 'execa', good: 'node:fs/promises' },
  { file: 'src/config/cron.ts', bad: 'yaml', good: 'node-cron' },
  { file: 'src/host/planted.ts', bad: '../core/decide.ts', good: 'execa' },
  { file: 'src/host/ready/planted.ts', bad: 'node:http', good: 'node:net' },
  { file: 'src/host/ready/http.ts', bad: 'node:dns/promises', good: 'node:https' },
  { file: 'src/host/ready/dns.ts', bad: 'node:http', good: 'node:dns/promises' },
  { file: 'src/store/planted.ts', bad: 'node:net', good: 'node:fs/promises' },
  { file: 'src/adapters/planted.ts', bad: 'fastify', good: 'ioredis' },
  { file: 'src/adapters/systemd-notify.ts', bad: 'ioredis', good: 'koffi' },
  { file: 'src/adapters/exchange.ts', bad: 'ioredis', good: 'node:https' },
  { file: 'src/http/planted.ts', bad: '../daemon/main.ts', good: 'fastify' },
  { file: 'src/http/metered-socket.ts', bad: 'node:net', good: 'node:stream' },
  { file: 'src/http/page/assets.ts', bad: 'node:net', good: 'node:fs' },
  { file: 'src/http/page/browser/planted.ts', bad: 'fastify', good: './element.ts' },
  { file: 'src/cli/planted.ts', bad: '../daemon/main.ts', good: '../../bird/client.ts' },
  { file: 'src/cli/run.ts', bad: '../daemon/tick.ts', good: '../daemon/main.ts' },
  { file: 'src/cli/boot.ts', bad: '../daemon/main.ts', good: '../daemon/boot.ts' },
  { file: 'src/daemon/planted.ts', bad: '../cli/main.ts', good: '../core/decide.ts' },
  { file: 'probes/planted.ts', bad: 'node:net', good: './socket/icmp.ts' },
  { file: 'probes/socket/planted.ts', bad: 'execa', good: 'koffi' },
  { file: 'probes/net-ping.ts', bad: 'node:dgram', good: 'net-ping' },
  { file: 'bird/planted.ts', bad: 'node:net', good: '../src/types/units.ts' },
  { file: 'bird/client.ts', bad: 'execa', good: 'node:net' },
  { file: 'bird/birdc.ts', bad: 'node:net', good: 'execa' },
  { file: 'bird/apply.ts', bad: 'node:net', good: 'node:fs/promises' },
  { file: 'geodns/planted.ts', bad: '../src/core/decide.ts', good: '../src/types/wire/common.ts' },
  { file: 'geodns/decision/planted.ts', bad: '../../src/http/limits.ts', good: '../address.ts' },
  {
    file: 'geodns/service/compose.ts',
    bad: '../../src/host/links.ts',
    good: '../../src/host/package-version.ts',
  },
  { file: 'geodns/api/planted.ts', bad: '../../src/daemon/main.ts', good: '../../src/http/limits.ts' },
  {
    file: 'geodns/page/browser/planted.ts',
    bad: '../../../src/http/server.ts',
    good: '../../../src/http/page/browser/element.ts',
  },
  { file: 'edge/planted.ts', bad: '../geodns/rules.ts', good: '../src/store/journal.ts' },
];

describe('import fences', () => {
  const root = mkdtempSync(join(tmpdir(), 'fences-'));
  const refused = new Set<string>();

  beforeAll(async () => {
    cpSync('.oxlintrc.json', join(root, '.oxlintrc.json'));
    for (const row of rows) {
      for (const kind of ['bad', 'good'] as const) {
        const file = join(root, kind, row.file);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, `import { planted } from '${row[kind]}';\nexport const used = planted;\n`);
        cpSync('.oxlintrc.json', join(root, kind, '.oxlintrc.json'));
      }
    }
    for (const kind of ['bad', 'good']) {
      const lint = await execa(`${process.cwd()}/node_modules/.bin/oxlint`, ['--format', 'json', '.'], {
        cwd: join(root, kind),
        reject: false,
      });
      const report: { diagnostics: { code: string; filename: string }[] } = JSON.parse(lint.stdout);
      for (const found of report.diagnostics) {
        if (found.code.includes('no-restricted-imports')) refused.add(`${kind}/${found.filename}`);
      }
    }
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test.each(rows)('$file may not import $bad', (row) => {
    expect(refused).toContain(`bad/${row.file}`);
  });
  test.each(rows)('$file may import $good', (row) => {
    expect(refused).not.toContain(`good/${row.file}`);
  });
});
