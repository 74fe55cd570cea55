/** The owned text of a config, with its passwords, in states that may be those of another config. */
import type { NodeConfig } from '../../src/types/config.ts';
import type { FileStates } from '../file-states.ts';
import { renderConfig } from '../render/config.ts';
import { defaultStates } from '../render/parts.ts';
import type { Passwords } from './passwords.ts';

/** States of protocols that this config does not make are left out. Throws where a password cannot be read. */
export function renderInStates(config: NodeConfig, states: FileStates, read: Passwords): string {
  if (read.kind === 'bad') throw new Error(read.problems.map(({ text }) => text).join('\n'));
  const made = defaultStates(config);
  return renderConfig(config, new Map([...states].filter(([name]) => made.has(name))), read.passwords);
}
