/** `/etc/causeway-geodns/geodns.yaml`: where things are. What users get is in rules.yaml and networks.yaml. */
import { z } from 'zod';
import { type Loaded, type Problem, readYaml } from '../yaml-file.ts';

const hostPort = z
  .string()
  .regex(/^(?:\d+\.\d+\.\d+\.\d+|\[[0-9a-f:]+\]|[a-z0-9.-]+):\d{1,5}$/, 'must be address:port')
  .transform((text) => {
    const at = text.lastIndexOf(':');
    return { host: text.slice(0, at).replaceAll(/[[\]]/g, ''), port: Number(text.slice(at + 1)) };
  });

const configFile = z.strictObject({
  /** Loopback, or behind a proxy with TLS. */
  listen: hostPort.prefault('127.0.0.1:8053'),
  /** Folder of the journal. */
  state: z.string().min(1).default('/var/lib/causeway-geodns'),
  rules: z.string().min(1),
  networks: z.string().min(1),
  /** The files that PowerDNS reads too, so that we know what it knows. */
  mmdb: z.strictObject({ asn: z.string().min(1), country: z.string().min(1) }),
  tokens_file: z.string().min(1),
  /** The primary first. */
  sites: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z][a-z0-9-]{0,30}$/),
        api: z.url({ protocol: /^https?$/ }),
        key_file: z.string().min(1),
        dns: hostPort,
      }),
    )
    .min(1),
});
export type GeoDnsConfig = z.output<typeof configFile>;

export function loadConfig(file: string, text: string): Loaded<GeoDnsConfig> {
  return readYaml(file, text, configFile, lintConfig);
}

function lintConfig(config: GeoDnsConfig): readonly Problem[] {
  const names = config.sites.map(({ name }) => name);
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [{ path: ['sites', index, 'name'], text: `a site is already called ${name}` }],
  );
}
