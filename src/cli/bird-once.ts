/** Asks BIRD once, for the commands that look at it themselves. */
import { BirdError } from '../../bird/client.ts';
import { openBird, wayToBird } from '../../bird/open.ts';
import { readBird } from '../../bird/read.ts';
import { isRestricted } from '../../bird/rights.ts';
import type { BirdView } from '../types/bird-view.ts';
import type { NodeConfig } from '../types/config.ts';
import { instant } from '../types/units.ts';

const timeoutMillis = 5000;

/** What BIRD shows. Never rejects: a BIRD that does not answer is `unreachable`. */
export async function readBirdOnce(config: NodeConfig): Promise<BirdView> {
  const path = wayToBird(config.bird);
  const client = openBird(config.bird, { timeoutMillis });
  try {
    return await readBird(client, path, () => instant(performance.now()));
  } finally {
    client.close();
  }
}

/** One more question; null where BIRD does not answer it. */
export async function askBirdOnce(config: NodeConfig, command: string): Promise<string | null> {
  const client = openBird(config.bird, { timeoutMillis });
  try {
    const reply = await client.command(command);
    return reply.lines.map(({ text }) => text).join('\n');
  } catch (error) {
    if (error instanceof BirdError) return null;
    throw error;
  } finally {
    client.close();
  }
}

/** Whether the socket changes nothing; null: BIRD does not answer, or the mode sends no commands. */
export async function readRightsOnce(config: NodeConfig): Promise<boolean | null> {
  if (config.mode === 'observe') return null;
  const client = openBird(config.bird, { timeoutMillis });
  try {
    return await isRestricted(client);
  } finally {
    client.close();
  }
}
