/** CPU time of processes and their children: on a busy machine it is steadier than requests per second. */
import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of CPU that processes and their living children have used; the kernel counts in hundredths of a second. */
export function cpuMillis(parents: readonly number[]): number {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.reduce((total, name) => {
    const one = read(name);
    return one && (parents.includes(Number(name)) || parents.includes(one.parent))
      ? total + one.millis
      : total;
  }, 0);
}

/** Parent and CPU time of a process, or undefined when it is gone. */
function read(pid: string): { readonly parent: number; readonly millis: number } | undefined {
  try {
    // proc(5)'s stat; the name in field 2 may hold spaces, so count from its end: parent is field 4, times are 14 and 15.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { parent: Number(fields[1]), millis: (Number(fields[11]) + Number(fields[12])) * 10 };
  } catch {
    return undefined;
  }
}
