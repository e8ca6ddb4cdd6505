import { useSearch } from '@tanstack/react-router'
import { PageHeader } from '../../components/page-header.tsx'
import { PartLinks } from '../../components/part-links.tsx'
import { knownPart, ownSearch } from '../../lib/read-search.ts'
import { useMe } from '../../lib/use-me.ts'
import { useTitle } from '../../lib/use-title.ts'
import { TRIGGERS } from '../../strings/triggers.ts'
import { InboxPart } from './inbox-part.tsx'
import { triggerParts } from './part-link.tsx'
import { RulesPart } from './rules-part.tsx'
import { SchedulesPart } from './schedules-part.tsx'
import { SettingsPart } from './settings-part.tsx'
import { SignedDeliveriesPart } from './signed-deliveries-part.tsx'
import { SkillsPart } from './skills-part.tsx'

export function TriggersPage() {
  const names = triggerParts(useMe())
  const search = useSearch({ from: '/triggers', select: ownSearch })
  const current = knownPart(search, names)
  const { name } = search
  useTitle(name, TRIGGERS.parts[current], TRIGGERS.title)
  const isNew = search.create === '1'
  return (
    <>
      <PageHeader title={TRIGGERS.title} />
      <PartLinks
        label={TRIGGERS.title}
        parts={names.map((part) => ({ part, name: TRIGGERS.parts[part] }))}
        current={current}
      />
      <h2 className="mb-2 text-lg font-semibold">{TRIGGERS.parts[current]}</h2>
      {current === 'schedules' && <SchedulesPart />}
      {current === 'rules' && <RulesPart name={name} isNew={isNew} />}
      {current === 'skills' && <SkillsPart />}
      {current === 'deliveries' && <SignedDeliveriesPart />}
      {current === 'inbox' && <InboxPart />}
      {(current === 'environments' || current === 'profiles') && (
        <SettingsPart key={current} kind={current} name={name} isNew={isNew} />
      )}
    </>
  )
}
