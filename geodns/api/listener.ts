/** The socket of the API: plain, or with TLS whose certificate is exchanged while connections stay. */
import { readFile, stat } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import { limits } from '../../src/http/limits.ts';
import { rawProblem } from '../../src/http/raw-problem.ts';
import { securityHeaders } from '../../src/http/server.ts';
import { messageOf } from '../../src/types/message-of.ts';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface TlsPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export class TlsError extends Error {
  override readonly name = 'TlsError';
}

/** Both files, if they belong together. Throws a TlsError. */
export async function readTls({ certFile, keyFile }: TlsFiles): Promise<TlsPair> {
  try {
    const pair = { cert: await readFile(certFile), key: await readFile(keyFile) };
    createSecureContext(pair);
    return pair;
  } catch (error) {
    const why = messageOf(error);
    throw new TlsError(
      `tls: ${certFile} and ${keyFile} are no certificate with its key (${why}); what is in use stays`,
      { cause: error },
    );
  }
}

/** A fleet keeps one each, and its edges too. */
const connections = 1024;

/** Limits and time-outs are those of the daemon's server, but for the connections. */
export function makeServer(handler: RequestListener, tls: TlsPair | null): Server {
  const options = {
    maxHeaderSize: limits.headerBytes,
    connectionsCheckingInterval: limits.checkMillis,
    // Judged with the other heads, so that the answer is a problem.
    requireHostHeader: false,
  };
  const server =
    tls === null
      ? createServer(options, handler)
      : createSecureServer({ ...options, ...tls, minVersion: 'TLSv1.2' }, handler);
  server.requestTimeout = limits.requestMillis;
  server.headersTimeout = limits.headersMillis;
  server.keepAliveTimeout = limits.quietMillis;
  server.timeout = limits.quietMillis;
  server.maxConnections = connections;
  // More than are allowed, so that too many are seen; Node would leave the rest out in silence.
  server.maxHeadersCount = 2 * limits.headerFields;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable && !socket.destroyed) socket.end(rawProblem(error.code ?? '', securityHeaders));
    else socket.destroy();
  });
  return server;
}

/** New connections get this pair; those that are open keep theirs. */
export function changeTls(server: Server, pair: TlsPair): void {
  if (server instanceof SecureServer) server.setSecureContext(pair);
}

const lookMillis = 10_000;

/**
 * Looks at the files now and then, and gives their pair on when they have changed and belong together. `refused` is told
 * why they do not. Returns the function that looks at once, and the one that ends it.
 */
export function watchTls(
  files: TlsFiles,
  changed: (pair: TlsPair) => void,
  refused: (error: unknown) => void,
): { readonly look: () => Promise<void>; readonly end: () => void } {
  let seen: string | null = null;
  const stampOf = async (): Promise<string> => {
    const both = await Promise.all([files.certFile, files.keyFile].map((path) => stat(path)));
    return both.map(({ mtimeMs, ino, size }) => `${mtimeMs} ${ino} ${size}`).join();
  };
  const look = async (): Promise<void> => {
    try {
      const stamp = await stampOf();
      const isFirst = seen === null;
      if (stamp === seen) return;
      seen = stamp;
      if (!isFirst) changed(await readTls(files));
    } catch (error) {
      refused(error);
    }
  };
  void look();
  const timer = setInterval(() => void look(), lookMillis);
  timer.unref();
  return { look, end: () => clearInterval(timer) };
}
