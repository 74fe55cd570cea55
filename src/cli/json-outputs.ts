/**
 * What each command prints with `--json`, those of the companions too. The published JSON Schemas in docs/schemas are made
 * from these, and a test finds them stale. Members may be added; a reader passes over what it does not know.
 */
import { z } from 'zod';
import { applyResult } from '../types/wire/apply.ts';
import {
  edgeCheckOutput,
  edgeRenderOutput,
  geodnsApplyOutput,
  geodnsCheckOutput,
  geodnsPromoteOutput,
  geodnsProposeOutput,
  geodnsRevisionsOutput,
  geodnsRollbackOutput,
} from '../types/wire/companion-outputs.ts';
import { doctorOutput } from '../types/wire/doctor.ts';
import { uplinkExplained } from '../types/wire/explain.ts';
import { fleetStatus } from '../types/wire/fleet-status.ts';
import {
  geodnsDecideOutput,
  geodnsFreezeOutput,
  geodnsGeoipOutput,
  geodnsOverrideOutput,
  geodnsStatusOutput,
  geodnsSteeringOutput,
} from '../types/wire/geodns-service-outputs.ts';
import { historyEntry } from '../types/wire/history.ts';
import { type JsonSchema, jsonSchemaOf } from '../types/wire/json-schema.ts';
import {
  bootOutput,
  checkOutput,
  completionOutput,
  migrateOutput,
  recordOutput,
  renderOutput,
  replayOutput,
  routingCheckOutput,
  routingOutput,
  simulateOutput,
} from '../types/wire/local-outputs.ts';
import { operatorAnswer } from '../types/wire/operator.ts';
import { statusDocument } from '../types/wire/status.ts';
import { withoutDaemon } from '../types/wire/without-daemon.ts';

export interface JsonOutput {
  /** Of the file: docs/schemas/NAME.json. */
  readonly name: string;
  /** Absent: `causeway`. */
  readonly program?: 'causeway-edge' | 'causeway-geodns';
  /** Command lines whose answer it is, without the program. */
  readonly commands: readonly string[];
  readonly schema: z.ZodType;
}

const edge = 'causeway-edge';
const geodns = 'causeway-geodns';

/** By name of the file. `explain config --json` prints a config: docs/causeway.schema.json. */
export const jsonOutputs: readonly JsonOutput[] = [
  { name: 'apply', commands: ['apply', 'diff'], schema: applyResult },
  { name: 'boot', commands: ['boot'], schema: bootOutput },
  { name: 'check', commands: ['check', 'check --host'], schema: checkOutput },
  { name: 'completion', commands: ['completion'], schema: completionOutput },
  { name: 'doctor', commands: ['doctor'], schema: doctorOutput },
  { name: 'edge-check', program: edge, commands: ['check'], schema: edgeCheckOutput },
  { name: 'edge-render', program: edge, commands: ['render'], schema: edgeRenderOutput },
  { name: 'event', commands: ['events'], schema: historyEntry },
  { name: 'explain', commands: ['explain UPLINK'], schema: z.union([uplinkExplained, withoutDaemon]) },
  { name: 'fleet', commands: ['fleet'], schema: fleetStatus },
  { name: 'geodns-apply', program: geodns, commands: ['apply'], schema: geodnsApplyOutput },
  { name: 'geodns-check', program: geodns, commands: ['check'], schema: geodnsCheckOutput },
  { name: 'geodns-decide', program: geodns, commands: ['decide'], schema: geodnsDecideOutput },
  { name: 'geodns-freeze', program: geodns, commands: ['freeze', 'thaw'], schema: geodnsFreezeOutput },
  { name: 'geodns-geoip', program: geodns, commands: ['geoip'], schema: geodnsGeoipOutput },
  { name: 'geodns-override', program: geodns, commands: ['override'], schema: geodnsOverrideOutput },
  { name: 'geodns-promote', program: geodns, commands: ['promote'], schema: geodnsPromoteOutput },
  { name: 'geodns-propose', program: geodns, commands: ['propose'], schema: geodnsProposeOutput },
  { name: 'geodns-revisions', program: geodns, commands: ['revisions'], schema: geodnsRevisionsOutput },
  { name: 'geodns-rollback', program: geodns, commands: ['rollback'], schema: geodnsRollbackOutput },
  { name: 'geodns-status', program: geodns, commands: ['status'], schema: geodnsStatusOutput },
  { name: 'geodns-steering', program: geodns, commands: ['steering'], schema: geodnsSteeringOutput },
  { name: 'history', commands: ['history'], schema: z.array(historyEntry).readonly() },
  { name: 'migrate', commands: ['migrate'], schema: migrateOutput },
  {
    name: 'operator',
    commands: ['drain', 'undrain', 'force', 'release', 'freeze', 'thaw', 'reload'],
    schema: operatorAnswer,
  },
  { name: 'record', commands: ['record'], schema: recordOutput },
  { name: 'render', commands: ['render'], schema: renderOutput },
  { name: 'replay', commands: ['replay'], schema: replayOutput },
  { name: 'routing', commands: ['routing'], schema: routingOutput },
  { name: 'routing-check', commands: ['routing --check'], schema: routingCheckOutput },
  { name: 'simulate', commands: ['simulate'], schema: simulateOutput },
  { name: 'status', commands: ['status'], schema: z.union([statusDocument, withoutDaemon]) },
];

/** As it is published: an answer with members that a reader does not know yet is valid. */
export function publishedSchema({ name, program, commands, schema }: JsonOutput): JsonSchema {
  const lines = commands.map((command) => `${program ?? 'causeway'} ${command} --json`);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `causeway ${name}`,
    description: `Printed by ${lines.join(', ')}.`,
    ...opened(jsonSchemaOf(schema, 'output')),
  };
}

/** Without `additionalProperties: false`. */
function opened(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => key !== 'additionalProperties' || value !== false)
      .map(([key, value]) => [key, openedValue(value)]),
  );
}

function openedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(openedValue);
  return typeof value === 'object' && value !== null ? opened({ ...value }) : value;
}
