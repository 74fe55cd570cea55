/** `/etc/causeway-geodns/geodns.yaml`: where things are. What users get is in rules.yaml and networks.yaml. */
import { z } from 'zod';
import { refreshConfig } from '../data/config.ts';
import { statisticsConfig } from '../statistics/config.ts';
import { rumConfig, steeringConfig } from '../steering/config.ts';
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
  /** Certificate (with its chain) and key, read again when they change; without them, plain HTTP. */
  tls: z.strictObject({ cert_file: z.string().min(1), key_file: z.string().min(1) }).optional(),
  /** Folder of the journal and of the revisions. */
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
  refresh: refreshConfig.optional(),
  rum: rumConfig.optional(),
  steering: steeringConfig.prefault({}),
  statistics: statisticsConfig.prefault({}),
});
export type GeoDnsConfig = z.output<typeof configFile>;

export function loadConfig(file: string, text: string): Loaded<GeoDnsConfig> {
  return readYaml(file, text, configFile, lintConfig);
}

function lintConfig(config: GeoDnsConfig): readonly Problem[] {
  const names = config.sites.map(({ name }) => name);
  const strangers = Object.keys(config.refresh?.sites ?? {}).filter((name) => !names.includes(name));
  const unknown = strangers.map((name) => ({
    path: ['refresh', 'sites', name],
    text: `no site is called ${name}; there are ${names.join(', ')}`,
  }));
  const twice = names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [{ path: ['sites', index, 'name'], text: `a site is already called ${name}` }],
  );
  return [...twice, ...unknown];
}
