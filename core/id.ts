/** Prefixes of every identifier; the rest is a lower-case ULID, so ids sort by time and are safe in URLs and shells. */
export const ID_PREFIX = {
  run: 'run',
  gate: 'gate',
  workspace: 'ws',
  user: 'usr',
  account: 'acc',
  delivery: 'dlv',
  artifact: 'art',
  audit: 'aud',
  request: 'req',
  decision: 'dec',
  environment: 'env',
  notification: 'ntf',
  link: 'lnk',
  pipeline: 'pl',
  schedule: 'sch',
  message: 'msg',
  halt: 'halt',
  halt_refusal: 'hrf',
  digest: 'dgs',
  preset: 'pre',
  api_key: 'key',
  model_call: 'mcl',
  ask_thread: 'thr',
  ask_turn: 'turn',
  corpus: 'cor',
  connection: 'conn',
  authorization: 'grt',
  remote_job: 'job',
} as const

export type IdKind = keyof typeof ID_PREFIX

/** Source of fresh identifiers; a port, so that core stays free of clock and randomness. */
export interface Ids {
  next(kind: IdKind): string
}

/** The workspace that exists from the first start. */
export const DEFAULT_WORKSPACE_ID = 'ws_00000000000000000000000000'
/** Its short name; those never change. */
export const DEFAULT_WORKSPACE_SLUG = 'default'
