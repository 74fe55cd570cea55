/** `causeway run`: the daemon in the foreground, as systemd wants it. */
import type { Command } from 'commander';
import { defaultConfigFile, type Output, requireConfig } from './exit.ts';

export function registerRun(program: Command, output: Output): void {
  program
    .command('run')
    .description('run the daemon in the foreground; stopping it leaves BIRD as it is')
    .option('-c, --config <file>', 'config file', defaultConfigFile)
    .action(async (options: { readonly config: string }) => {
      const loaded = await requireConfig(options.config, output);
      if (loaded === null) return;
      // Loaded here alone: the daemon brings fastify and all, which no other command needs.
      const { runDaemon } = await import('../daemon/main.ts');
      const stop = new AbortController();
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
      await runDaemon(loaded.config, stop.signal);
    });
}
