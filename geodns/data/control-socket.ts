/** PowerDNS's control socket (pdns_control(1)): a line of command, a line of answer, over a Unix socket. */
import { connect } from 'node:net';

export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly code = 'pdns-control';
}

const timeoutMillis = 10_000;

/**
 * Tells PowerDNS to reload, GeoIP databases with it. Its "Ok" says that it heard, not that the files were any good: a
 * truncated one is Ok too, and then everybody gets the default.
 */
export function reloadPowerDns(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(path);
    const fail = (why: string, cause?: unknown): void => {
      socket.destroy();
      reject(new ControlError(`PowerDNS did not reload over ${path}: ${why}`, { cause }));
    };
    socket.setTimeout(timeoutMillis, () => fail(`no answer within ${timeoutMillis / 1000} s`));
    socket.on('connect', () => socket.write('reload\n'));
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (text.length > 10_000) fail('too long an answer');
      else if (/^Ok\b/i.test(text)) {
        socket.destroy();
        resolve();
      }
    });
    socket.on('error', (error) => fail(error.message, error));
    socket.on('close', () => fail(text.trim() === '' ? 'it closed without an answer' : text.trim()));
  });
}
