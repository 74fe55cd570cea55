/**
 * What was seen in a run, in order of time: the lab's own acts, what carriers and DNS showed, and the nodes'
 * histories, read at the end. One fact a line of JSON. Everything is judged from these alone, so a log can be judged again.
 * `at` is wall time in ms of the machine.
 */
import { readFileSync } from 'node:fs';
import type { Family } from '../../src/types/units.ts';
import type { AnnounceState, Guard } from '../../src/types/wire/enums.ts';
import type { CarrierName, DatabaseRoom, FleetNodeName } from '../network/names.ts';
import type { Bounds } from './bounds.ts';
import type { ChaosFault } from './fault.ts';

export interface Place {
  readonly node: FleetNodeName;
  readonly carrier: CarrierName;
  readonly family: Family;
}

/** `applied` to `mending` it surely stands; `applying` to `mended` it may. */
export type Phase = 'applying' | 'applied' | 'mending' | 'mended';

export type Fact =
  | {
      readonly kind: 'begin';
      readonly at: number;
      readonly nodes: readonly FleetNodeName[];
      readonly prefixes: readonly string[];
      readonly seed: number;
      readonly bounds: Bounds;
    }
  | {
      readonly kind: 'fault';
      readonly at: number;
      readonly id: number;
      readonly phase: Phase;
      readonly fault: ChaosFault;
    }
  /** An UPDATE that a carrier heard. */
  | ({
      readonly kind: 'heard';
      readonly at: number;
      readonly what: 'announced' | 'withdrawn';
      readonly prefix: string;
      readonly drained: boolean;
      readonly path: readonly number[];
    } & Place)
  | ({ readonly kind: 'session'; readonly at: number; readonly up: boolean } & Place)
  /** What a carrier's table holds of a session; at the beginning, and where it differs from the last look. */
  | ({ readonly kind: 'table'; readonly at: number; readonly prefixes: readonly string[] } & Place)
  /** A question to a site; `silent`: no reply; else the addresses, which may be none. */
  | {
      readonly kind: 'dns';
      readonly at: number;
      readonly site: DatabaseRoom;
      readonly client: string;
      readonly family: Family;
      readonly answer: 'silent' | readonly string[];
    }
  /** A user of a carrier at a node's edge; `sentTo`: the node that he is redirected to, null: none. */
  | {
      readonly kind: 'visit';
      readonly at: number;
      readonly node: FleetNodeName;
      readonly carrier: CarrierName;
      readonly status: number;
      readonly sentTo: FleetNodeName | null;
    }
  /** This machine did not let the watcher run for so long, up to `at`. */
  | { readonly kind: 'stall'; readonly at: number; readonly millis: number }
  /** An entry of a node's history that tells of an announcement; times by CLOCK_MONOTONIC, so that no wall clock lies. */
  | {
      readonly kind: 'record';
      readonly at: number;
      readonly node: FleetNodeName;
      readonly about: RecordAbout;
    }
  /** Everything is mended; `healthyAfterMillis` null: it did not become healthy within the time given. */
  | {
      readonly kind: 'settled';
      readonly at: number;
      readonly healthyAfterMillis: number | null;
      readonly text: string;
    }
  | { readonly kind: 'end'; readonly at: number };

export type RecordAbout =
  | {
      readonly kind: 'decision';
      readonly carrier: string;
      readonly family: Family;
      readonly to: AnnounceState;
      readonly guard: Guard | null;
    }
  | { readonly kind: 'acted'; readonly carrier: string; readonly family: Family; readonly text: string }
  | { readonly kind: 'dropped'; readonly count: number };

export function factLine(fact: Fact): string {
  return JSON.stringify(fact);
}

/** A log of `npm run chaos`; throws where a line is no fact. */
export function readFacts(path: string): readonly Fact[] {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line, index) => {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || !('kind' in value) || !('at' in value))
      throw new Error(`${path}:${index + 1}: no fact`);
    return value as Fact;
  });
}
