/**
 * The daemon's Unix socket: whoever may open it may command the daemon, so its permissions are the authorisation.
 * Mode 0660, owner and group of the daemon.
 */
import { mkdir, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';

export interface ControlOptions {
  readonly path: string;
  /** Gets each accepted connection. */
  readonly accept: (socket: object) => void;
}

const mode = 0o660;
const connections = 64;

/**
 * Listens on the socket. A socket that a killed daemon left behind is removed; one that a living daemon answers on, or
 * anything that is not a socket, is left alone and an error thrown (`code` EADDRINUSE, or the errno of the file system).
 */
export async function listenControl(options: ControlOptions): Promise<{ close(): Promise<void> }> {
  const { path } = options;
  await mkdir(path.slice(0, Math.max(1, path.lastIndexOf('/'))), { recursive: true });
  await removeStale(path);
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    options.accept(socket);
  });
  server.maxConnections = connections;
  await listen(server, path);
  return {
    close: () =>
      new Promise((resolve) => {
        // Connections are the HTTP server's; it closes them. Node removes the socket's file itself.
        server.close();
        resolve();
      }),
  };
}

/** bind() is done inside the call of listen, so the umask is narrow for that moment only and the file never open to others. */
function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', resolve);
    const before = process.umask(0o777 & ~mode);
    try {
      server.listen(path);
    } finally {
      process.umask(before);
    }
  });
}

async function removeStale(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null) return;
  if (!found.isSocket())
    throw controlError('EEXIST', `${path} is there and is not a socket: remove it, or change paths.control`);
  if (await isAnswered(path)) {
    throw controlError('EADDRINUSE', `another daemon answers on ${path}: stop it, or change paths.control`);
  }
  await rm(path, { force: true });
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    // ECONNREFUSED: nobody listens; ENOENT: gone meanwhile. Any other errno: somebody may, so it is left alone.
    probe.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}

function controlError(code: string, text: string): NodeJS.ErrnoException {
  return Object.assign(new Error(text), { code });
}
