/** The owned file on a real disk, and `bird -p` on good, bad and deadly texts. */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readPasswords } from '../../bird/apply/passwords.ts';
import { checkSyntax, readOwned, stageOwned, writeOwned } from '../../bird/owned-file.ts';
import { uplink } from '../golden/node-configs.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-owned-'));
  path = join(folder, 'causeway.conf');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('writing', () => {
  test('replaces the whole file, for the owner and the group of the directory alone', async () => {
    if (process.geteuid?.() === 0) chownSync(folder, 0, 4242);
    await writeOwned(path, 'old');
    const before = statSync(path).ino;
    await writeOwned(path, 'new – 維護');
    expect(await readOwned(path)).toBe('new – 維護');
    const { mode, gid, ino } = statSync(path);
    expect(mode & 0o777).toBe(0o640);
    expect(gid).toBe(statSync(folder).gid);
    expect(ino).not.toBe(before);
    expect(readdirSync(folder)).toEqual(['causeway.conf']);
  });

  test('keeps its mode whatever the umask is', async () => {
    const umask = process.umask(0o077);
    try {
      await writeOwned(path, 'x');
    } finally {
      process.umask(umask);
    }
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  test('is an error with its errno where the directory is missing, and leaves nothing', async () => {
    const missing = join(folder, 'no', 'causeway.conf');
    await expect(writeOwned(missing, 'x')).rejects.toMatchObject({ name: 'OwnedFileError', code: 'ENOENT' });
    await expect(writeOwned(missing, 'x')).rejects.toThrow(missing);
  });

  test('leaves the old file where the new one cannot take its place', async () => {
    const taken = join(folder, 'sub');
    const inside = join(taken, 'x');
    mkdirSync(taken);
    writeFileSync(inside, 'kept');
    await expect(writeOwned(taken, 'x')).rejects.toMatchObject({ code: 'EISDIR' });
    expect(readFileSync(inside, 'utf8')).toBe('kept');
    expect(readdirSync(folder)).toEqual(['sub']);
  });

  test('a staged file is not taken by an include of *.conf', async () => {
    const staged = await stageOwned(path, 'x');
    expect(staged).toMatch(/\/\.causeway\.conf\.\d+\.\d+\.new$/);
  });
});

test('a missing file is ENOENT, a directory is EISDIR', async () => {
  await expect(readOwned(path)).rejects.toMatchObject({ name: 'OwnedFileError', code: 'ENOENT' });
  await expect(readOwned(folder)).rejects.toMatchObject({ code: 'EISDIR' });
});

describe('bird -p', () => {
  const check = (text: string, binary = 'bird'): ReturnType<typeof checkSyntax> => {
    writeFileSync(path, text);
    return checkSyntax(path, { binary });
  };

  test('accepts a good text', async () => {
    expect(await check('router id 192.0.2.1;\nprotocol device {}\n')).toEqual({ kind: 'ok' });
  });

  test('says line and column of a bad one', async () => {
    expect(await check('router id 192.0.2.1;\nprotocol device {\n  scan nonsense 3;\n}\n')).toMatchObject({
      kind: 'refused',
      line: 3,
      text: expect.stringContaining('syntax error'),
    });
  });

  test('says so where the file is missing', async () => {
    expect(await checkSyntax(join(folder, 'none.conf'), { binary: 'bird' })).toMatchObject({
      kind: 'refused',
      line: null,
      text: expect.stringContaining('none.conf'),
    });
  });

  test('dies by a signal on a string of 4096 bytes, and that is told apart', async () => {
    const text = `protocol device { description "${'x'.repeat(5000)}"; }\n`;
    expect(await check(text)).toMatchObject({ kind: 'died', signal: expect.stringMatching(/^SIG/) });
  });

  test('says that there is no bird', async () => {
    expect(await check('', join(folder, 'nobird'))).toMatchObject({ kind: 'no-bird' });
    writeFileSync(join(folder, 'plain'), '');
    expect(await check('', join(folder, 'plain'))).toMatchObject({ kind: 'no-bird' });
  });

  test.skipIf(process.geteuid?.() !== 0)(
    'as another user does not see what that user cannot read',
    async () => {
      writeFileSync(path, 'protocol device {}\n');
      chmodSync(folder, 0o755);
      chmodSync(path, 0o600);
      const user = { uid: 65534, gid: 65534 };
      expect(await checkSyntax(path, { binary: 'bird', user })).toMatchObject({ kind: 'refused' });
      chmodSync(path, 0o644);
      expect(await checkSyntax(path, { binary: 'bird', user })).toEqual({ kind: 'ok' });
    },
  );
});

describe('passwords', () => {
  const peerOf = (passwordFile: string | null): ReturnType<typeof uplink> => {
    const made = uplink('cmi');
    return { ...made, peer: { ...made.peer, passwordFile } };
  };

  test('are the first line of their files, by uplink', async () => {
    writeFileSync(path, 'sésame \n');
    expect(await readPasswords([peerOf(path), peerOf(null)])).toEqual({
      kind: 'ok',
      passwords: new Map([['cmi', 'sésame']]),
    });
  });

  test.each(['', '\n', 'a\nb\n', 'with " quote', 'x'.repeat(81), 'tab\there'])(
    '%j is a problem that does not show the secret',
    async (text) => {
      writeFileSync(path, text);
      const read = await readPasswords([peerOf(path)]);
      expect(read).toMatchObject({ kind: 'bad', problems: [{ text: expect.stringContaining(path) }] });
      if (text.trim().length > 2) expect(JSON.stringify(read)).not.toContain(text.trim());
    },
  );

  test('bytes that are not UTF-8 are a problem, since another secret would reach BIRD', async () => {
    writeFileSync(path, Buffer.from([0x73, 0xe9, 0x73]));
    const read = await readPasswords([peerOf(path)]);
    expect(read).toMatchObject({ kind: 'bad', problems: [{ text: expect.stringContaining(path) }] });
  });

  test('secrets of TCP-AO are by uplink and key id, and a problem names the key', async () => {
    writeFileSync(path, 'first\n');
    const made = peerOf(null);
    const aoKeys = [path, `${path}.none`].map(
      (secretFile, id) => ({ id, secretFile, algorithm: 'hmac-sha1' }) as const,
    );
    const withKeys = (keys: typeof aoKeys): ReturnType<typeof uplink> => ({
      ...made,
      peer: { ...made.peer, session: { ...made.peer.session, aoKeys: keys } },
    });
    expect(await readPasswords([withKeys(aoKeys.slice(0, 1))])).toEqual({
      kind: 'ok',
      passwords: new Map([['cmi/ao/0', 'first']]),
    });
    expect(await readPasswords([withKeys(aoKeys)])).toEqual({
      kind: 'bad',
      problems: [{ text: `uplinks.cmi.peer.ao_keys[1].secret_file: ${path}.none cannot be read (ENOENT)` }],
    });
  });

  test('a file that is missing is a problem with its errno', async () => {
    const read = await readPasswords([peerOf(path)]);
    expect(read).toMatchObject({ kind: 'bad', problems: [{ text: expect.stringContaining('ENOENT') }] });
  });
});
