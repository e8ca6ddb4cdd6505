import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Asked } from '../../components/asked.tsx'
import { Empty } from '../../components/states.tsx'
import { useMe } from '../../lib/use-me.ts'
import { useTitle } from '../../lib/use-title.ts'
import { POLICIES } from '../../strings/policies.ts'
import { STRINGS } from '../../strings.ts'
import { environmentsQuery } from './api.ts'
import { PolicyEditor } from './policy-editor.tsx'

export function NewPolicyPage() {
  useTitle(POLICIES.create)
  const me = useMe()
  const environments = useQuery(environmentsQuery)
  return (
    <>
      <Link to="/policies" className="link">
        {POLICIES.back}
      </Link>
      <h1 className="my-2 text-xl font-semibold sm:text-2xl">{POLICIES.create}</h1>
      {me.isAdmin ? (
        <Asked query={environments}>{(places) => <PolicyEditor environments={places} />}</Asked>
      ) : (
        <Empty>{STRINGS.states.forbidden}</Empty>
      )}
    </>
  )
}
