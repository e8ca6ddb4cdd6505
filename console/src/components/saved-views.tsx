import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Bookmark, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { Schema } from '../../../client/create-client.ts'
import { api, given } from '../lib/api.ts'
import { cn } from '../lib/cn.ts'
import { sameJson } from '../lib/same-json.ts'
import { useMe } from '../lib/use-me.ts'
import { STRINGS } from '../strings.ts'
import { Button } from './button.tsx'
import { Refusal } from './checks.tsx'
import { FIELD } from './field.tsx'

const words = STRINGS.views

type View = Schema<'SavedView'>
type Search = View['search']

const viewsQuery = (page: View['page']) =>
  queryOptions({
    queryKey: ['views', page],
    queryFn: async ({ signal }) => given(await api.GET('/console/api/views', { params: { query: { page } }, signal })),
    staleTime: 60_000,
  })

interface Props {
  page: View['page']
  /** the filters in the address of the list */
  search: Search
  onOpen: (search: Search) => void
}

/** The saved views of a list: a person's own filters by name, on each of their devices. */
export function SavedViews({ page, search, onOpen }: Props) {
  const client = useQueryClient()
  const me = useMe()
  const views = useQuery(viewsQuery(page)).data ?? []
  const [naming, setNaming] = useState(false)
  const onSettled = () => client.invalidateQueries({ queryKey: ['views', page] })
  const open = views.find((view) => sameJson(view.search, search))
  const drop = (name: string) => api.DELETE('/console/api/views', { params: { query: { page, name } } })
  const save = useMutation({
    mutationFn: async (name: string) => {
      await api.PUT('/console/api/views', { body: { page, name, search } })
      // the open one saved again under another name is renamed
      if (open !== undefined && open.name !== name) await drop(open.name)
    },
    onSuccess: () => setNaming(false),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: drop,
    onSettled,
  })
  const mayBeSaved = me.isViewer && Object.keys(search).length > 0
  if (views.length === 0 && !mayBeSaved) return null
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name') ?? '').trim()
    if (name !== '' && !save.isPending) save.mutate(name)
  }
  return (
    <section
      aria-label={words.title}
      className="mb-3 flex flex-wrap items-center gap-2 text-sm max-sm:relative max-sm:w-0 max-sm:min-w-full max-sm:flex-nowrap max-sm:overflow-x-auto max-sm:*:shrink-0 print:hidden"
    >
      {views.map((view) => (
        <span
          key={view.name}
          className={cn('inline-flex max-w-full items-center', view === open && 'max-sm:order-first')}
        >
          <Button
            size="sm"
            aria-pressed={view === open}
            onClick={() => onOpen(view.search)}
            className="max-w-60 rounded-full aria-pressed:border-primary aria-pressed:bg-info-soft aria-pressed:text-info"
          >
            <Bookmark aria-hidden className="size-3.5 shrink-0" />
            <bdi className="truncate">{view.name}</bdi>
          </Button>
          {view === open && me.isViewer && (
            <Button
              size="sm"
              variant="ghost"
              aria-label={words.remove(view.name)}
              disabled={remove.isPending}
              onClick={() => remove.mutate(view.name)}
            >
              <X aria-hidden className="size-3.5" />
            </Button>
          )}
        </span>
      ))}
      {mayBeSaved && !naming && (
        <Button size="sm" variant="ghost" onClick={() => setNaming(true)}>
          <Bookmark aria-hidden className="size-3.5" />
          {open === undefined ? words.save : words.rename}
        </Button>
      )}
      {mayBeSaved && naming && (
        <form
          aria-label={words.save}
          onSubmit={submit}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            event.preventDefault()
            setNaming(false)
          }}
          className="flex flex-wrap items-center gap-2"
        >
          <input
            // biome-ignore lint/a11y/noAutofocus: it was just asked for
            autoFocus
            name="name"
            required
            maxLength={60}
            autoComplete="off"
            defaultValue={open?.name}
            list={`views-${page}`}
            aria-label={words.name}
            placeholder={words.name}
            className={`${FIELD} mt-0 w-52`}
          />
          <datalist id={`views-${page}`}>
            {views.map(({ name }) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <Button size="sm" type="submit" aria-disabled={save.isPending}>
            {words.send}
          </Button>
          <Button size="sm" variant="ghost" onClick={() => setNaming(false)}>
            {words.leave}
          </Button>
        </form>
      )}
      <Refusal error={save.error ?? remove.error} />
    </section>
  )
}
