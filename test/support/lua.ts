/** Runs the edge's pure Lua modules in LuaJIT, outside nginx: a chunk gives a function, each call is one line of JSON. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface Lua {
  /** Calls the chunk's function with a value; its result. Calls are answered in order. */
  readonly call: (input: unknown) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const loop = `
package.path = 'edge/lua/?.lua;' .. package.path
local cjson = require 'cjson'
cjson.encode_empty_table_as_object(false)
io.stdout:setvbuf('line')
local handle = (function() CHUNK end)()
for line in io.lines() do
  local ok, result = pcall(handle, cjson.decode(line))
  print(cjson.encode(ok and { ok = result } or { error = tostring(result) }))
end`;

/** `chunk`: Lua text that returns a function of one decoded value. */
export function startLua(chunk: string): Lua {
  const script = loop.replace('CHUNK', () => chunk).replace('cjson.encode_empty_table_as_object(false)', '');
  const child = spawn('luajit', ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer: { ok?: unknown; error?: string } = JSON.parse(line);
    const next = waiting.shift();
    if (answer.error === undefined) next?.resolve(answer.ok);
    else next?.reject(new Error(answer.error));
  });
  const gone = new Promise<void>((resolve) => {
    const end = (): void => {
      for (const next of waiting) next.reject(new Error('luajit is gone; is luajit2 installed? (lab/setup)'));
      resolve();
    };
    child.on('exit', end);
    child.on('error', end);
  });
  return {
    call: (input) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        child.stdin.write(`${JSON.stringify(input)}\n`);
      }),
    close: async () => {
      child.stdin.end();
      await gone;
    },
  };
}
