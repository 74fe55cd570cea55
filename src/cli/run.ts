/** `causeway run`: the daemon in the foreground, as systemd wants it. */
import type { Command } from 'commander';
import type { ConfigRead } from '../config/load.ts';
import { readLinks } from '../host/links.ts';
import { defaultConfigFile, type Output, requireConfig } from './exit.ts';

export function registerRun(program: Command, output: Output): void {
  program
    .command('run')
    .description('run the daemon in the foreground; stopping it leaves BIRD as it is')
    .option('-c, --config <file>', 'config file', defaultConfigFile)
    .action(async (options: { readonly config: string }) => {
      const loaded = await requireConfig(options.config, output);
      if (loaded === null) return;
      for (const text of await missingOnHost(loaded, options.config)) output.complain(`warning: ${text}`);
      // Loaded here alone: the daemon brings fastify and all, which no other command needs.
      const { runDaemon } = await import('../daemon/main.ts');
      const stop = new AbortController();
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
      await runDaemon(loaded.config, stop.signal);
    });
}

/** What the config names and the host does not have is no fault of the config: that uplink is `not-run`, the others work. */
async function missingOnHost({ config, locate }: ConfigRead, file: string): Promise<readonly string[]> {
  const links = await readLinks().then(
    (view) => view.links,
    // The daemon tells and tries again by itself.
    () => null,
  );
  if (links === null) return [];
  return config.uplinks.flatMap(({ name, interface: device, source }) => {
    const link = links.get(device);
    const at = (key: string): string => {
      const { line, column } = locate(['uplinks', name, key]);
      return `${file}:${line}:${column}: uplinks.${name}.${key}`;
    };
    if (link === undefined)
      return [`${at('interface')}: this host has no ${device}; ${name} is not-run until it has`];
    return Object.values(source)
      .filter((address) => !link.addresses.includes(address))
      .map(
        (address) =>
          `${at('source')}: ${address} is not on ${device}; probes from it are not-run until it is`,
      );
  });
}
