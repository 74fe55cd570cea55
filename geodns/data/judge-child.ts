/** The process that looks into new databases: one job in, one judgement out, then it ends. Whatever it meets ends it alone. */
import { readFile } from 'node:fs/promises';
import { openMmdb } from '../mmdb/geo.ts';
import { loadNetworks } from '../networks/load.ts';
import { loadRules } from '../rules/load.ts';
import { formatProblem, type Loaded } from '../yaml-file.ts';
import { judge } from './judge.ts';
import type { JudgeAnswer, JudgeJob } from './judge-run.ts';
import { messageOf } from '../../src/types/message-of.ts';

async function answer(job: JudgeJob): Promise<JudgeAnswer> {
  try {
    const networks = take(loadNetworks(job.networks, await readFile(job.networks, 'utf8')));
    const rules = take(loadRules(job.rules, await readFile(job.rules, 'utf8'), networks));
    const [asn, country] = [
      await openMmdb(job.present.asn, 'asn'),
      await openMmdb(job.present.country, 'country'),
    ];
    const fresh = {
      asn: await openMmdb(job.fresh.asn, 'asn'),
      country: await openMmdb(job.fresh.country, 'country'),
    };
    const judgement = judge({ asn, country }, fresh, rules, networks, job.bounds, job.nowMillis);
    return { kind: 'judged', ...judgement };
  } catch (error) {
    return { kind: 'unreadable', why: messageOf(error) };
  }
}

function take<T>(loaded: Loaded<T>): T {
  if (loaded.kind === 'refused') throw new Error(loaded.problems.map(formatProblem).join('\n'));
  return loaded.value;
}

process.once('message', (job: JudgeJob) => {
  void answer(job).then((found) => process.send?.(found, () => process.disconnect()));
});
