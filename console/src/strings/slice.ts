/** The words about the part of the chain that a browser verifies. */
export const SLICE = {
  title: 'On record',
  table: 'Records of this run',
  none: 'None of its records has its place in the chain yet.',
  computing: 'Computing the hashes…',
  verified: 'Verified in this browser',
  broken: 'These records are not what was hashed',
  unable:
    'Not verified: this browser computes hashes only for pages that came by https, or from the machine it runs on.',
  records: (count: number) =>
    count === 1
      ? '1 record has the hash that stands with it.'
      : `${count} records have the hash that stands with each.`,
  links: (held: number, possible: number) =>
    `${held} of ${possible} steps from one record to the next are shown to follow each other directly.`,
  gaps: (count: number) =>
    `Between them stand ${count} records that are not shown here, of other runs, people or workspaces: across those it proves no link.`,
  part: (stretches: string, end: string) =>
    `Of the chain, this proves the content of ${stretches}. The database says that the chain ends with ${end}.`,
  limits:
    'What this cannot show: that no record of this run was held back, that the end of the chain was not cut off, and that nobody rewrote the whole chain. For that, run svc lineage over the log and compare its head with one that was kept elsewhere.',
  reasons: {
    hash: 'its hash does not match its content',
    link: 'the hash before it is not that of the record before',
    seq: 'its number inside and outside differ',
    place: 'its number comes twice',
    run: 'it is not of this run',
  },
  bad: (seq: number, why: string) => `Record ${seq}: ${why}.`,
  again: 'Load and compute again',
  print: 'Print the record',
  more: (count: number) => `Only the newest ${count} records are loaded and computed.`,
  open: (seq: number) => `Record ${seq}`,
  columns: {
    seq: 'Record',
    time: 'Time',
    action: 'What',
    actor: 'Who',
    subject: 'About',
    check: 'Here',
    hash: 'Hash',
  },
  good: 'verified',
  wrong: 'WRONG',
  unknown: 'not computed',
} as const
