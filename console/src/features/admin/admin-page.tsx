import { useSearch } from '@tanstack/react-router'
import { PartLinks } from '../../components/part-links.tsx'
import { knownPart } from '../../lib/known-part.ts'
import { useMe } from '../../lib/use-me.ts'
import { ADMIN } from '../../words/admin.ts'
import { DeliveriesPart } from './deliveries-part.tsx'
import { HaltsPart } from './halts-part.tsx'
import { HealthPart } from './health-part.tsx'
import { KeysPart } from './keys-part.tsx'
import { UsersPart } from './users-part.tsx'
import { WorkspacesPart } from './workspaces-part.tsx'

const PARTS = {
  health: HealthPart,
  halts: HaltsPart,
  deliveries: DeliveriesPart,
  workspaces: WorkspacesPart,
  users: UsersPart,
  keys: KeysPart,
} as const
type PartName = keyof typeof PARTS

/** Who looks at users and keys is an admin; the rest is for everybody who is signed in. */
export function AdminPage() {
  const me = useMe()
  const names: [PartName, ...PartName[]] = ['health', 'halts', 'deliveries', 'workspaces']
  if (me.isAdmin) names.push('users', 'keys')
  const current = knownPart(useSearch({ from: '/admin' }), names)
  const Part = PARTS[current]
  return (
    <>
      <h1 className="mb-2 text-xl font-semibold">{ADMIN.title}</h1>
      <PartLinks
        to="/admin"
        label={ADMIN.title}
        parts={names.map((part) => ({ part, name: ADMIN.parts[part] }))}
        current={current}
      />
      <h2 className="mb-2 text-lg font-semibold">{ADMIN.parts[current]}</h2>
      <Part />
    </>
  )
}
