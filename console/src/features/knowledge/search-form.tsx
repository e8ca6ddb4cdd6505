import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Data } from '../../components/facts.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { Empty } from '../../components/states.tsx'
import { KNOWLEDGE } from '../../strings/knowledge.ts'
import { type Corpus, searchCorpus } from './api.ts'

const words = KNOWLEDGE.search

/** Searches a corpus as the ask agent would. */
export function SearchForm({ corpora }: { corpora: readonly Corpus[] }) {
  const [corpus, setCorpus] = useState(corpora[0]?.id ?? '')
  const [query, setQuery] = useState('')
  const search = useMutation({ mutationFn: () => searchCorpus(corpus, query) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (query.trim() !== '' && !search.isPending) search.mutate()
  }
  return (
    <>
      <form aria-label={words.title} onSubmit={submit} className="flex flex-wrap items-end gap-3">
        <Field name={words.corpus}>
          <select className={FIELD} value={corpus} onChange={({ target }) => setCorpus(target.value)}>
            {corpora.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
        <Field name={words.query}>
          <input
            className={FIELD}
            type="search"
            value={query}
            maxLength={1_000}
            onChange={({ target }) => setQuery(target.value)}
          />
        </Field>
        <Button type="submit" aria-disabled={search.isPending}>
          {words.submit}
        </Button>
      </form>
      <Refusal error={search.error} />
      {search.data !== undefined && (
        <>
          <p role="status" className="my-2 text-sm text-muted-foreground">
            {search.data.used.map((way) => words.used[way]).join(', ')}
            {search.data.vectors_refused !== undefined && ` ${words.refused(search.data.vectors_refused)}`}
          </p>
          {search.data.hits.length === 0 && <Empty>{words.none}</Empty>}
          <ol>
            {search.data.hits.map(({ digest, path, from_line, to_line, heading, text }) => (
              <li key={`${path} ${from_line} ${digest}`} className="my-2">
                <p className="break-words font-medium">
                  {words.hit(path, from_line, to_line)}
                  {heading !== undefined && <span className="text-muted-foreground"> {heading}</span>}
                </p>
                <Data value={text} />
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  )
}
