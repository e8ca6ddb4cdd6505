import { useSearch } from '@tanstack/react-router'
import { PageHeader } from '../../components/page-header.tsx'
import { PartLinks } from '../../components/part-links.tsx'
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
import { SettingsPart } from './settings-part.tsx'
import { UsersPart } from './users-part.tsx'
import { WorkspacesPart } from './workspaces-part.tsx'

const PARTS = {
  health: HealthPart,
  halts: HaltsPart,
  channels: ChannelsPart,
  deliveries: DeliveriesPart,
  models: ModelsPart,
  workspaces: WorkspacesPart,
  users: UsersPart,
  keys: KeysPart,
  settings: SettingsPart,
} as const
type PartName = keyof typeof PARTS

/** Users and keys are for admins, channels and settings for admins of all workspaces; the rest is for every signed-in user. */
export function AdminPage() {
  const me = useMe()
  const names: [PartName, ...PartName[]] = ['health', 'halts']
  if (me.isAdminOfAll) names.push('channels')
  names.push('deliveries', 'models', 'workspaces')
  if (me.isAdmin) names.push('users', 'keys')
  if (me.isAdminOfAll) names.push('settings')
  const current = knownPart(useSearch({ from: '/admin', select: ownSearch }), names)
  const Part = PARTS[current]
  useTitle(ADMIN.parts[current], ADMIN.title)
  return (
    <>
      <PageHeader title={ADMIN.title} />
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
