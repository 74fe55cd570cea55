/** BIRD shows what the owned file says. */
import { expect, test } from 'vitest';
import { openClient } from '../../bird/client.ts';
import { readStates, restate } from '../../bird/file-states.ts';
import { readBird } from '../../bird/read.ts';
import { announcementsOf } from '../../bird/render/parts.ts';
import { renderConfig } from '../../bird/render/config.ts';
import { instant } from '../../src/types/units.ts';
import { threeCarriers } from '../golden/node-configs.ts';
import { startBird } from './scratch-bird.ts';

test('BIRD shows the states that the rendered file holds, protocol by protocol', async () => {
  // Sessions, kernel and pipes are left out, so that nothing of this machine is touched.
  const config = threeCarriers('include');
  const names = announcementsOf(config).map(({ uplink, family }) => `announce_${uplink.name}_web${family}`);
  const wish = new Map(
    names.map((name, index) => [name, { disabled: index % 2 === 1, description: `n${index}` }]),
  );
  const whole = restate(renderConfig(config, new Map()), wish);
  const statics = whole
    .split(/^(?=protocol |template |# ----)/m)
    .filter((part) => !/^(protocol (bgp|kernel|pipe|static probe)|template )/.test(part))
    .join('');
  const own = await startBird(`router id 192.0.2.1;\nprotocol device {}\n${statics}`);
  const reader = openClient({ path: own.socket, timeoutMillis: 10_000 });
  try {
    const view = await readBird(reader, own.socket, () => instant(1));
    if (view.kind !== 'seen') throw new Error(view.text);
    for (const [name, state] of readStates(whole)) {
      if (!/^(announce|drain)_/.test(name)) continue;
      expect(view.protocols.get(name)).toMatchObject({
        state: state.disabled ? 'down' : 'up',
        description: state.description,
        message: null,
      });
    }
  } finally {
    reader.close();
    await own.stop();
  }
});
