import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Data } from '../../components/facts.tsx'
import { useMe } from '../../lib/use-me.ts'
import { START } from '../../strings/start.ts'
import type { Contract, Inputs, Of, Preset, WorkflowConfig } from './api.ts'
import { DryRunView } from './dry-run-view.tsx'
import { EnvironmentFields, type Placed } from './environment-fields.tsx'
import { FilledIn } from './filled-in.tsx'
import { errorSchemaOf, fieldId, withoutSecrets } from './form-schema.ts'
import { InputsForm } from './inputs-form.tsx'
import { InvalidInput } from './invalid-input.ts'
import { PreflightView } from './preflight-view.tsx'
import { PresetPart } from './preset-part.tsx'
import { SchedulePart } from './schedule-part.tsx'
import { StartRefusal } from './start-refusal.tsx'
import { type Start, useStart } from './use-start.ts'

const words = START.form

interface Props {
  of: Of
  contract: Contract
  config: WorkflowConfig
  presets: Record<'config' | 'input', Preset[]>
  placed: Placed
  onPlace: (placed: Placed) => void
}

/** The form of a start, with its preflight; it opens the run. */
export function StartForm({ of, contract, config, presets, placed, onPlace }: Props) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const me = useMe()
  const [inputs, setInputs] = useState<Inputs>(() => ({
    ...config.values.inputs,
    ...usual(presets.config),
    ...usual(presets.input),
  }))
  const [preset, setPreset] = useState(() => presets.config.find(({ is_default }) => is_default)?.name)
  const [touched, setTouched] = useState(false)
  const [dryRun, setDryRun] = useState<string>()
  const start = useStart(of, (run, { dry_run }) => {
    if (dry_run === true) return setDryRun(run.id)
    void client.invalidateQueries({ queryKey: ['runs'] })
    void navigate({ to: '/runs/$id', params: { id: run.id } })
  })
  const { environment, profile, reason } = placed
  const request = {
    inputs,
    ...(environment !== undefined && { environment }),
    ...(profile !== undefined && { profile }),
    ...(preset !== undefined && { config_preset: preset }),
  }
  const send = (more: Pick<Start, 'dry_run'>) => {
    if (start.isPending) return
    setTouched(true)
    const { template_digest } = contract
    start.mutate(
      { ...request, template_digest, ...(reason.trim() !== '' && { reason: reason.trim() }), ...more },
      { onError: (error) => error instanceof InvalidInput && goTo(error) },
    )
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send({})
  }
  const errors = useMemo(
    () => errorSchemaOf(start.error instanceof InvalidInput ? start.error.faults : []),
    [start.error],
  )
  const kept = withoutSecrets(inputs, contract.ui)
  const isMeant = ({ name, is_default }: Preset) => (preset === undefined ? is_default : name === preset)
  const isDry = start.variables?.dry_run === true
  return (
    <div className="mt-4 grid gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <form aria-label={words.title} noValidate onSubmit={submit} className="min-w-0 space-y-4">
        <div onInput={() => setTouched(true)}>
          <InputsForm contract={contract} inputs={inputs} errors={errors} onChange={setInputs} />
        </div>
        <FilledIn inputs={inputs} config={config} preset={presets.config.find(isMeant)} />
        <EnvironmentFields placed={placed} usual={contract.environment} onChange={onPlace} />
        {preset !== undefined && (
          <p className="flex flex-wrap items-baseline gap-2">
            {START.presets.using(preset)}
            <Button onClick={() => setPreset(undefined)}>{START.presets.drop}</Button>
          </p>
        )}
        <StartRefusal error={start.error} onReload={() => void client.resetQueries({ queryKey: ['contract'] })} />
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" variant="default" aria-disabled={start.isPending}>
            {start.isPending && !isDry ? words.starting : words.start}
          </Button>
          <Button aria-disabled={start.isPending} onClick={() => send({ dry_run: true })}>
            {start.isPending && isDry ? words.drying : words.dry}
          </Button>
          <span className="text-sm text-muted-foreground">{words.dry_hint}</span>
        </div>
      </form>
      <div className="min-w-0 space-y-4">
        <PreflightView of={of} request={request} isUntouched={!touched} />
        <PresetPart
          kind="input"
          of={of}
          presets={presets.input}
          inputs={kept}
          mayWrite={me.isOperator}
          onLoad={({ values }) => {
            setTouched(true)
            setInputs({ ...inputs, ...values.inputs })
          }}
        />
        <PresetPart
          kind="config"
          of={of}
          presets={presets.config}
          inputs={kept}
          mayWrite={me.isAdmin}
          onLoad={({ name, values }) => {
            setTouched(true)
            setPreset(name)
            setInputs({ ...inputs, ...values.inputs })
          }}
        />
        {Object.keys(config.values.inputs).length > 0 && (
          <section>
            <p className="text-sm text-muted-foreground">{START.presets.configured}</p>
            <Data value={config.values.inputs} />
          </section>
        )}
      </div>
      <div className="min-w-0 lg:col-span-2">
        <SchedulePart of={of} request={{ ...request, inputs: kept }} />
      </div>
      {dryRun !== undefined && (
        <div className="min-w-0 lg:col-span-2">
          <DryRunView key={dryRun} id={dryRun} />
        </div>
      )}
    </div>
  )
}

function usual(presets: readonly Preset[]): Inputs {
  return presets.find(({ is_default }) => is_default)?.values.inputs ?? {}
}

/** The first field that is wrong. */
function goTo({ faults }: InvalidInput): void {
  const [first] = faults
  if (first !== undefined) document.getElementById(fieldId(first.loc))?.focus()
}
