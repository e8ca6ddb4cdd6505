import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Asked } from '../../components/asked.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { Empty } from '../../components/states.tsx'
import { useListKeys } from '../../lib/use-list-keys.ts'
import { useTitle } from '../../lib/use-title.ts'
import { START } from '../../strings/start.ts'
import { templatesQuery } from '../policies/api.ts'
import type { Template } from './api.ts'
import { TemplateCard } from './template-card.tsx'

/** The templates that can be started here. */
export function StartPage() {
  useTitle(START.title)
  const templates = useQuery(templatesQuery)
  const { q = '' } = useSearch({ from: '/start' })
  const navigate = useNavigate({ from: '/start' })
  return (
    <>
      <PageHeader title={START.title} about={START.intro} />
      <div className="mb-3">
        <SearchField
          name="q"
          value={q}
          label={START.search}
          isLive
          onSet={(value) => void navigate({ search: value === '' ? {} : { q: value }, replace: true })}
        />
      </div>
      <Asked query={templates} empty={START.none}>
        {(all) => <Templates all={all} shown={all.filter((each) => matches(each, q))} />}
      </Asked>
    </>
  )
}

function Templates({ all, shown }: { all: readonly Template[]; shown: readonly Template[] }) {
  const navigate = useNavigate()
  const marked = useListKeys(shown, ({ pack, template }) => {
    void navigate({ to: '/start/$pack/$template', params: { pack, template } })
  })
  return (
    <>
      <p role="status" className="mb-2 text-sm text-muted-foreground">
        {START.count(shown.length, all.length)}
      </p>
      {shown.length === 0 && <Empty>{START.none_fits}</Empty>}
      <ul aria-label={START.title} className="grid grid-cols-1 gap-3 lg:grid-cols-2">
        {shown.map((item, index) => (
          <TemplateCard key={`${item.pack}/${item.template}`} item={item} isMarked={marked === index} />
        ))}
      </ul>
    </>
  )
}

/** Every word has to occur in the description. */
function matches(
  { pack, template, title, description = '', action_types, capabilities }: Template,
  q: string,
): boolean {
  const text = [`${pack}/${template}`, title, description, ...action_types, ...capabilities].join(' ').toLowerCase()
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
