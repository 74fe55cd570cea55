/** What commands that speak with the running service have in common: where it is, and the token that they show it. */
import type { Command } from 'commander';
import { span } from '../quantities.ts';
import { FilesError } from '../service/files.ts';
import { type ConfigOptions, configFlag, jsonFlag } from './output.ts';
import { readConfigFile } from './reading.ts';
import { callService, readTokenFile, type ServiceCall } from './service-call.ts';

export interface ServiceOptions extends ConfigOptions {
  readonly tokenFile?: string;
}

export const tokenFlag = ['--token-file <file>', 'token for the running service'] as const;
export const reasonFlag = ['--reason <text>', 'why, for those who look later'] as const;

export function withServiceOptions(command: Command): Command {
  return command
    .option(...tokenFlag)
    .option(...configFlag)
    .option(...jsonFlag);
}

/** Resolves to what the service answers, whose form is described in `geodns-answers.ts`. */
export type Service = <T>(call: Omit<ServiceCall, 'token'>) => Promise<T>;

/** Throws a FilesError. */
export async function serviceOf(options: ServiceOptions): Promise<Service> {
  const config = await readConfigFile(options.config);
  const token = await readTokenFile(options.tokenFile);
  return <T>(call: Omit<ServiceCall, 'token'>) => callService(config, { ...call, token }) as Promise<T>;
}

/** `30min` from now as ISO 8601. Throws a FilesError. */
export function timeAfter(text: string): string {
  const parsed = span.safeParse(text);
  if (!parsed.success)
    throw new FilesError([`--for ${text}: ${parsed.error.issues[0]?.message ?? 'is no duration'}`]);
  return new Date(Date.now() + parsed.data).toISOString();
}

/** Throws a FilesError. */
export function oneOf<const T extends string>(what: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === text);
  if (found === undefined) throw new FilesError([`${what} ${text}: must be ${allowed.join(', ')}`]);
  return found;
}
