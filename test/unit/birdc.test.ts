/** The way through a command where it goes wrong: programs that fail as birdc, docker and the like can. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openBirdc } from '../../bird/birdc.ts';
import type { BirdClient } from '../../bird/client.ts';
import { readBird } from '../../bird/read.ts';
import { instant } from '../../src/types/units.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-birdc-'));
const clients: BirdClient[] = [];
afterAll(() => {
  for (const client of clients) client.close();
  rmSync(folder, { recursive: true, force: true });
});

let count = 0;

/** A client whose program is this shell script; its words are `-v` and the command. */
function through(script: string, more: { timeoutMillis?: number; onAsync?: (line: string) => void } = {}) {
  const path = join(folder, `birdc-${(count += 1)}`);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  const client = openBirdc({ command: [path], timeoutMillis: 20_000, ...more });
  clients.push(client);
  return client;
}

const says = (text: string, code = 0): string => `cat <<'EOF'\n${text}\nEOF\nexit ${code}`;
const greeting = '0001 BIRD 2.0.12 ready.';

describe('what cannot be asked', () => {
  test('a program that is not there is ENOENT, and the view says so', async () => {
    const client = openBirdc({ command: ['/nonexistent/birdc'], timeoutMillis: 20_000 });
    await expect(client.command('show status')).rejects.toMatchObject({ name: 'BirdError', code: 'ENOENT' });
    const view = await readBird(client, '/nonexistent/birdc', () => instant(3));
    expect(view).toMatchObject({
      kind: 'unreachable',
      code: 'ENOENT',
      path: '/nonexistent/birdc',
      readAt: 3,
    });
  });

  test.each([
    ['ENOENT', 'Unable to connect to server control socket (/run/bird/bird.ctl): No such file or directory'],
    ['ECONNREFUSED', 'Unable to connect to server control socket (/run/bird/bird.ctl): Connection refused'],
    ['EACCES', 'Unable to connect to server control socket (/run/bird/bird.ctl): Permission denied'],
    ['bad-reply', 'Error response from daemon: No such container: bird'],
  ])('%s where its complaint is %j', async (code, complaint) => {
    const client = through(`echo ${JSON.stringify(complaint)} >&2; exit 1`);
    await expect(client.command('show status')).rejects.toMatchObject({ code });
    await expect(client.command('show status')).rejects.toThrow(complaint);
    expect(client.version).toBeNull();
  });

  test('a program that does not end is ETIMEDOUT, and the next command is asked of a new one', async () => {
    const marker = join(folder, 'asked-before');
    const client = through(
      `if [ ! -e ${marker} ]; then : > ${marker}; exec sleep 600; fi\n${says(`${greeting}\n0003 yes`)}`,
      { timeoutMillis: 3000 },
    );
    await expect(client.command('show status')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    await expect(client.command('show status')).resolves.toMatchObject({ code: '0003' });
  });

  test('closing ends the program that runs', async () => {
    const client = through('exec sleep 600');
    const asked = client.command('show status');
    setImmediate(() => client.close());
    await expect(asked).rejects.toMatchObject({ code: 'closed' });
    await expect(client.command('show status')).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('what is no whole reply', () => {
  test.each([
    ['nothing at all', says('')],
    ['a greeting of something else', says('0001 FRR 9.1 ready.\n0003 fine')],
    ['no greeting', says('0003 fine')],
    ['text of another program', says('Welcome to bird.example\n0001 BIRD 2.0.12 ready.\n0003 fine')],
    ['a reply that birdc says has failed', says(`${greeting}\n1007-Table t:`, 1)],
    ['a refusal that birdc says went well', says(`${greeting}\n9001 syntax error`)],
    ['two replies', says(`${greeting}\n0003 one\n0003 two`)],
    [
      'a death by a signal in the middle',
      `${says(`${greeting}\n2002-Name`).replace('exit 0', '')}kill -9 $$`,
    ],
  ])('%s is an error and never a list', async (_, script) => {
    const client = through(script);
    await expect(client.command('show protocols all')).rejects.toMatchObject({ name: 'BirdError' });
  });

  test('a list that was cut inside a protocol is unreachable, although the program says that all went well', async () => {
    const status = `${greeting}\n1000-BIRD 2.0.12\n1011-Router ID is 192.0.2.1\n0013 Daemon is up and running`;
    const cut = `${greeting}\n2002-Name\n1002-a Static t up 00:00:01  \n1006-  Channel ipv4\n         State:          UP`;
    const client = through(
      `case "$2" in "show status") ${says(status)};; *) ${says(cut)};; esac`.replaceAll(
        'EOF\nexit 0;;',
        'EOF\nexit 0\n;;',
      ),
    );
    expect(await readBird(client, 'birdc', () => instant(1))).toMatchObject({
      kind: 'unreachable',
      code: 'bad-reply',
    });
  });
});

test('words and quotes reach the program as they are, whatever a shell would make of them', async () => {
  const client = through(`printf '%s\\n0003 %s|%s\\n' '${greeting}' "$1" "$2"`);
  const text = 'disable announce_cmi_web4 "causeway: $(reboot); `x` \'y\' * \\ > /dev/null"';
  const reply = await client.command(text);
  expect(reply.lines).toEqual([{ code: '0003', text: `-v|${text}` }]);
});

test.each(['quit', 'exit', 'help', '?', 'show ?', ''])(
  '%j is kept from birdc, which would wait for ever or help',
  async (text) => {
    const client = through(says(`${greeting}\n0003 asked`));
    await expect(client.command(text)).rejects.toMatchObject({ code: 'bad-command' });
  },
);

test('commands run one at a time', async () => {
  const lock = join(folder, 'lock');
  const client = through(
    `mkdir ${lock} || exit 7\nsleep 0.02\nrmdir ${lock}\nprintf '%s\\n0003 %s\\n' '${greeting}' "$2"`,
  );
  const texts = ['a', 'b', 'c', 'd', 'e'].map((word) => `eval ${word}`);
  const replies = await Promise.all(texts.map((text) => client.command(text)));
  expect(replies.map(({ lines }) => lines[0]?.text)).toEqual(texts);
});

test('asynchronous lines are told, and an empty answer is an empty reply', async () => {
  const lines: string[] = [];
  const client = through(says(`${greeting}\n>>> Config timeout expired, starting undo`), {
    onAsync: (line) => lines.push(line),
  });
  await expect(client.command('show route')).resolves.toEqual({
    code: '0000',
    lines: [{ code: '0000', text: '' }],
  });
  expect(lines).toEqual(['Config timeout expired, starting undo']);
  expect(client.version).toBe('2.0.12');
});
