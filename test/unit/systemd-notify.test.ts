/** sd_notify(3) against a real socket, which python3 holds as systemd would. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { openServiceManager } from '../../src/adapters/systemd-notify.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-notify-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Prints `ready`, then each datagram with its sender, as JSON; holds no more than `backlog` until a line comes. */
const receiver = `
import json, socket, struct, sys
address = sys.argv[1]
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
s.bind('\\0' + address[1:] if address.startswith('@') else address)
print('ready', flush=True)
if len(sys.argv) > 2: sys.stdin.readline()
while True:
    data, ancillary, _, _ = s.recvmsg(4096, 256)
    pid = struct.unpack('iII', ancillary[0][2])[0]
    print(json.dumps([data.decode(), pid]), flush=True)
`;

async function listen(address: string, ...more: readonly string[]) {
  const child = spawn('python3', ['-c', receiver, address, ...more], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the receiver ended');
    return value;
  };
  expect(await next()).toBe('ready');
  return { next, go: () => child.stdin.write('\n'), stop: () => child.kill('SIGKILL') };
}

test.each([
  ['a path', join(folder, 'notify')],
  ['an abstract name', `@causeway-test-${process.pid}`],
])('a message to %s comes from this very process, in one datagram', async (_, address) => {
  const systemd = await listen(address);
  try {
    const manager = openServiceManager({ NOTIFY_SOCKET: address }, process.pid);
    expect(manager?.send(['READY=1', 'STATUS=all\nis well'])).toBe(true);
    expect(JSON.parse(await systemd.next())).toEqual(['READY=1\nSTATUS=all is well\n', process.pid]);
    manager?.close();
    expect(manager?.send(['READY=1'])).toBe(false);
  } finally {
    systemd.stop();
  }
});

test('a full queue is told, and does not block; what is sent later arrives', async () => {
  const address = join(folder, 'full');
  const systemd = await listen(address, 'wait');
  try {
    const manager = openServiceManager({ NOTIFY_SOCKET: address }, process.pid);
    // net.unix.max_dgram_qlen is 10 to 512 on the machines that there are.
    let taken = 0;
    while (taken < 100_000 && manager?.send([`N=${taken}`]) === true) taken += 1;
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(100_000);
    systemd.go();
    for (let index = 0; index < taken; index += 1)
      expect(JSON.parse(await systemd.next())).toEqual([`N=${index}\n`, process.pid]);
    expect(manager?.send(['WATCHDOG=1'])).toBe(true);
    expect(JSON.parse(await systemd.next())).toEqual(['WATCHDOG=1\n', process.pid]);
    manager?.close();
  } finally {
    systemd.stop();
  }
});

test('a socket that nobody holds is told, not thrown', () => {
  const manager = openServiceManager({ NOTIFY_SOCKET: join(folder, 'nobody') }, process.pid);
  expect(manager?.send(['READY=1'])).toBe(false);
  manager?.close();
});

test.each(['', 'vsock:2:1234', `/${'x'.repeat(120)}`])('%j is no socket of ours', (address) => {
  expect(openServiceManager({ NOTIFY_SOCKET: address }, 1)).toBeNull();
  expect(openServiceManager({}, 1)).toBeNull();
});

test.each([
  [{ WATCHDOG_USEC: '20000000' }, 20_000],
  [{ WATCHDOG_USEC: '20000000', WATCHDOG_PID: '77' }, 20_000],
  [{ WATCHDOG_USEC: '20000000', WATCHDOG_PID: '78' }, null],
  [{ WATCHDOG_USEC: 'soon' }, null],
  [{ WATCHDOG_USEC: '0' }, null],
  [{}, null],
])('the watchdog of %j is %s ms', (environment, wanted) => {
  const manager = openServiceManager({ NOTIFY_SOCKET: '/run/nobody', ...environment }, 77);
  expect(manager?.watchdogMillis).toBe(wanted);
  manager?.close();
});
