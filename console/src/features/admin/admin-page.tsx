import { useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { PageHeader } from '../../components/page-header.tsx'
import { PartLinks } from '../../components/part-links.tsx'
import { Loading } from '../../components/states.tsx'
import { knownPart, ownSearch } from '../../lib/read-search.ts'
import { useMe } from '../../lib/use-me.ts'
import { useTitle } from '../../lib/use-title.ts'
import { ADMIN } from '../../strings/admin.ts'
import { ModelsPart } from '../models/models-part.tsx'
import { ChannelsPart } from './channels-part.tsx'
import { DeliveriesPart } from './deliveries-part.tsx'
import { HaltsPart } from './halts-part.tsx'
import { HealthPart } from './health-part.tsx'
import { KeysPart } from './keys-part.tsx'
import { type AdminPart, adminParts } from './parts.ts'
import { SettingsPart } from './settings-part.tsx'
import { UsersPart } from './users-part.tsx'
import { WorkspacesPart } from './workspaces-part.tsx'

// its form brings a library
const ConnectionsPart = lazy(async () => ({
  default: (await import('../connections/connections-part.tsx')).ConnectionsPart,
}))

const PARTS = {
  health: HealthPart,
  halts: HaltsPart,
  channels: ChannelsPart,
  connections: ConnectionsPart,
  deliveries: DeliveriesPart,
  models: ModelsPart,
  workspaces: WorkspacesPart,
  users: UsersPart,
  keys: KeysPart,
  settings: SettingsPart,
} as const satisfies Record<AdminPart, unknown>

export function AdminPage() {
  const names = adminParts(useMe())
  const current = knownPart(useSearch({ from: '/admin', select: ownSearch }), names)
  const Part = PARTS[current]
  useTitle(ADMIN.parts[current], ADMIN.title)
  return (
    <>
      <PageHeader title={ADMIN.title} />
      <PartLinks
        label={ADMIN.title}
        parts={names.map((part) => ({ part, name: ADMIN.parts[part] }))}
        current={current}
      />
      <h2 className="mb-2 text-lg font-semibold">{ADMIN.parts[current]}</h2>
      <Suspense fallback={<Loading />}>
        <Part />
      </Suspense>
    </>
  )
}
