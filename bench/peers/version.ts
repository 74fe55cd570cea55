/** The version of a program as it says it itself. */
import { tryRun } from '../../lab/network/command.ts';

/** The first group of `form` in what it prints; null: it cannot be run here. */
export async function versionOf(
  program: string,
  args: readonly string[],
  form: RegExp,
): Promise<string | null> {
  const { stdout, stderr } = await tryRun(program, args, {
    env: { PATH: `${process.env['PATH']}:/usr/sbin` },
  });
  return form.exec(`${stdout}\n${stderr}`)?.[1] ?? null;
}
