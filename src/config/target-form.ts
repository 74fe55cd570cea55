/** A target of a loaded config, written as it could stand in the file. */
import type { ProbePolicy, Target } from '../types/config.ts';
import { formatDuration } from './quantities.ts';

/** The rows of one target, one for each family. A port alone stands for the addresses of ping, so it needs them all. */
export function targetForm(rows: readonly Target[]): Readonly<Record<string, unknown>> {
  const [first] = rows;
  const ping = rows.filter((row) => row.ping).map(({ address }) => address);
  const ports = new Set(rows.map(({ tcpPort }) => tcpPort));
  const [port] = ports;
  const plain = ports.size === 1 && ping.length === rows.length;
  const endpoints = rows.flatMap((row) => (row.tcpPort === null ? [] : [endpointForm(row, row.tcpPort)]));
  return {
    name: first?.name,
    region: first?.region,
    ...(ping.length === 0 ? {} : { ping }),
    ...(endpoints.length === 0 ? {} : { tcp: plain ? port : endpoints }),
    ...httpForm(rows),
    ...dnsForm(rows),
    ...(first?.probe === undefined ? {} : { probe: paceForm(first.probe) }),
  };
}

/** A pace, or what a target changes of it. */
export function paceForm(pace: Partial<ProbePolicy>): Readonly<Record<string, unknown>> {
  const { intervalMillis, timeoutMillis, fullSizeMillis } = pace;
  return {
    ...(intervalMillis === undefined ? {} : { interval: formatDuration(intervalMillis) }),
    ...(timeoutMillis === undefined ? {} : { timeout: formatDuration(timeoutMillis) }),
    ...(fullSizeMillis === undefined ? {} : { full_size: formatDuration(fullSizeMillis) }),
  };
}

function httpForm(rows: readonly Target[]): Readonly<Record<string, unknown>> {
  const urls = rows.flatMap((row) => {
    if (row.http === undefined) return [];
    const { tls, port, path } = row.http;
    return [`${tls ? 'https' : 'http'}://${endpointForm(row, port)}${path}`];
  });
  const ask = rows.find(({ http }) => http !== undefined)?.http;
  if (ask === undefined) return {};
  return {
    http: {
      url: urls,
      ...(ask.host === null ? {} : { host: ask.host }),
      ...(ask.status === null ? {} : { status: ask.status }),
    },
  };
}

function dnsForm(rows: readonly Target[]): Readonly<Record<string, unknown>> {
  const servers = rows.flatMap((row) =>
    row.dns === undefined ? [] : [row.dns.port === 53 ? row.address : endpointForm(row, row.dns.port)],
  );
  const ask = rows.find(({ dns }) => dns !== undefined)?.dns;
  return ask === undefined ? {} : { dns: { server: servers, name: ask.name, type: ask.type } };
}

function endpointForm({ family, address }: Target, port: number): string {
  return family === 6 ? `[${address}]:${port}` : `${address}:${port}`;
}
