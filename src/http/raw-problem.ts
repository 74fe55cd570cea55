/** The answer to something that is not a request: Node has no reply object then. */
import { problem, problemType } from './problem.ts';

/** `code` is Node's, of the parser or the time limit. */
export function rawProblem(code: string, headers: Readonly<Record<string, string>>): string {
  const status = statusOf(code);
  const answer = problem(status, 'this is not an HTTP request that the daemon reads');
  const body = JSON.stringify(answer);
  const head = Object.entries({
    ...headers,
    'content-type': problemType,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  });
  const lines = head.map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${answer.title}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

function statusOf(code: string): number {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return 431;
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 413;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408;
    default:
      return 400;
  }
}
