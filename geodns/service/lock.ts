/**
 * One service for one folder. A journal that two processes append to is lost to both; so the owner listens on a socket
 * in the folder, and the kernel tells a second one whether anybody still does. A crash leaves a socket nobody answers on.
 */
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

export class FolderTakenError extends Error {
  override readonly name = 'FolderTakenError';
}

/** Returns the function that gives the folder back. Throws a FolderTakenError while another process has it. */
export async function takeFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'owner.sock');
  const server = createServer((socket) => socket.destroy());
  if (!(await listens(server, path))) {
    if (await answers(path))
      throw new FolderTakenError(
        `another causeway-geodns works in ${folder}; stop it, or give this one a folder of its own`,
      );
    await rm(path, { force: true });
    if (!(await listens(server, path)))
      throw new FolderTakenError(`another causeway-geodns has just taken ${folder}`);
  }
  server.unref();
  return () => new Promise((resolve) => server.close(() => resolve()));
}

function listens(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    };
    server.once('error', failed);
    server.listen(path, () => {
      server.off('error', failed);
      resolve(true);
    });
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
