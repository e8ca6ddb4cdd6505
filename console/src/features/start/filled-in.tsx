import { Facts } from '../../components/facts.tsx'
import { START } from '../../strings/start.ts'
import type { Inputs, Preset, WorkflowConfig } from './api.ts'

const words = START.filled

interface Props {
  inputs: Inputs
  config: WorkflowConfig
  /** the chosen one, else the default one of the template */
  preset: Preset | undefined
}

/** The defaults of empty fields. */
export function FilledIn({ inputs, config, preset }: Props) {
  const rows = [
    ...Object.entries(preset?.values.inputs ?? {}).map(
      ([name, value]) => [name, value, words.by_preset(preset?.name ?? '')] as const,
    ),
    ...Object.entries(config.values.inputs).map(([name, value]) => [name, value, words.by_workspace] as const),
  ].filter(([name], at, all) => inputs[name] === undefined && all.findIndex(([earlier]) => earlier === name) === at)
  if (rows.length === 0) return null
  return (
    <section aria-label={words.title} className="rounded-lg border bg-card p-4">
      <h3 className="font-semibold">{words.title}</h3>
      <Facts rows={rows.map(([name, value, by]) => [name, `${JSON.stringify(value)}, ${by}`])} />
    </section>
  )
}
