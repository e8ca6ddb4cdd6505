import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Asked } from '../../components/asked.tsx'
import { Empty } from '../../components/states.tsx'
import { useTitle } from '../../lib/use-title.ts'
import { POLICIES } from '../../strings/policies.ts'
import { STRINGS } from '../../strings.ts'
import { authoredQuery, environmentsQuery, type Policy, policiesQuery } from './api.ts'
import { PolicyEditor } from './policy-editor.tsx'
import { PolicyFate } from './policy-fate.tsx'
import { RuleList } from './rule-list.tsx'
import { Touches } from './touches.tsx'

/** One name: each layer, the winner, the affected steps, and the text where the console has one. */
export function PolicyPage() {
  const { name } = useParams({ from: '/policies/$name' })
  useTitle(name, POLICIES.title)
  const policies = useQuery(policiesQuery)
  const authored = useQuery(authoredQuery)
  const environments = useQuery(environmentsQuery)
  const mine = authored.data?.find((each) => each.name === name)
  const listed = policies.data?.some((each) => each.name === name) ?? false
  return (
    <>
      <Link to="/policies" className="link">
        {POLICIES.back}
      </Link>
      <h1 className="my-2 break-words text-xl font-semibold sm:text-2xl">{name}</h1>
      <Asked query={policies}>
        {(list) => {
          const found = list.filter((policy) => policy.name === name)
          if (found.length === 0 && mine === undefined) return <Empty>{STRINGS.states.not_found}</Empty>
          return found.map((policy) => <Layer key={`${policy.layer}:${policy.source}`} policy={policy} />)
        }}
      </Asked>
      <Asked query={authored}>
        {() =>
          mine !== undefined && (
            <Asked query={environments}>
              {(places) => <PolicyEditor key={mine.name} policy={mine} environments={places} />}
            </Asked>
          )
        }
      </Asked>
      {listed && <Touches name={name} />}
    </>
  )
}

function Layer({ policy }: { policy: Policy }) {
  const { applies_to } = policy
  return (
    <section className="mb-3 rounded-lg border bg-card p-4">
      <h2 className="font-semibold">
        {POLICIES.layers[policy.layer]}{' '}
        <span className="break-words font-normal text-muted-foreground">{policy.source}</span>
      </h2>
      <PolicyFate policy={policy} />
      <dl className="mt-2 grid grid-cols-1 gap-x-6 sm:grid-cols-[auto_minmax(0,1fr)]">
        {(['environments', 'risks', 'action_types', 'capabilities'] as const).map((what) => (
          <div key={what} className="contents">
            <dt className="text-muted-foreground">{POLICIES.scopes[what]}</dt>
            <dd className="break-words">{applies_to[what].join(', ') || POLICIES.everything}</dd>
          </div>
        ))}
        <dt className="text-muted-foreground">{POLICIES.columns.counts}</dt>
        <dd className="break-words">{policy.in_force_in.join(', ') || POLICIES.nowhere}</dd>
        <dt className="text-muted-foreground">{POLICIES.rules}</dt>
        <dd>
          <RuleList rules={policy.rules} />
        </dd>
      </dl>
    </section>
  )
}
