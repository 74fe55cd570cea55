/**
 * The lab's own line to a BIRD's control socket, apart from the program's client on purpose: a witness that shares the
 * code of the accused would repeat its mistakes. One command in flight; replies end at the first line `NNNN `.
 */
import { connect, type Socket } from 'node:net';

export interface Control {
  /** The reply's lines without their codes; throws when BIRD refuses (8xxx, 9xxx), closes, or is silent for 5 s. */
  ask(command: string): Promise<readonly string[]>;
  close(): void;
}

/** Opens lazily, with the first command, and again after a loss. */
export function openControl(path: string): Control {
  let socket: Socket | null = null;
  let queue: Promise<unknown> = Promise.resolve();

  async function exchange(command: string): Promise<readonly string[]> {
    if (socket === null || socket.destroyed) {
      socket = connect(path);
      await readReply(socket, path);
    }
    const reply = readReply(socket, path);
    socket.write(`${command}\n`);
    return reply;
  }

  return {
    ask(command) {
      const answer = queue.then(() => exchange(command));
      queue = answer.catch(() => undefined);
      return answer;
    },
    close() {
      socket?.destroy();
    },
  };
}

function readReply(socket: Socket, path: string): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    let text = '';
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      socket.removeAllListeners('data');
      socket.removeAllListeners('error');
      socket.removeAllListeners('close');
      // A socket without a listener for `error` would end the process.
      socket.on('error', () => socket.destroy());
      finish();
    };
    const fail = (error: Error) =>
      settle(() => {
        socket.destroy();
        reject(error);
      });
    const timer = setTimeout(() => fail(new Error(`${path} gave no reply within 5 s`)), 5000);
    socket.on('error', fail);
    socket.on('close', () => fail(new Error(`${path} closed in the middle of a reply`)));
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      const lines = text.split('\n');
      const last = lines.at(-2);
      if (lines.at(-1) !== '' || last === undefined || !/^\d{4} /.test(last)) return;
      const refusal = lines.find((line) => /^[89]\d{3}[ -]/.test(line));
      if (refusal === undefined) settle(() => resolve(lines.slice(0, -1).map(withoutCode)));
      else settle(() => reject(new Error(`${path}: ${refusal}`)));
    });
  });
}

/** A continuation line begins with one space in place of a code. */
function withoutCode(line: string): string {
  return line.startsWith(' ') ? line.slice(1) : line.slice(5);
}
