import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Asked } from '../../components/asked.tsx'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Part } from '../../components/part.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Prose } from '../../components/prose.tsx'
import { Status } from '../../components/status.tsx'
import { useMe } from '../../lib/use-me.ts'
import { MODELS as words } from '../../strings/models.ts'
import { modelsQuery, probe, type RegisteredModel } from './api.ts'
import { RolesTable } from './roles-table.tsx'
import { Spend } from './spend.tsx'

/** The models, their roles, and their costs. */
export function ModelsPart() {
  const { columns } = words
  return (
    <>
      <p className="mb-3 max-w-prose text-muted-foreground">
        <Prose text={words.intro} />
      </p>
      <Asked query={useQuery(modelsQuery)} empty={words.none}>
        {(models) => (
          <>
            <PlainTable
              label={words.models}
              columns={[columns.id, columns.provider, columns.prices, columns.limits, columns.state, columns.probe]}
              rows={models.map((model) => ({ key: model.id, cells: cellsOf(model) }))}
            />
            <Part id="roles" title={words.roles.title}>
              <RolesTable models={models.map(({ id }) => id)} />
            </Part>
          </>
        )}
      </Asked>
      <Part id="spend" title={words.spend.title}>
        <Spend />
      </Part>
    </>
  )
}

function cellsOf(model: RegisteredModel) {
  const { id, provider, base_url, prices, limits, roles } = model
  return [
    <span key="id" className="break-all">
      {id}
      {roles.length > 0 && (
        <span className="block text-sm text-muted-foreground">
          {roles.map(({ role, as }) => words.role(role, as)).join(', ')}
        </span>
      )}
    </span>,
    <span key="provider">
      {provider}
      {base_url !== undefined && <span className="block break-all text-sm text-muted-foreground">{base_url}</span>}
    </span>,
    prices === undefined ? words.unpriced : words.prices(prices.input_usd, prices.output_usd),
    limits === undefined ? '' : words.limits(limits.context, limits.output),
    <ModelState key="state" model={model} />,
    <Probe key="probe" model={model} />,
  ]
}

function ModelState({ model: { callable, why_not, key } }: { model: RegisteredModel }) {
  const why = callable ? key !== undefined && !key.resolves && words.no_key(key.reference) : words.never(why_not ?? '')
  return why === false ? (
    <Status of="callable" />
  ) : (
    <>
      <Status of="not_callable" />
      <span className="block text-sm">{why}</span>
    </>
  )
}

/** A minimal call, judged, paid for and recorded as any other. */
function Probe({ model: { id, callable, last_probe } }: { model: RegisteredModel }) {
  const client = useQueryClient()
  const me = useMe()
  const attempt = useMutation({
    mutationFn: () => probe(id),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['models'] }),
  })
  const seen = attempt.data ?? last_probe
  return (
    <>
      {me.isOperator && callable && (
        <Button disabled={attempt.isPending} onClick={() => attempt.mutate()}>
          {attempt.isPending ? words.probing : words.probe}
        </Button>
      )}
      <Refusal error={attempt.error} />
      <span
        role="status"
        className={`block text-sm ${seen?.ok === false ? 'text-destructive' : 'text-muted-foreground'}`}
      >
        {seen !== undefined &&
          (seen.failed === undefined
            ? words.answered(seen.latency_ms, seen.cost_usd)
            : words.failed(seen.failed.message))}
      </span>
    </>
  )
}
