import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Asked } from '../../components/asked.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { useMe } from '../../lib/use-me.ts'
import { useTitle } from '../../lib/use-title.ts'
import { POLICIES } from '../../strings/policies.ts'
import { type Policy, policiesQuery } from './api.ts'
import { Forecast } from './forecast.tsx'
import { PolicyFate } from './policy-fate.tsx'
import { RuleList } from './rule-list.tsx'

const { columns } = POLICIES

export function PoliciesPage() {
  useTitle(POLICIES.title)
  const policies = useQuery(policiesQuery)
  const me = useMe()
  return (
    <>
      <div className="mb-3 flex flex-wrap items-baseline gap-4">
        <h1 className="text-xl font-semibold">{POLICIES.title}</h1>
        {me.isAdmin && (
          <Link to="/new-policy" className="text-mark underline">
            {POLICIES.create}
          </Link>
        )}
      </div>
      <p className="mb-3 max-w-prose text-soft">{POLICIES.intro}</p>
      <Asked query={policies} empty={POLICIES.empty}>
        {(list) => (
          <PlainTable
            label={POLICIES.title}
            columns={[columns.name, columns.layer, columns.asks, columns.counts, columns.state]}
            rows={list.map((policy) => ({
              key: `${policy.layer}:${policy.source}:${policy.name}`,
              cells: [
                <Link key="name" to="/policies/$name" params={{ name: policy.name }} className="text-mark underline">
                  {policy.name}
                </Link>,
                <span key="layer">
                  {POLICIES.layers[policy.layer]} <span className="block text-sm text-soft">{policy.source}</span>
                </span>,
                <Asks key="asks" policy={policy} />,
                policy.in_force_in.join(', ') || POLICIES.nowhere,
                <PolicyFate key="fate" policy={policy} />,
              ],
            }))}
          />
        )}
      </Asked>
      <Forecast />
    </>
  )
}

function Asks({ policy: { rules, applies_to } }: { policy: Policy }) {
  const scope = Object.values(applies_to).flat().join(', ')
  return (
    <>
      <RuleList rules={rules} />
      {scope !== '' && <span className="text-sm text-soft">{POLICIES.only(scope)}</span>}
    </>
  )
}
