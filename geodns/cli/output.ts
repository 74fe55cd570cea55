/** What commands print: lines for people, or with `--json` one document for programs. */
import { stdout } from 'node:process';

export interface OutputOptions {
  readonly json?: boolean;
}

export const jsonFlag = ['--json', 'print JSON'] as const;
export const configFlag = [
  '-c, --config <file>',
  'configuration',
  '/etc/causeway-geodns/geodns.yaml',
] as const;

export interface ConfigOptions extends OutputOptions {
  readonly config: string;
}

export function print({ json }: OutputOptions, document: unknown, lines: readonly string[]): void {
  stdout.write(json === true ? `${JSON.stringify(document)}\n` : lines.map((line) => `${line}\n`).join(''));
}

/** `12.3 %`. */
export function percent(share: number): string {
  const value = share * 100;
  return `${value > 0 && value < 10 ? value.toFixed(1) : value.toFixed(0)} %`;
}
