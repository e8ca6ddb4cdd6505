import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useMemo, useState } from 'react'
import type { Schema } from '../../../../client/create-client.ts'
import { Asked } from '../../components/asked.tsx'
import { Button } from '../../components/button.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { Facts } from '../../components/facts.tsx'
import { RunLink } from '../../components/link.tsx'
import { ApiError } from '../../lib/api.ts'
import { sameJson } from '../../lib/same-json.ts'
import { useMe } from '../../lib/use-me.ts'
import { ASK } from '../../strings/ask.ts'
import { type Contract, contractQuery, type Inputs } from '../start/api.ts'
import { errorSchemaOf } from '../start/form-schema.ts'
import { InputsForm } from '../start/inputs-form.tsx'
import { InvalidInput } from '../start/invalid-input.ts'
import { StartRefusal } from '../start/start-refusal.tsx'
import { useStart } from '../start/use-start.ts'
import type { Action } from './api.ts'

const words = ASK.action

interface Props {
  action: Action
  /** the answer that contains it */
  origin: Schema<'AskOrigin'>
}

/** The form of a run that an answer proposes, in place. It is started by anyone who sends it, under the plan that the answer showed. */
export function ActionForm({ action, origin }: Props) {
  const { pack, template, environment, preflight, gates_expected, estimate_usd, missing, command } = action
  const contract = useQuery(contractQuery({ pack, template }, environment))
  const failed = preflight.checks.filter(({ status }) => status === 'fail')
  return (
    <section
      aria-label={words.title(`${pack}/${template}`)}
      className="my-2 space-y-2 rounded border border-primary p-3"
    >
      <h3 className="break-words font-semibold">{words.title(`${pack}/${template}`)}</h3>
      <Facts
        rows={[
          [words.environment, environment],
          [words.estimate, estimate_usd === null ? undefined : words.usd(estimate_usd)],
          [words.gates, gates_expected.map(({ step, because }) => `${step} (${because.join(', ')})`).join('; ')],
          [words.command, <Copyable key="command" text={command} />],
        ]}
      />
      {gates_expected.length === 0 && <p className="text-muted-foreground">{words.no_gates}</p>}
      {missing.length > 0 && (
        <p className="text-warning">{words.missing(missing.map(({ name }) => name).join(', '))}</p>
      )}
      {failed.length > 0 && (
        <div className="text-destructive">
          <p>{words.blocked}</p>
          <ul className="list-disc pl-5">
            {failed.map(({ id, message }) => (
              <li key={id} className="break-words">
                {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      <Asked query={contract}>{(found) => <StartPart action={action} origin={origin} contract={found} />}</Asked>
    </section>
  )
}

function StartPart({ action, origin, contract }: Props & { contract: Contract }) {
  const { pack, template, environment, profile, config_preset, template_digest, plan_hash } = action
  const me = useMe()
  const client = useQueryClient()
  const [inputs, setInputs] = useState<Inputs>(action.inputs)
  const [run, setRun] = useState<string>()
  const start = useStart({ pack, template }, ({ id }) => {
    void client.invalidateQueries({ queryKey: ['runs'] })
    setRun(id)
  })
  const errors = useMemo(
    () => errorSchemaOf(start.error instanceof InvalidInput ? start.error.faults : []),
    [start.error],
  )
  if (!me.isOperator) return <p>{words.look_only}</p>
  if (run !== undefined)
    return (
      <p role="status">
        {words.started} <RunLink id={run} />
      </p>
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (start.isPending) return
    const place = {
      environment,
      ...(profile !== undefined && { profile }),
      ...(config_preset !== undefined && { config_preset }),
    }
    // an edited form is another plan of the same template
    const isAsShown = action.missing.length === 0 && sameJson(inputs, action.inputs)
    start.mutate({ inputs, ...place, template_digest, ...(isAsShown && { plan_hash }), ask: origin })
  }
  const isChanged = start.error instanceof ApiError && start.error.code === 'plan_changed'
  return (
    <form aria-label={words.title(`${pack}/${template}`)} noValidate onSubmit={submit} className="space-y-2">
      <InputsForm contract={contract} inputs={inputs} errors={errors} onChange={setInputs} />
      {isChanged ? (
        <p role="alert" className="text-destructive">
          {words.changed}
        </p>
      ) : (
        <StartRefusal error={start.error} onReload={() => void client.resetQueries({ queryKey: ['contract'] })} />
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" variant="default" aria-disabled={start.isPending || isChanged}>
          {start.isPending ? words.starting : words.start}
        </Button>
        <Link to="/start/$pack/$template" params={{ pack, template }} className="link">
          {words.page}
        </Link>
      </div>
    </form>
  )
}
