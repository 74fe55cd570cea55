/** `rum` and `steering` of geodns.yaml. */
import { z } from 'zod';
import { parseAddress } from '../address.ts';
import { percent, spanWithin } from '../quantities.ts';
import type { SteeringLimits } from './controller.ts';

const address = z
  .string()
  .refine((text) => parseAddress(text) !== undefined, 'must be an IPv4 or IPv6 address');

/** Absent: beacons are refused. */
export const rumConfig = z.strictObject({
  /** Beacons without a token are taken too: from browsers, judged by their own address. */
  open: z.boolean().default(false),
  /** Proxies in front of us whose X-Forwarded-For is believed. */
  proxies: z.array(address).default([]),
  /** Share of beacons that is counted. */
  sample: percent(0.1).prefault('100%'),
  /** Beacons of one /24 or /48 in a minute. */
  per_network: z.int().min(1).max(10_000).default(60),
});
export type RumConfig = z.output<typeof rumConfig>;

export const steeringConfig = z.strictObject({
  mode: z.enum(['shadow', 'live']).default('shadow'),
  least_beacons: z.int().min(50).max(1_000_000).default(100),
  least_networks: z.int().min(5).max(100_000).default(20),
  distrust: percent(0, 45).prefault('20%'),
  gain: percent(1).prefault('5%'),
  gain_time: spanWithin('1ms', '10s').prefault('3ms'),
  gain_failures: percent(1).prefault('3%'),
  step: percent(1).prefault('20%'),
  total: percent(1).prefault('50%'),
  settle: spanWithin('10min', '7d').prefault('1h'),
  reverse_after: spanWithin('1h', '30d').prefault('1d'),
  life: spanWithin('1h', '30d').prefault('7d'),
});

/** In the words of the controller. */
export function limitsOf(config: z.output<typeof steeringConfig>): SteeringLimits {
  return {
    mode: config.mode,
    distrust: config.distrust,
    deviations: 3,
    leastSamples: config.least_beacons,
    leastSources: config.least_networks,
    gainShare: config.gain,
    gainMillis: config.gain_time,
    gainFailures: config.gain_failures,
    stepShare: config.step,
    totalShare: config.total,
    settleMillis: config.settle,
    reverseMillis: config.reverse_after,
    lifeMillis: config.life,
  };
}
