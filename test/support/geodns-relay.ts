/** A relay before each site's API, so that a test can act at every step of an update: before a call, in it, and after it. */
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Stand, StandSite } from '../../lab/geodns/stand.ts';

/** `hkg PATCH before`; `in`: it has been passed on and is not answered yet; `after`: answered, the caller has not heard. */
export type Step = `${string} ${'PATCH' | 'retrieve' | 'notify' | 'read'} ${'before' | 'in' | 'after'}`;

export interface Relays {
  /** The stand with its APIs behind the relays. */
  readonly stand: Stand;
  /** Called at each step; what it returns is waited for. */
  onStep: (step: Step) => Promise<void> | void;
  close(): void;
}

export async function relaysBefore(stand: Stand): Promise<Relays> {
  const servers: Server[] = [];
  const relays: Relays = {
    stand,
    onStep: () => undefined,
    close() {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
  const behind = async (site: StandSite): Promise<StandSite> => {
    const server = relayTo(site, (step) => relays.onStep(step));
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return { ...site, api: { ...site.api, url: `http://127.0.0.1:${port}` } };
  };
  const [primary, first, second] = stand.sites;
  const sites = [await behind(primary), await behind(first), await behind(second)] as const;
  return Object.assign(relays, { stand: { ...stand, sites } });
}

function relayTo(site: StandSite, step: (step: Step) => Promise<void> | void): Server {
  return createServer((incoming, outgoing) => {
    const call = async (): Promise<void> => {
      const what = `${site.name} ${kindOf(incoming)}` as const;
      const body = await bodyOf(incoming);
      await step(`${what} before`);
      const answer = passOn(site, incoming, body);
      await step(`${what} in`);
      const { status, text } = await answer;
      await step(`${what} after`);
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(text);
    };
    call().catch(() => outgoing.destroy());
  });
}

function kindOf({ method, url }: IncomingMessage): 'PATCH' | 'retrieve' | 'notify' | 'read' {
  if (method === 'PATCH' || method === 'POST') return 'PATCH';
  if (url?.endsWith('/axfr-retrieve') === true) return 'retrieve';
  return url?.endsWith('/notify') === true ? 'notify' : 'read';
}

function passOn(
  site: StandSite,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<{ readonly status: number; readonly text: Buffer }> {
  const answered = new Promise<{ readonly status: number; readonly text: Buffer }>((resolve, reject) => {
    const call = httpRequest(
      `${site.api.url}${url}`,
      { method, headers: { ...headers, connection: 'close', 'content-length': body.length }, agent: false },
      (response) => {
        bodyOf(response).then((text) => resolve({ status: response.statusCode ?? 502, text }), reject);
      },
    );
    call.on('error', reject);
    call.end(body);
  });
  // Looked at only after the step in between.
  answered.catch(() => undefined);
  return answered;
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}
