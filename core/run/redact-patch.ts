import type { JsonObject } from '../json/json.ts'
import type { Redactor } from '../secret/redactor.ts'
import type { RunPatch } from './patch.ts'

type Patch = Omit<RunPatch, 'run_id' | 'fence'>

/** A transition without secrets: in everything that people may read of it. Keys, hashes and artifacts' bodies stay. */
export function redactPatch(patch: Patch, redactor: Redactor): Patch {
  const { settle, open, gate, run, events, audit, ...rest } = patch
  const json = (name: string, value: JsonObject | undefined) =>
    value === undefined ? {} : { [name]: redactor.record(value) }
  return {
    ...rest,
    ...(settle && {
      settle: {
        ...settle,
        ...json('outputs', settle.outputs),
        ...json('error', settle.error),
        ...json('simulation', settle.simulation),
        ...(settle.message === undefined ? {} : { message: redactor.text(settle.message) }),
      },
    }),
    ...(open && { open: { ...open, ...json('inputs', open.inputs), ...json('simulation', open.simulation) } }),
    ...(gate && {
      gate: {
        ...gate,
        view: redactor.record(gate.view),
        ...json('inputs', gate.inputs),
        ...json('simulation', gate.simulation),
      },
    }),
    ...(run && { run: { ...run, ...json('outputs', run.outputs), ...json('error', run.error) } }),
    ...(events && { events: events.map((event) => ({ ...event, ...json('data', event.data) })) }),
    ...(audit && { audit: audit.map((draft) => ({ ...draft, data: redactor.record(draft.data) })) }),
  }
}
