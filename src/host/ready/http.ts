/** `http`: one GET on a new connection; redirects are answers, not followed. */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { HttpProbe } from '../../types/ready-check.ts';
import type { ReadyOutcome } from '../../types/ready-outcome.ts';
import { outcomeOfError } from './trouble.ts';

/** How much of a body is looked through. */
const mostBodyBytes = 65_536;

/** Asks once; `signal` ends it. */
export function checkHttp(probe: HttpProbe, signal: AbortSignal): Promise<ReadyOutcome> {
  const start = probe.to.kind === 'https' ? httpsRequest : httpRequest;
  return new Promise((resolve) => {
    const request = start(optionsOf(probe, signal));
    request.once('response', (response) => {
      const refusal = statusRefusal(probe, response.statusCode ?? 0);
      if (refusal !== null || probe.body === null) {
        response.destroy();
        resolve(refusal ?? { kind: 'pass', text: `status ${response.statusCode}` });
      } else lookThrough(response, probe.body, resolve);
    });
    // Later ones come from our own destroy() and find the promise settled.
    request.on('error', (error) => resolve(outcomeOfError(error)));
    request.end();
  });
}

function optionsOf(
  { to, path, host }: HttpProbe,
  signal: AbortSignal,
): RequestOptions & { servername?: string } {
  const headers = { 'user-agent': 'causeway', ...(host === null ? {} : { host }) };
  const common = { path, headers, signal, agent: false };
  if (to.kind === 'socket') return { ...common, socketPath: to.socket };
  const name = host?.replace(/:\d+$/, '');
  return { ...common, host: to.host, port: to.port, ...(name === undefined ? {} : { servername: name }) };
}

function statusRefusal({ expect }: HttpProbe, status: number): ReadyOutcome | null {
  const fits = expect === null ? status >= 200 && status <= 399 : status === expect;
  const wanted = expect === null ? '200 to 399' : String(expect);
  return fits ? null : { kind: 'fail', text: `status ${status}, expected ${wanted}` };
}

function lookThrough(
  response: IncomingMessage,
  wanted: string,
  resolve: (outcome: ReadyOutcome) => void,
): void {
  let body = '';
  const end = (outcome: ReadyOutcome): void => {
    resolve(outcome);
    response.destroy();
  };
  response.setEncoding('utf8');
  response.on('data', (text: string) => {
    body += text;
    if (body.includes(wanted)) end({ kind: 'pass', text: `status ${response.statusCode}, body as expected` });
    else if (Buffer.byteLength(body) > mostBodyBytes)
      end({ kind: 'fail', text: `the first 64 KiB of the body lack ${JSON.stringify(wanted)}` });
  });
  response.once('end', () => end({ kind: 'fail', text: `the body lacks ${JSON.stringify(wanted)}` }));
  response.on('error', (error) => end(outcomeOfError(error)));
}
