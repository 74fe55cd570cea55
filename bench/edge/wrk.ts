/** wrk on one address: how much was answered, and with `statuses` what, which costs wrk itself something. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

export interface Load {
  readonly port: number;
  readonly path: string;
  readonly seconds: number;
  readonly connections: number;
  /** A folder for wrk's script: statuses are counted one by one. */
  readonly statuses?: string;
}

export interface Loaded {
  readonly requests: number;
  /** Answers that were neither 2xx nor 3xx. */
  readonly refused: number;
  readonly seconds: number;
  /** With `statuses`: server errors, and the 99th percentile of the latency. */
  readonly serverErrors: number;
  readonly p99Millis: number;
}

const script = `
local threads = {}
function setup(thread) table.insert(threads, thread) end
function init() errors = 0 end
function response(status) if status >= 500 then errors = errors + 1 end end
function done(summary, latency)
  local sum = 0
  for _, thread in ipairs(threads) do sum = sum + thread:get("errors") end
  io.write(string.format("errors=%d p99=%f\\n", sum, latency:percentile(99) / 1000))
end
`;

/** One run; every answer is counted. */
export async function wrk(load: Load): Promise<Loaded> {
  const { port, path, seconds, connections, statuses } = load;
  const more: string[] = [];
  if (statuses !== undefined) {
    const file = join(statuses, 'statuses.lua');
    writeFileSync(file, script);
    more.push('-s', file);
  }
  const host = ['-H', 'Host: www.example.test'];
  const url = `http://127.0.0.1:${port}${path}`;
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, ...host, ...more, url];
  const { stdout } = await execa('wrk', args);
  const total = /(\d+) requests in ([\d.]+)s/.exec(stdout);
  if (!total) throw new Error(`wrk said something else:\n${stdout}`);
  const counted = /errors=(\d+) p99=([\d.]+)/.exec(stdout);
  const refused = /Non-2xx or 3xx responses: (\d+)/.exec(stdout);
  return {
    requests: Number(total[1]),
    refused: Number(refused?.[1] ?? 0),
    seconds: Number(total[2]),
    serverErrors: Number(counted?.[1] ?? Number.NaN),
    p99Millis: Number(counted?.[2] ?? Number.NaN),
  };
}
