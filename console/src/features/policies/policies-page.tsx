import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Asked } from '../../components/asked.tsx'
import { buttonClasses } from '../../components/button.tsx'
import { PageHeader } from '../../components/page-header.tsx'
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
      <PageHeader
        title={POLICIES.title}
        about={POLICIES.intro}
        actions={
          me.isAdmin && (
            <Link to="/new-policy" className={buttonClasses({ variant: 'default' })}>
              {POLICIES.create}
            </Link>
          )
        }
      />
      <Asked query={policies} empty={POLICIES.empty}>
        {(list) => (
          <PlainTable
            label={POLICIES.title}
            columns={[columns.name, columns.layer, columns.asks, columns.counts, columns.state]}
            rows={list.map((policy) => ({
              key: `${policy.layer}:${policy.source}:${policy.name}`,
              cells: [
                <Link key="name" to="/policies/$name" params={{ name: policy.name }} className="link">
                  {policy.name}
                </Link>,
                <span key="layer">
                  {POLICIES.layers[policy.layer]}{' '}
                  <span className="block text-sm text-muted-foreground">{policy.source}</span>
                </span>,
                <Asks key="asks" policy={policy} />,
                policy.in_force_in.join(', ') || POLICIES.nowhere,
                <PolicyFate key="fate" policy={policy} />,
              ],
            }))}
          />
        )}
      </Asked>
      {!policies.isPending && <Forecast />}
    </>
  )
}

function Asks({ policy: { rules, applies_to } }: { policy: Policy }) {
  const scope = Object.values(applies_to).flat().join(', ')
  return (
    <>
      <RuleList rules={rules} />
      {scope !== '' && <span className="text-sm text-muted-foreground">{POLICIES.only(scope)}</span>}
    </>
  )
}
