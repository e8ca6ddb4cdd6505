import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useMemo, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { PIPELINES } from '../../strings/pipelines.ts'
import { grantedEnvironmentsQuery } from '../policies/api.ts'
import type { Contract, Inputs } from '../start/api.ts'
import { errorSchemaOf } from '../start/form-schema.ts'
import { InputsForm } from '../start/inputs-form.tsx'
import { InvalidInput, invalidInputOf, randomKey } from '../start/invalid-input.ts'
import { StartRefusal } from '../start/start-refusal.tsx'
import { type BundledPipeline, type PipelineBundle, startPipeline } from './api.ts'

const words = PIPELINES.start

interface Props {
  bundle: PipelineBundle
  pipeline: BundledPipeline
  onLeave: () => void
}

/** The inputs of a pipeline, drawn from its schema alone; it leads to the pipeline that was started. */
export function PipelineForm({ bundle, pipeline, onLeave }: Props) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const [inputs, setInputs] = useState<Inputs>({})
  const [environment, setEnvironment] = useState('')
  const [reason, setReason] = useState('')
  const environments = useQuery(grantedEnvironmentsQuery).data ?? []
  const request = {
    bundle_path: bundle.path,
    pipeline_name: pipeline.name,
    inputs,
    ...(bundle.digest !== undefined && { bundle_digest: bundle.digest }),
    ...(environment !== '' && { environment }),
    ...(reason.trim() !== '' && { reason: reason.trim() }),
  }
  // the same start twice, by a second click or after a lost answer, is one pipeline
  const asked = useRef<{ text: string; key: string }>(undefined)
  const start = useMutation({
    mutationFn: async () => {
      const text = JSON.stringify(request)
      if (asked.current?.text !== text) asked.current = { text, key: randomKey() }
      return await startPipeline(request, asked.current.key).catch((error: unknown) => {
        throw invalidInputOf(error) ?? error
      })
    },
    onSuccess: (id) => void navigate({ to: '/pipelines/$id', params: { id } }),
  })
  const errors = useMemo(
    () => errorSchemaOf(start.error instanceof InvalidInput ? start.error.faults : []),
    [start.error],
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!start.isPending) start.mutate()
  }
  return (
    <form aria-label={words.choose(pipeline.name)} noValidate onSubmit={submit} className="max-w-2xl space-y-4">
      <h2 className="text-lg font-semibold">{pipeline.title}</h2>
      <InputsForm contract={contractOf(bundle, pipeline)} inputs={inputs} errors={errors} onChange={setInputs} />
      <Field name={words.environment}>
        <select className={FIELD} value={environment} onChange={({ target }) => setEnvironment(target.value)}>
          <option value="">{words.usual}</option>
          {environments.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </Field>
      <Field name={words.reason}>
        <input className={FIELD} maxLength={4_000} value={reason} onChange={({ target }) => setReason(target.value)} />
      </Field>
      <StartRefusal
        error={start.error}
        onReload={() => {
          void client.resetQueries({ queryKey: ['pipeline-bundles'] })
          onLeave()
        }}
      />
      <p className="flex gap-3">
        <Button type="submit" variant="default" aria-disabled={start.isPending}>
          {start.isPending ? words.busy : words.send}
        </Button>
        <Button onClick={onLeave}>{words.leave}</Button>
      </p>
    </form>
  )
}

/** Returns the part of a contract for the form; a pipeline has no secret inputs. */
function contractOf(
  { digest }: PipelineBundle,
  { name, inputs_schema }: BundledPipeline,
): Pick<Contract, 'inputs' | 'ui' | 'template_digest'> {
  const properties = inputs_schema['properties']
  const order = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  return {
    inputs: inputs_schema,
    ui: { order, secret: [] },
    template_digest: `${digest} ${name}`,
  }
}
