/** `causeway run`: the daemon in the foreground, as systemd wants it. */
import type { Command } from 'commander';
import type { ConfigRead } from '../config/load.ts';
import { readLinks } from '../host/links.ts';
import { defaultConfigFile, examples, type Output, requireConfig } from './exit.ts';

export function registerRun(program: Command, output: Output): void {
  program
    .command('run')
    .description('run the daemon in the foreground; stopping it does what `on_stop` says')
    .option('-c, --config <file>', 'config file', defaultConfigFile)
    .option(
      '--json',
      'taken as every command takes it: the log is JSON, one line each, with it or without',
      false,
    )
    .addHelpText('after', examples('causeway run', 'causeway run -c ./causeway.yaml | jq -r .msg'))
    .action(async (options: { readonly config: string }) => {
      const loaded = await requireConfig(options.config, output);
      if (loaded === null) return;
      for (const text of await missingOnHost(loaded, options.config)) output.complain(`warning: ${text}`);
      // Loaded here alone: the daemon brings fastify and all, which no other command needs.
      const { runDaemon } = await import('../daemon/main.ts');
      const stop = new AbortController();
      stopOnSignals(stop);
      await runDaemon(loaded.config, stop.signal, undefined, {
        file: options.config,
        onHangup: (reload) => void process.on('SIGHUP', reload),
      });
    });
}

/**
 * The first signal ends the daemon in order, the second at once. The listeners stay: a library that finds none beside its
 * own when a signal comes (execa's, which ends children) takes the default action for everybody.
 */
function stopOnSignals(stop: AbortController): void {
  for (const [signal, exitCode] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(exitCode);
      stop.abort();
    });
  }
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
