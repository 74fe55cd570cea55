/** Calls of the running service, from the machine that it runs on. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import type { GeoDnsConfig } from '../service/config.ts';
import { FilesError } from '../service/files.ts';
import { readText } from './reading.ts';
import { messageOf } from '../../src/types/message-of.ts';

/** The service cannot be reached, or is another one. */
export class ServiceAwayError extends Error {
  override readonly name = 'ServiceAwayError';
}

/** The service refused; the message is its own. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

export interface ServiceCall {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly token: string;
  /** The revision that a change was made from. */
  readonly match?: number;
  /** A string is the text of a YAML file. */
  readonly body?: unknown;
}

const answerMillis = 30_000;

/** A token from a file that holds nothing else. Throws a FilesError. */
export async function readTokenFile(path: string | undefined): Promise<string> {
  if (path === undefined)
    throw new FilesError(['say where a token for the running service is: --token-file FILE']);
  return (await readText(path)).trim();
}

/** The body of the answer. Throws a ServiceAwayError or a RefusedError. */
export async function callService(config: GeoDnsConfig, call: ServiceCall): Promise<unknown> {
  const socket = await socketTo(config);
  const { method, path, token, match, body: sentBody } = call;
  const isText = typeof sentBody === 'string';
  const payload = isText ? sentBody : JSON.stringify(sentBody);
  try {
    const sent = request({
      method,
      path,
      createConnection: () => socket,
      signal: AbortSignal.timeout(answerMillis),
      headers: {
        host: 'localhost',
        authorization: `Bearer ${token}`,
        connection: 'close',
        ...(match === undefined ? {} : { 'if-match': `"${match}"` }),
        ...(payload === undefined
          ? {}
          : {
              'content-type': isText ? 'application/yaml' : 'application/json',
              'content-length': Buffer.byteLength(payload),
            }),
      },
    });
    sent.end(payload);
    const [response] = await once(sent, 'response');
    let text = '';
    for await (const piece of response.setEncoding('utf8')) text += piece;
    const body: unknown = JSON.parse(text);
    if (response.statusCode >= 400) throw new RefusedError(detailOf(body));
    return body;
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    throw new ServiceAwayError(`the service does not answer: ${String(error)}`, { cause: error });
  } finally {
    socket.destroy();
  }
}

function detailOf(body: unknown): string {
  const detail: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'detail') : null;
  return typeof detail === 'string' ? detail : 'refused';
}

/** With TLS the other side must have the certificate of the configuration itself, whatever name it bears. */
async function socketTo({ listen, tls }: GeoDnsConfig): Promise<Socket> {
  const host = listen.host === '0.0.0.0' ? '127.0.0.1' : listen.host === '::' ? '::1' : listen.host;
  const own = tls === undefined ? null : new X509Certificate(await readText(tls.cert_file));
  try {
    if (own === null) {
      const socket = connectPlain({ host, port: listen.port });
      await once(socket, 'connect');
      return socket;
    }
    const socket = connectSecure({ host, port: listen.port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    if (socket.getPeerX509Certificate()?.fingerprint256 === own.fingerprint256) return socket;
    socket.destroy();
    throw new Error('its certificate is not the one of tls.cert_file');
  } catch (error) {
    throw new ServiceAwayError(
      `nothing that is ours answers at ${host}:${listen.port} (${messageOf(error)}); is the service running?`,
      { cause: error },
    );
  }
}
