/** The names of the events that `GET /v1/events` sends; a test compares them with the schema of the history. */
export const historyKinds = [
  'daemon',
  'verdict',
  'decision',
  'egress',
  'command',
  'read-back',
  'hand',
  'override',
  'freeze',
  'maintenance',
  'readiness',
  'apply',
  'file',
  'told',
  'alarm',
  'dropped',
] as const;
